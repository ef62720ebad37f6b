import type { ErrorCode } from '../../contract/error-codes.js';
import type { ErrorDetail } from '../../contract/step.js';

/** Why a step ended from outside before it was done. */
export type InterruptionReason = 'deadline' | 'caller_left' | 'shutting_down';

/** The reason of an aborted step signal; thrown by whatever was waiting. */
export class Interruption extends Error {
  override readonly name = 'Interruption';
  readonly reason: InterruptionReason;

  constructor(reason: InterruptionReason) {
    super(`The step was interrupted: ${reason}.`);
    this.reason = reason;
  }
}

/** How long a step may go on (rule: one-deadline). The signal's reason is always an `Interruption`. */
export interface StepDeadline {
  readonly signal: AbortSignal;
  /** Milliseconds until the deadline; 0 when it has passed. */
  remainingMs(): number;
}

/** The caller's fault, found before any model call: `invalid_request`, `token_budget_exceeded`. */
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
