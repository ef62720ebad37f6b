import type { ErrorDetail } from '../../../contract/step.js';
import type { LlmConfig } from '../../../contract/step-request.js';
import type { GatheredContext } from '../../context/context-item.js';
import { type FittedContext, fitContext } from '../../context/fitting/fit-context.js';
import { bareTokens, untouchable } from '../history/fold-history.js';
import { type CutUnit, cutUnits, maskUnits, tokensOfUnits } from '../history/unit-forms.js';
import { BudgetExceeded } from '../interruption.js';
import type { Scale } from '../prompt/weigh-messages.js';
import { expectsPlainText, type Situation } from '../types.js';
import type { FixedCosts } from './fixed-costs.js';

/** The token budget of a prompt (rules: prompt-budget, context-share). */
interface Budget {
  /**
   * Tokens reserved for the tail. The reserve is kept even if unused, so that the history's share stays constant
   * (rule: tail-reserve).
   */
  readonly tail: number;
  /** Tokens that context and history share, called F in docs/reference/context-and-budget.md. */
  readonly free: number;
  /** Maximum number of the free tokens that the context may use. */
  readonly context: number;
}

/** Share of the prompt budget that is reserved for the tail. */
const TAIL_SHARE = 0.06;
/** Default share of the free tokens that the context may use. */
const DEFAULT_CONTEXT_SHARE = 0.5;

function planBudget(config: LlmConfig, fixed: FixedCosts, tailShare = TAIL_SHARE): Budget {
  const prompt = config.tokenLimit - config.reservedOutputTokens;
  const tail = Math.max(Math.floor(prompt * tailShare), fixed.minTailTokens);
  const free = Math.max(0, prompt - sumOf(fixed) - tail);
  const context = Math.floor(free * (config.contextShare ?? DEFAULT_CONTEXT_SHARE));
  return { tail, free, context };
}

/**
 * Returns the output limit to send to the provider: the reserved output tokens, unless the request sets a lower
 * limit.
 */
export function outputLimit({ maxOutputTokens, reservedOutputTokens }: LlmConfig): number {
  return Math.min(maxOutputTokens ?? reservedOutputTokens, reservedOutputTokens);
}

/** Returns the smallest prompt budget that leaves `free` tokens for context and history. */
function promptFor(free: number, fixed: FixedCosts): number {
  const sum = sumOf(fixed) + free;
  return Math.max(sum + fixed.minTailTokens, Math.ceil(sum / (1 - TAIL_SHARE)));
}

const sumOf = ({ instructions, example, tools, framing }: FixedCosts): number =>
  instructions + example + tools + framing;

/**
 * Returns the error for a prompt that exceeds its budget even at its shortest. It names the smallest token limit
 * that would suffice.
 */
export function budgetExceeded(config: LlmConfig, shortestPrompt: number): BudgetExceeded {
  const needed = shortestPrompt + config.reservedOutputTokens;
  const detail: ErrorDetail = {
    path: 'llm_config.tokenLimit',
    code: 'needed_tokens',
    message: `${needed} tokens are needed, ${config.reservedOutputTokens} of them reserved for the reply; tokenLimit is ${config.tokenLimit}`,
  };
  return new BudgetExceeded(detail, {
    promptTokens: shortestPrompt,
    maxPromptTokens: config.tokenLimit - config.reservedOutputTokens,
  });
}

interface FittedContextAndHistory {
  readonly budget: Budget;
  readonly context: FittedContext;
  /** Tokens that the history may use, called S in docs/reference/context-and-budget.md. */
  readonly historyTokens: number;
  readonly units: readonly CutUnit[];
}

/**
 * Factor between two candidates in the search for the minimum number of tokens, so the result is at most a tenth
 * too large.
 */
const SEARCH_FACTOR = 1.1;

/**
 * Fits the context first, by priority, up to its own limit; the history gets the rest. The context gets less only
 * if the tasks and the newest unit of the history would otherwise not fit (rule: context-yields).
 */
