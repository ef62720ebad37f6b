import type { ErrorCode } from '../../contract/error-codes.js';
import type { ErrorDetail } from '../../contract/step.js';

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
