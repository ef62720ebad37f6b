import { randomUUID } from 'node:crypto';
import type { Request, Response } from 'express';
import type { ErrorCode } from '../../../contract/error-codes.js';
import type { Parse, Step, Usage } from '../../../contract/step.js';
import type { Caller } from '../../operations/access/token-entries.js';
import type { Allowance } from '../../operations/limits/caller-limits.js';
import { type RequestTrace, untraced } from '../../operations/tracing/request-trace.js';
import { Secret } from '../../providers/secret.js';
import type { EventStream } from '../routes/event-stream.js';
import { holdsSecret, readRequestId } from './request-id.js';

/** What is known of a request while it is answered: its failure body and its log line are made from it. */
export interface RequestState {
  /** Holds no key and no token, whatever was sent. */
  id: string;
  /** The id is the caller's. */
  readonly isSentId: boolean;
  readonly startedAt: number;
  trace: RequestTrace;
  /** The path as declared, never as sent: a sent one may hold anything. */
  route: string;
  /** Of the body once it was read. */
  bodyBytes: number;
  outcome?: Outcome;
  /** The limit that the caller had reached. */
  limit?: keyof Allowance;
  usage?: Usage | null;
  /** The name of the configured upstream that is asked. */
  upstream?: string;
  /** Who sent it, where the service asks for tokens. */
  caller?: Caller;
  /** Known once the body was read: bugs are logged without it. */
  key?: Secret | undefined;
  /** Of the accepted request; once it is aborted, its `Interruption` is why the request failed. */
  signal?: AbortSignal;
  /** Present if the answer is a stream. */
  events?: EventStream;
  /** Present once the request was read: what a failure gives back to the caller. */
  echo?: {
    readonly sessionId: string;
    /** Null if the request is no step. */
    readonly iterationsLeft: number | null;
    /** As sent; null if the caller did not want it back. */
    readonly history: readonly unknown[] | null;
  };
}

/** How a request ended, in a word of closed lists: an error code, how the reply was read, or what became of the request. */
export type Outcome =
  | ErrorCode
  | Parse['outcome']
  | Step['status']
  | 'ok'
  | 'caller_left'
  | 'precondition_failed'
  | 'range_not_satisfiable';

/** What is done for every request before it is routed. All of them are one layer of the router: each layer has its price. */
export type Preparation = (request: Request, response: Response) => void;

/** Opens a request. */
export function openRequest(request: Request, response: Response): RequestState {
  const { id, isSentId } = readRequestId(request);
  const state: RequestState = {
    id,
    isSentId,
    startedAt: performance.now(),
    trace: untraced,
    route: 'unknown',
    bodyBytes: 0,
  };
  response.locals['state'] = state;
  response.setHeader('X-Request-Id', state.id);
  const key = request.get('X-LLM-API-Key');
  if (key) state.key = Secret.parse(key);
  return state;
}

/** The state of the request this response answers. */
export function stateOf(response: Response): RequestState {
  const state: RequestState | undefined = response.locals['state'];
  if (!state) throw new Error('The request was never opened.');
  return state;
}

/** Remembers the key, so that nothing logged holds it; an id that does gives way to a new one (rule: key-redaction). */
export function keepKeyOut(response: Response, sentKey: string): void {
  const state = stateOf(response);
  state.key = Secret.parse(sentKey);
  if (!state.isSentId || !holdsSecret(state.id, sentKey)) return;
  state.id = randomUUID();
  response.set('X-Request-Id', state.id);
}
