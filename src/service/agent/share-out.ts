import type { StepRequest } from '../../contract/step-request.js';
import type { GatheredContext } from '../context/context-item.js';
import { cutLines } from '../context/cut-lines.js';
import { type FittedContext, fitContext } from '../context/fit-context.js';
import type { TokenCounter } from '../tokens/token-counter.js';
import { untouchableTokens, type WeighedUnit } from './fold-history.js';
import { type Budget, budgetExceeded, type FixedCosts, planBudget, promptFor } from './plan-budget.js';
import type { ModelProfile } from './provider.js';
import type { Situation } from './read-situation.js';
import { cutUnit, stub } from './shorten-unit.js';
import { type Scale, tokensOfUnit, weighUnit } from './weigh.js';

/** What a prompt is made from. */
export interface FitInputs {
  readonly request: StepRequest;
  readonly situation: Situation;
  readonly gathered: GatheredContext;
  readonly profile: ModelProfile;
  readonly tokens: TokenCounter;
}

/** Context and history, each with its share of what is free, in tokens. */
export interface Shares {
  readonly budget: Budget;
  readonly context: FittedContext;
  /** S: what the history may take. */
  readonly history: number;
  readonly units: readonly CutUnit[];
}

/** A unit with its long texts cut, weighed, and what it weighed before. */
export interface CutUnit extends WeighedUnit {
  readonly original: number;
}

/** The largest part of the history's share that an observation may take, or an argument, or a thought (SPEC §5). */
const OBSERVATION_SHARE = 0.25;
const SMALLEST_TEXT = 24;

/**
 * Context first, by priority, up to its own limit; the history gets the rest. Context yields only where the
 * tasks and the newest unit would not fit otherwise.
 */
export async function shareOut(inputs: FitInputs, fixed: FixedCosts, scale: Scale): Promise<Shares> {
  const { gathered, tokens, request } = inputs;
  const budget = planBudget(request.llm_config, fixed);
  const context = await fitContext(gathered, budget.context, tokens);
  const history = budget.free - context.tokens;
  const units = await cutAndWeigh(inputs, history * OBSERVATION_SHARE, scale);
  const needed = untouchableTokens(units);
  if (needed <= history) return { budget, context, history, units };
  if (needed > budget.free) {
    const shortest = promptFor(await smallestFree(inputs, scale), fixed);
    throw budgetExceeded(request.llm_config, shortest);
  }
  const yielded = await fitContext(gathered, budget.free - needed, tokens);
  return { budget, context: yielded, history: budget.free - yielded.tokens, units };
}

/** The least that context and history must have together: what may never be left out, cut as short as may be. */
async function smallestFree(inputs: FitInputs, scale: Scale): Promise<number> {
  let free = 0;
  for (;;) {
    const needed = untouchableTokens(await cutAndWeigh(inputs, free * OBSERVATION_SHARE, scale));
    if (needed <= free) return free;
    free = needed;
  }
}

function cutAndWeigh({ situation, tokens }: FitInputs, limit: number, scale: Scale): Promise<CutUnit[]> {
  const cut = async (text: string, texts: number) => {
    const most = Math.max(Math.floor(limit / texts), SMALLEST_TEXT);
    return (await cutLines({ text }, most, tokens))?.text ?? stub(text);
  };
  return Promise.all(
    situation.units.map(async (unit) => {
      const shorter = await cutUnit(unit, cut);
      const weighed = await weighUnit(shorter, scale);
      const original = shorter === unit ? weighed.full : await tokensOfUnit(unit, scale);
      return { ...weighed, original };
    }),
  );
}
