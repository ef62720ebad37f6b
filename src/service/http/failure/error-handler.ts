import type { ErrorRequestHandler, Request, Response } from 'express';
import type { Logger } from 'pino';
import { isObject } from '../../../contract/fields.js';
import { ProviderError } from '../../step/provider.js';
import { type Outcome, type RequestState, stateOf } from '../middleware/request-state.js';
import { sendFailure } from './send-failure.js';
import { isBug, RequestRefused, toFailure } from './to-failure.js';
import { tooLongOf } from './wire-failure.js';

/**
 * Sends the failure response for any thrown value (rule: one-failure-body). If the error is unknown, the response has
 * the code `internal_error` and nothing of the error.
 */
export function errorHandler(log: Logger): ErrorRequestHandler {
  return (error: unknown, request: Request, response: Response, _next) => {
    const state = stateOf(response);
    const unmet = unmetOf(error);
    if (unmet) return answerUnmet(response, unmet);
    const thrown = refusalOfExpress(error) ?? error;
    const failure = toFailure(interruptionOf(state) ?? thrown);
    state.outcome = failure.code;
    state.tooLong = tooLongOf(thrown, state);
    if (thrown instanceof ProviderError) state.connectionProblem = thrown.connection?.problem;
    logBug(log, thrown, state);
    if (response.destroyed) return;
    const { events } = state;
    if (events?.started || (state.tooLong && events?.reportsTooLong)) events.fail(failure);
    else if (response.headersSent) response.destroy();
    else sendFailure(request, response, failure);
  };
}

/** Returns why the request was interrupted; undefined if it was not. */
const interruptionOf = ({ slot }: RequestState): unknown =>
  slot?.signal.aborted ? slot.signal.reason : undefined;

/** Logs a thrown value if it is a bug. */
export function logBug(log: Logger, thrown: unknown, { id, key, gatewaySecrets }: RequestState): void {
  if (!isBug(thrown)) return;
  const secrets = [...(key ? [key] : []), ...gatewaySecrets];
  const bug = secrets.reduce((text, secret) => secret.redact(text), JSON.stringify(describeBug(thrown)));
  log.error({ request_id: id, bug: JSON.parse(bug) }, 'bug: unexpected error in the service');
}

/**
 * Responses to conditional requests for files, sent if the condition is not met, by the error names of Express's
 * `sendFile`.
 */
const unmetConditions: ReadonlyMap<string, { status: number; outcome: Outcome }> = new Map([
  ['PreconditionFailedError', { status: 412, outcome: 'precondition_failed' }],
  ['RangeNotSatisfiableError', { status: 416, outcome: 'range_not_satisfiable' }],
]);

/**
 * Returns the response that HTTP prescribes for a condition that is not met. It has no body, but a header with the
 * valid range.
 */
function unmetOf(thrown: unknown) {
  const unmet = thrown instanceof Error ? unmetConditions.get(thrown.name) : undefined;
  const headers: unknown = unmet && Reflect.get(Object(thrown), 'headers');
  return unmet && { ...unmet, headers: isObject(headers) ? headers : {} };
}

function answerUnmet(
  response: Response,
  { status, outcome, headers }: NonNullable<ReturnType<typeof unmetOf>>,
): void {
  stateOf(response).outcome = outcome;
  response.removeHeader('Cache-Control');
  response.status(status).set(headers).end();
}

/** Maps a `URIError`, which Express throws for paths that it cannot decode (`/%E0%A4%A`). */
function refusalOfExpress(thrown: unknown): RequestRefused | undefined {
  return thrown instanceof URIError ? new RequestRefused('not_found') : undefined;
}

/**
 * Describes a bug by its error name and the code locations of its stack, never by its message: messages quote values
 * (`JSON.parse` its input, `fetch` the rejected header), and a value may be the caller's key.
 */
export function describeBug(thrown: unknown): { name: string; at: string[] } {
  if (!(thrown instanceof Error)) return { name: typeof thrown, at: [] };
  const frames = thrown.stack?.split('\n').filter((line) => /^\s+at /.test(line)) ?? [];
  return { name: thrown.name, at: frames.slice(0, 8).map((line) => line.trim()) };
}
