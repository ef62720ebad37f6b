import type { ErrorCode } from '../../../contract/error-codes.js';
import type { ErrorDetail } from '../../../contract/step.js';

/** The service does not take the request: it is malformed, too large, too slow, or comes at a bad time. */
export class RequestRefused extends Error {
  override readonly name = 'RequestRefused';
  readonly code: ErrorCode;
  readonly details: readonly ErrorDetail[];

  constructor(code: ErrorCode, details: readonly ErrorDetail[] = []) {
    super(`The request was refused: ${code}.`);
    this.code = code;
    this.details = details;
  }
}
