import type { ErrorDetail } from '../../../contract/step.js';
import type { LlmConfig } from '../../../contract/step-request.js';
import type { Unit } from '../../../conversation/units.js';
import type { GatheredContext } from '../../context/context-item.js';
import { type FittedContext, fitContext } from '../../context/fitting/fit-context.js';
import { untouchable } from '../history/fold-history.js';
import { type CutUnit, cutUnits, maskUnits, tokensOfUnits, weighUnits } from '../history/unit-forms.js';
import { StepRefused } from '../interruption.js';
import type { Scale } from '../prompt/weigh-messages.js';
import type { Situation } from '../read-situation.js';
import type { FixedCosts } from './fixed-costs.js';

/** Who may take how many tokens of the prompt (rule: prompt-budget). */
interface Budget {
  /** B: what the prompt may take in all. */
  readonly prompt: number;
  /** Held for the tail, even if unused, so that the history's share never wavers. */
  readonly tail: number;
  /** F: what context and history share. */
  readonly free: number;
  /** The most that context may take of F. */
  readonly context: number;
}

const TAIL_SHARE = 0.06;
const DEFAULT_CONTEXT_SHARE = 0.5;

function planBudget(config: LlmConfig, fixed: FixedCosts): Budget {
  const prompt = config.tokenLimit - config.reservedOutputTokens;
  const tail = Math.max(Math.floor(prompt * TAIL_SHARE), fixed.smallestTail);
  const free = Math.max(0, prompt - sumOf(fixed) - tail);
  const context = Math.floor(free * (config.contextShare ?? DEFAULT_CONTEXT_SHARE));
  return { prompt, tail, free, context };
}

/** The provider's output limit: at most, and by default, the reserve. */
export function outputLimit({ maxOutputTokens, reservedOutputTokens }: LlmConfig): number {
  return Math.min(maxOutputTokens ?? reservedOutputTokens, reservedOutputTokens);
}

/** The smallest prompt budget that leaves `free` tokens for context and history. */
function promptFor(free: number, fixed: FixedCosts): number {
  const sum = sumOf(fixed) + free;
  return Math.max(sum + fixed.smallestTail, Math.ceil(sum / (1 - TAIL_SHARE)));
}

const sumOf = ({ instructions, example, tools, framing }: FixedCosts): number =>
  instructions + example + tools + framing;

/** The refusal when even the shortest prompt does not fit: it says which token limit would do. */
export function budgetExceeded(config: LlmConfig, shortestPrompt: number): StepRefused {
  const needed = shortestPrompt + config.reservedOutputTokens;
  const detail: ErrorDetail = {
    path: 'llm_config.tokenLimit',
    code: 'needed_tokens',
    message: `${needed} tokens are needed, ${config.reservedOutputTokens} of them reserved for the reply; tokenLimit is ${config.tokenLimit}`,
  };
  return new StepRefused('token_budget_exceeded', [detail]);
}

/** Context and history, each within its share of what is free, in tokens. */
export interface FittedContextAndHistory {
  readonly budget: Budget;
  readonly context: FittedContext;
  /** S: what the history may take. */
  readonly share: number;
  readonly units: readonly CutUnit[];
}

/** Tokens, by their bound, that are counted beside the model call (rule: counted-meanwhile): a few milliseconds. */
const MOST_MEANWHILE = 64 * 1024;

/** Steps in which the search for the least tokens goes up: it tells at most a tenth too many. */
const SEARCH_STEP = 1.1;

/**
 * Context first, by priority, up to its own limit; the history gets the rest. Context yields only if the tasks and
 * the newest unit do not fit otherwise (rule: context-yields).
 */
export async function fitContextAndHistory(
  situation: Situation,
  gathered: GatheredContext,
  { fixed, scale }: { fixed: FixedCosts; scale: Scale },
): Promise<FittedContextAndHistory> {
  const { request, units: whole } = situation;
  const budget = planBudget(request.llm_config, fixed);
  const most =
    gathered.groups.length > 0 && isSingleStep(situation)
      ? await besideUnits(whole, budget.free, scale)
      : budget.context;
  const context = await fitContext(gathered, most, scale.tokens);
  const room = budget.free - context.tokens;
  const cut = await cutUnits(whole, room, scale);
  const isFree = tokensOfUnits(cut) <= room && uncountedIn(cut) <= MOST_MEANWHILE;
  const units = isFree ? cut : await weighUnits(cut, scale);
  const all = tokensOfUnits(units);
  // where all of it fits, nobody asks what has to be kept
  const needed = all <= room ? all : tokensOfUnits(untouchable(units));
  if (needed > budget.free) {
    const shortest = promptFor(await smallestFree(untouchable(units), scale), fixed);
    throw budgetExceeded(request.llm_config, shortest);
  }
  const fitted = needed <= room ? context : await fitContext(gathered, budget.free - needed, scale.tokens);
  const share = budget.free - fitted.tokens;
  const isWhole = all <= share; // as most histories are
  return { budget, context: fitted, share, units: isWhole ? units : await maskUnits(units, scale) };
}

const uncountedIn = (units: readonly CutUnit[]): number =>
  tokensOfUnits(units.filter(({ isWeighed }) => !isWeighed));

/** A step that can only answer, with nothing before it and nothing to come (rule: single-step-share). */
function isSingleStep({ request, mustAnswer }: Situation): boolean {
  const { conversation_history: history, phase, max_iterations_left: left, llm_config: config } = request;
  const isAlone = left === 1 && !phase && !history.some(({ role }) => role === 'assistant');
  return isAlone && mustAnswer !== undefined && config.contextShare === undefined;
}

/** What the units leave of what is free. */
async function besideUnits(units: readonly Unit[], free: number, scale: Scale): Promise<number> {
  return Math.max(0, free - (await tokensOnceCut(units, free, scale)));
}

async function tokensOnceCut(units: readonly Unit[], free: number, scale: Scale): Promise<number> {
  return tokensOfUnits(await weighUnits(await cutUnits(units, free, scale), scale));
}

/** The least that context and history must have together: what may never be left out, cut as short as may be. */
async function smallestFree(kept: readonly CutUnit[], scale: Scale): Promise<number> {
  const units = kept.map(({ whole }) => whole);
  for (let free = 0; ; ) {
    const needed = await tokensOnceCut(units, free, scale);
    if (needed <= free) return free;
    free = Math.max(needed, Math.ceil(free * SEARCH_STEP));
  }
}
