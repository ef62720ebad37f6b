import type { ErrorCode } from '../../contract/error-codes.js';
import type { ErrorDetail } from '../../contract/step.js';

/** External causes that interrupt a step. */
export type InterruptionReason = 'deadline' | 'caller_left' | 'shutting_down' | 'slow_upload';

/** The reason with which the signal of a step is aborted. Pending operations reject with it. */
export class Interruption extends Error {
  override readonly name = 'Interruption';
  readonly reason: InterruptionReason;

  constructor(reason: InterruptionReason) {
    super(`The step was interrupted: ${reason}.`);
    this.reason = reason;
  }
}

/** The deadline of a step (rule: one-deadline). The signal's reason is always an `Interruption`. */
export interface StepDeadline {
  readonly signal: AbortSignal;
  /** Milliseconds until the deadline; 0 when it has passed. */
  remainingMs(): number;
  /** Counts bytes of the reply that are in memory. Throws if the process has no memory left for them. */
  countReply?(bytes: number): void;
}

/** Number of tokens of a prompt, and of the longest prompt that would fit. */
export interface PromptSize {
  readonly promptTokens: number;
  readonly maxPromptTokens: number;
}

/**
 * A request that is refused before any model call, because the caller must change it: `invalid_request` or
 * `token_budget_exceeded`.
 */
export class StepRefused extends Error {
  override readonly name = 'StepRefused';
  readonly code: ErrorCode;
  readonly details: readonly ErrorDetail[];

  constructor(code: ErrorCode, details: readonly ErrorDetail[] = []) {
    super(`The step was refused: ${code}.`);
    this.code = code;
    this.details = details;
  }
}

/** A request whose shortest prompt does not fit its token budget. */
export class BudgetExceeded extends StepRefused {
  readonly size: PromptSize;

  constructor(detail: ErrorDetail, size: PromptSize) {
    super('token_budget_exceeded', [detail]);
    this.size = size;
  }
}