export async function fitContextAndHistory(
  situation: Situation,
  gathered: GatheredContext,
  { fixed, scale }: { fixed: FixedCosts; scale: Scale },
): Promise<FittedContextAndHistory> {
  if (expectsPlainText(situation)) return fitWhole(situation, gathered, { fixed, scale });
  const { request, units: whole } = situation;
  const budget = planBudget(request.llm_config, fixed);
  const limit = isSingleStep(situation)
    ? budget.free - tokensToKeep(await cutUnits(whole, budget.free, scale), budget.free)
    : budget.context;
  const preferred = await fitContext(gathered, limit, scale.tokens);
  const room = budget.free - preferred.tokens;
  const units = await cutUnits(whole, room, scale);
  const kept = untouchable(units);
  const minimum = sumOfBare(kept);
  if (minimum > budget.free) {
    const shortest = promptFor(await smallestFree(kept, scale), fixed);
    throw budgetExceeded(request.llm_config, shortest);
  }
  const newest = kept.flatMap(({ attachments }) => attachments).at(-1) ?? 0;
  const needed = minimum + newest <= budget.free ? minimum + newest : minimum;
  const context = needed <= room ? preferred : await fitContext(gathered, budget.free - needed, scale.tokens);
  const historyTokens = budget.free - context.tokens;
  const isWhole = tokensOfUnits(units) <= historyTokens; // the usual case, which needs no masked forms
  return { budget, context, historyTokens, units: isWhole ? units : await maskUnits(units, scale) };
}

/** Includes the whole history uncut, as a client that expects a plain-text answer wants it (rule: client-terms). */
async function fitWhole(
  { request, units: whole }: Situation,
  gathered: GatheredContext,
  { fixed, scale }: { fixed: FixedCosts; scale: Scale },
): Promise<FittedContextAndHistory> {
  const budget = planBudget(request.llm_config, fixed, 0);
  const units = await cutUnits(whole, Number.POSITIVE_INFINITY, scale);
  const needed = tokensOfUnits(units);
  if (needed > budget.free) throw budgetExceeded(request.llm_config, sumOf(fixed) + budget.tail + needed);
  const context = await fitContext(gathered, 0, scale.tokens);
  return { budget, context, historyTokens: budget.free, units };
}

/**
 * Returns whether the step has no earlier steps and must answer, so that no later step follows
 * (rule: single-step-share).
 */
function isSingleStep({ request, mustAnswer }: Situation): boolean {
  const { conversation_history: history, phase, max_iterations_left: left, llm_config: config } = request;
  const isAlone = left === 1 && !phase && !history.some(({ role }) => role === 'assistant');
  return isAlone && mustAnswer !== undefined && config.contextShare === undefined;
}

const sumOfBare = (units: readonly CutUnit[]): number =>
  units.reduce((sum, unit) => sum + bareTokens(unit), 0);

/**
 * Returns the number of tokens that the units need, including as many of their newest attachments as fit; at most
 * `free`.
 */
function tokensToKeep(units: readonly CutUnit[], free: number): number {
  let tokens = sumOfBare(units);
  for (const each of units.flatMap(({ attachments }) => attachments).toReversed()) {
    if (tokens + each > free) break;
    tokens += each;
  }
  return Math.min(tokens, free);
}

/**
 * Returns the minimum number of tokens that context and history need together: those of the units that are never
 * dropped, each with its texts cut as short as possible.
 */
async function smallestFree(kept: readonly CutUnit[], scale: Scale): Promise<number> {
  const units = kept.map(({ whole }) => whole);
  for (let free = 0; ; ) {
    const needed = sumOfBare(await cutUnits(units, free, scale));
    if (needed <= free) return free;
    free = Math.max(needed, Math.ceil(free * SEARCH_FACTOR));
  }
}
