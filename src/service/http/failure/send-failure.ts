import type { Request, Response } from 'express';
import { errorCodes } from '../../../contract/error-codes.js';
import type { Turn } from '../../../contract/history.js';
import type { SourceStep } from '../../../contract/source-step.js';
import type { ErrorResponse, StepError } from '../../../contract/step.js';
import { blankStep } from '../../../conversation/blank-step.js';
import { type RequestState, stateOf } from '../middleware/request-state.js';
import { toSourceStep } from '../routes/to-step.js';
import type { Failure } from './to-failure.js';
import { wireFailure } from './wire-failure.js';

/** Sends a failure so that even a caller who is still uploading can read it. */
export function sendFailure(request: Request, response: Response, error: Failure): void {
  const state = stateOf(response);
  const { status, body } = state.writeFailure
    ? state.writeFailure(wireFailure(error, state))
    : { status: errorCodes[error.code].status, body: failureBody(error, state) };
  response.status(status);
  // The vendors' SDKs retry if this header says so, whatever the status.
  if (state.writeFailure) response.setHeader('X-Should-Retry', String(error.retryable));
  if (error.retry_after_ms !== null) {
    response.setHeader('Retry-After', String(Math.ceil(error.retry_after_ms / 1_000)));
  }
  if (isUploading(request)) answerUpload(request, response, JSON.stringify(body));
  else response.json(body);
}

/** Builds the failure body, with or without our extensions, as the caller asked (rule: source-fields). */
export function failureBody(error: Failure, state: RequestState): ErrorResponse | SourceStep {
  const body = errorResponse(error, state);
  return state.declinesExtensions ? toSourceStep(body) : body;
}

/**
 * Builds the complete failure body. Fields that the service has not read are null
 * (rules: one-failure-body, null-never-empty).
 */
export function errorResponse(
  error: StepError,
  { id, echo }: Pick<RequestState, 'id' | 'echo'>,
): ErrorResponse {
  return {
    session_id: echo?.sessionId ?? null,
    status: 'error',
    iterations_remaining: echo?.iterationsLeft ?? null,
    ...blankStep,
    // Cast: the raw turns have passed the schema, which keeps unknown fields.
    updated_conversation_history: (echo?.history ?? null) as Turn[] | null,
    provider: error.provider,
    error,
    request_id: id,
  };
}

function isUploading({ headers, complete }: Request): boolean {
  return (
    !complete && (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0)
  );
}

/** Maximum time for reading and discarding the rest of a rejected upload. */
const MAX_LINGER_MS = 2_000;

/**
 * Writes the whole response at once, then reads and discards the rest of the upload for a while. A socket that is
 * closed with unread bytes is reset, and the caller would lose the response.
 */
function answerUpload(request: Request, response: Response, body: string): void {
  const state = stateOf(response);
  response
    .type('json')
    .set({ 'Content-Length': String(Buffer.byteLength(body)), Connection: 'close' })
    // A caller who has read the response may close the connection early.
    .write(body, (error) => {
      state.isAnswered = !error;
    });
  const end = (): void => {
    clearTimeout(timer);
    response.end();
  };
  const timer = setTimeout(end, MAX_LINGER_MS);
  request.once('end', end).once('close', end).resume();
}
