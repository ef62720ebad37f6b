import type { ErrorDetail } from '../../../contract/step.js';
import type { LlmConfig } from '../../../contract/step-request.js';
import { StepRefused } from '../interruption.js';

/** Who may take how many tokens of the prompt (rule: prompt-budget). */
export interface Budget {
  /** B: what the prompt may take in all. */
  readonly prompt: number;
  /** Held for the tail, even if unused, so that the history's share never wavers. */
  readonly tail: number;
  /** F: what context and history share. */
  readonly free: number;
  /** The most that context may take of F. */
  readonly context: number;
}

/** What is spent before anything can be chosen, in tokens. */
export interface FixedCosts {
  readonly instructions: number;
  readonly tools: number;
  readonly framing: number;
  /** The longest tail that a step may not do without. */
  readonly smallestTail: number;
}

const TAIL_SHARE = 0.06;
const DEFAULT_CONTEXT_SHARE = 0.5;

export function planBudget(config: LlmConfig, fixed: FixedCosts): Budget {
  const prompt = config.tokenLimit - config.reservedOutputTokens;
  const tail = Math.max(Math.floor(prompt * TAIL_SHARE), fixed.smallestTail);
  const free = Math.max(0, prompt - fixed.instructions - fixed.tools - fixed.framing - tail);
  const context = Math.floor(free * (config.contextShare ?? DEFAULT_CONTEXT_SHARE));
  return { prompt, tail, free, context };
}

/** The provider's output limit: at most, and by default, the reserve. */
export function outputLimit({ maxOutputTokens, reservedOutputTokens }: LlmConfig): number {
  return Math.min(maxOutputTokens ?? reservedOutputTokens, reservedOutputTokens);
}

/** The smallest prompt budget that leaves `free` tokens for context and history. */
export function promptFor(free: number, { instructions, tools, framing, smallestTail }: FixedCosts): number {
  const fixed = instructions + tools + framing;
  const withSmallestTail = fixed + free + smallestTail;
  const withTailShare = Math.ceil((fixed + free) / (1 - TAIL_SHARE));
  return Math.max(withSmallestTail, withTailShare);
}

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
