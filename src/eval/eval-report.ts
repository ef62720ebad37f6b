import type { Preview } from '../contract/preview.js';

/** One property of a step that an evaluation compares (rule: compared-fields). */
export type ComparedField = 'outcome' | 'tool' | 'arguments' | 'answer' | 'tokens' | 'leftOut';

/** A call with its parsed arguments. */
interface ReadCall {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** The parsed reply of a model, and the size of its prompt. */
export interface Reading {
  /** Outcome of the parser, such as `action`, `answer` or `malformed_action`. */
  readonly outcome: string;
  readonly calls: readonly ReadCall[];
  readonly thought: string | null;
  /** The answer, or the text of an action that could not be parsed. */
  readonly answer: string | null;
  /** The typed answer of a step with `answer_schema`; otherwise null. */
  readonly value: unknown;
  /** Size of the prompt by the service's own count; null if no prompt was built. */
  readonly promptTokens: number | null;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  /** Items of the context that are cut or missing in the prompt, such as `explicit src/a.ts truncated`. */
  readonly leftOut: readonly string[];
}

/**
 * `accepted`: the step differs only in fields that the baseline accepts. `missing`: no model answered. `skipped`: the
 * step cannot be compared.
 */
export type Verdict = 'same' | 'accepted' | 'different' | 'missing' | 'skipped';

/** The result of one step of one run in one cell. */
export interface StepVerdict {
  readonly run: string;
  /** Position in its run, counted from 1. */
  readonly step: number;
  readonly verdict: Verdict;
  /** Fields that differ from the recorded step, accepted ones included; absent if there are none. */
  readonly differs?: readonly ComparedField[];
  /** Reason why the step is missing or was skipped. */
  readonly reason?: string;
  readonly durationMs: number;
}

/** Tokens and price of all steps of a cell. Null if the provider reports no counts, or no price is given. */
export interface CellUsage {
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly price: number | null;
}

/** One combination of the matrix, with its results. */
export interface CellReport {
  readonly name: string;
  readonly counts: Readonly<Record<Verdict, number>>;
  readonly usage: CellUsage;
  /** True if more steps differ than the tolerance allows. */
  readonly fails: boolean;
  /** One verdict for each step, in the order of runs and steps. */
  readonly steps: readonly StepVerdict[];
}

/** The messages and native tools of a prompt, as they were sent to a model. */
export type PromptText = Pick<Preview, 'system' | 'messages' | 'native_tools'>;

/** The recorded side or the new side of a divergence. */
export interface StepSide {
  /** Null if no prompt was built or recorded. */
  readonly prompt: PromptText | null;
  /** The model's text and its native calls. */
  readonly reply: string;
  readonly reading: Reading;
}

/** The first step of a run that differs in a cell, beyond what the baseline accepts. */
export interface Divergence {
  readonly cell: string;
  readonly run: string;
  readonly task: string;
  readonly step: number;
  readonly differs: readonly ComparedField[];
  readonly recorded: StepSide;
  readonly now: StepSide;
}

/** The result of an evaluation: plain JSON without API keys. */
export interface EvalReport {
  readonly format: 'stepwise-eval';
  readonly version: 1;
  /** Start of the evaluation (ISO 8601). */
  readonly beganAt: string;
  readonly durationMs: number;
  /** True if recorded replies were parsed again and no model was called. */
  readonly parserOnly: boolean;
  /** Number of runs with at least one step to evaluate. */
  readonly runs: number;
  /** Files and runs that were not evaluated. */
  readonly skipped: readonly { readonly file: string; readonly reason: string }[];
  readonly cells: readonly CellReport[];
  readonly divergences: readonly Divergence[];
  /** Number of further divergences, which the report omits because it has a maximum number of them. */
  readonly moreDivergences: number;
  /** `interrupted`: the evaluation was stopped before its end. */
  readonly end: 'complete' | 'interrupted';
}
