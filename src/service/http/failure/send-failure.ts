import type { Request, Response } from 'express';
import { type ErrorCode, errorCodes } from '../../../contract/error-codes.js';
import type { StepError } from '../../../contract/step.js';
import { stateOf } from '../middleware/request-state.js';
import { errorResponse } from './error-response.js';

/** Answers with a failure, in such a way that a caller who is still uploading can read it. */
export function sendFailure(request: Request, response: Response, error: StepError): void {
  const state = stateOf(response);
  const body = JSON.stringify(errorResponse(error, state));
  response
    .status(statusOf(error))
    .type('json')
    .set('Content-Length', String(Buffer.byteLength(body)));
  if (error.retry_after_ms !== null) {
    response.set('Retry-After', String(Math.ceil(error.retry_after_ms / 1_000)));
  }
  // A connection that stays open would bring the next request here as well.
  if (error.code === 'shutting_down') response.set('Connection', 'close');
  if (isUploading(request)) answerBeforeTheEnd(request, response, body);
  else response.end(body);
}

/** Failures name their code by a row of the table; the contract's type is the open string of answers. */
const statusOf = (error: StepError): number => errorCodes[error.code as ErrorCode].status;

function isUploading({ headers, complete }: Request): boolean {
  return (
    !complete && (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0)
  );
}

const lingerMs = 2_000;

/**
 * Writes the whole answer at once, then reads and drops the rest of the upload for a while: a socket closed
 * with unread bytes is reset, and the caller would lose the answer.
 */
function answerBeforeTheEnd(request: Request, response: Response, body: string): void {
  response.set('Connection', 'close').write(body);
  const end = (): void => {
    clearTimeout(timer);
    response.end();
  };
  const timer = setTimeout(end, lingerMs);
  request.once('end', end).once('close', end).resume();
}
