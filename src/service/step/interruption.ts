import type { ErrorCode } from '../../contract/error-codes.js';
import type { ErrorDetail } from '../../contract/step.js';

/** The external causes that can end a step early. */
export type InterruptionReason = 'deadline' | 'caller_left' | 'shutting_down';

/** The reason of an aborted step signal. Whatever was waiting throws it. */
export class Interruption extends Error {
  override readonly name = 'Interruption';
  readonly reason: InterruptionReason;

  constructor(reason: InterruptionReason) {
    super(`The step was interrupted: ${reason}.`);
    this.reason = reason;
  }
}

/** The time limit of a step (rule: one-deadline). The signal's reason is always an `Interruption`. */
export interface StepDeadline {
  readonly signal: AbortSignal;
  /** Milliseconds until the deadline; 0 when it has passed. */
  remainingMs(): number;
}

/** A fault of the caller that is found before any model call: `invalid_request` or `token_budget_exceeded`. */
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
