import type { Unit } from '../../../conversation/units.js';
import type { GatheredContext } from '../../context/context-item.js';
import { cutLines } from '../../context/fitting/cut-lines.js';
import { type FittedContext, fitContext } from '../../context/fitting/fit-context.js';
import { untouchable, type WeighedUnit } from '../history/fold-history.js';
import { cutUnit, maskUnit, stub } from '../history/shorten-unit.js';
import { renderAndWeigh, type Scale } from '../history/weigh-unit.js';
import type { Message } from '../provider.js';
import type { Situation } from '../read-situation.js';
import { type Budget, budgetExceeded, type FixedCosts, planBudget, promptFor } from './plan-budget.js';

/** Context and history, each within its share of what is free, in tokens. */
export interface FittedContextAndHistory {
  readonly budget: Budget;
  readonly context: FittedContext;
  /** S: what the history may take. */
  readonly share: number;
  readonly units: readonly CutUnit[];
}

/** A unit with its long texts cut, rendered and weighed, and what it weighed before. */
export interface CutUnit extends WeighedUnit {
  /** Before its long texts were cut, and its tokens. */
  readonly whole: Unit;
  readonly original: number;
  readonly messages: readonly Message[];
  /** As a stub; absent if the history fits as it is. */
  readonly maskedMessages?: readonly Message[];
}

/** The largest part of the history's share that an observation may take, or an argument, or a thought (rule: text-share). */
const OBSERVATION_SHARE = 0.25;
const SMALLEST_TEXT = 24;

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
  const most = isSingleStep(situation) ? await besideUnits(whole, budget.free, scale) : budget.context;
  const context = await fitContext(gathered, most, scale.tokens);
  const units = await cutAndWeigh(whole, budget.free - context.tokens, scale);
  const needed = tokensOfUnits(untouchable(units));
  if (needed > budget.free) {
    const shortest = promptFor(await smallestFree(untouchable(units), scale), fixed);
    throw budgetExceeded(request.llm_config, shortest);
  }
  const hasRoom = needed <= budget.free - context.tokens;
  const fitted = hasRoom ? context : await fitContext(gathered, budget.free - needed, scale.tokens);
  const share = budget.free - fitted.tokens;
  return { budget, context: fitted, share, units: await maskWhereNeeded(units, share, scale) };
}

/** A step that can only answer, with nothing before it and nothing to come (rule: single-step-share). */
function isSingleStep({ request, mustAnswer }: Situation): boolean {
  const { conversation_history: history, phase, max_iterations_left: left, llm_config: config } = request;
  const isAlone = left === 1 && !phase && !history.some(({ role }) => role === 'assistant');
  return isAlone && mustAnswer !== undefined && config.contextShare === undefined;
}

/** What the units leave of what is free. */
async function besideUnits(units: readonly Unit[], free: number, scale: Scale): Promise<number> {
  return Math.max(0, free - tokensOfUnits(await cutAndWeigh(units, free, scale)));
}

/** The least that context and history must have together: what may never be left out, cut as short as may be. */
async function smallestFree(kept: readonly CutUnit[], scale: Scale): Promise<number> {
  const units = kept.map(({ whole }) => whole);
  for (let free = 0; ; ) {
    const needed = tokensOfUnits(await cutAndWeigh(units, free, scale));
    if (needed <= free) return free;
    free = Math.max(needed, Math.ceil(free * SEARCH_STEP));
  }
}

/** One after another: all at once, a long history would hold the event loop. */
async function cutAndWeigh(units: readonly Unit[], share: number, scale: Scale): Promise<CutUnit[]> {
  const limit = share * OBSERVATION_SHARE;
  const cut = async (text: string, texts: number) => {
    const most = Math.max(Math.floor(limit / texts), SMALLEST_TEXT);
    return (await cutLines({ text }, most, scale.tokens))?.text ?? stub(text);
  };
  const weighed: CutUnit[] = [];
  for (const whole of units) {
    const unit = await cutUnit(whole, cut);
    const { messages, tokens: full } = await renderAndWeigh(unit, scale);
    const original = unit === whole ? full : (await renderAndWeigh(whole, scale)).tokens;
    weighed.push({ unit, whole, messages, full, masked: full, original });
  }
  return weighed;
}

/** Stubs are weighed only for a history that is going to be cut: most are not. */
async function maskWhereNeeded(
  units: readonly CutUnit[],
  share: number,
  scale: Scale,
): Promise<readonly CutUnit[]> {
  if (tokensOfUnits(units) <= share) return units;
  const masked: CutUnit[] = [];
  for (const each of units) {
    const { messages: maskedMessages, tokens } = await renderAndWeigh(maskUnit(each.unit), scale);
    masked.push({ ...each, masked: tokens, maskedMessages });
  }
  return masked;
}

export function tokensOfUnits(units: readonly WeighedUnit[]): number {
  return units.reduce((sum, { full }) => sum + full, 0);
}
