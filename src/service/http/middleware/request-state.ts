import { randomUUID } from 'node:crypto';
import type { Request, Response } from 'express';
import type { ErrorCode } from '../../../contract/error-codes.js';
import type { Parse, Step, Usage } from '../../../contract/step.js';
import type { Caller } from '../../operations/access/token-entries.js';
import type { Allowance } from '../../operations/limits/caller-limits.js';
import { type RequestTrace, untraced } from '../../operations/tracing/request-trace.js';
import { Secret } from '../../providers/secret.js';
import type { ConnectionProblem } from '../../step/provider.js';
import type { EventStream } from '../routes/event-stream.js';
import { holdsSecret, readRequestId } from './request-id.js';

/** The state of a request while it is answered; its failure body and its log line are made from it. */
export interface RequestState {
  /** Never contains a key or a token, whatever was sent. */
  id: string;
  /** Whether the caller sent the id. */
  readonly isSentId: boolean;
  readonly startedAt: number;
  trace: RequestTrace;
  /** The declared path of the route; a path as it was sent may hold anything. */
  route: string;
  /** 0 until the body has been read. */
  bodyBytes: number;
  /** Whether the whole answer was written to the socket; otherwise the caller left before that. */
  isAnswered: boolean;
  outcome?: Outcome;
  /** Why no connection to the provider came about, or why it broke. */
  connectionProblem?: ConnectionProblem | undefined;
  /** The limit that the caller exceeded. */
  limit?: keyof Allowance;
  usage?: Usage | null;
  /** Name of the configured upstream that the request goes to. */
  upstream?: string;
  /** Present if the service asks for tokens. */
  caller?: Caller;
  /** Present once the body has been read; removed from logged bugs. */
  key?: Secret | undefined;
  /** Present once the request is accepted. If it is aborted, its `Interruption` is why the request failed. */
  signal?: AbortSignal;
  /** Present if the answer is a stream. */
  events?: EventStream;
  /** The fields that a failure returns to the caller; present once the request has been read. */
  echo?: {
    readonly sessionId: string;
    /** Null if the request is not a step. */
    readonly iterationsLeft: number | null;
    /** The turns as they were sent; null if the caller did not want them back. */
    readonly history: readonly unknown[] | null;
  };
}

/** How a request ended, as a word of closed lists: an error code, how the reply was parsed, or another end of the request. */
export type Outcome =
  | ErrorCode
  | Parse['outcome']
  | Step['status']
  | 'ok'
  | 'caller_left'
  | 'precondition_failed'
  | 'range_not_satisfiable';

/** A step of the preparation of every request before it is routed. May throw `RequestRefused`. */
export type Preparation = (request: Request, response: Response) => void;

/** Gives a request its id and its state. */
export function openRequest(request: Request, response: Response): RequestState {
  const { id, isSentId } = readRequestId(request);
  const state: RequestState = {
    id,
    isSentId,
    startedAt: performance.now(),
    trace: untraced,
    route: 'unknown',
    bodyBytes: 0,
    isAnswered: false,
  };
  response.locals['state'] = state;
  response.setHeader('X-Request-Id', state.id);
  const key = request.get('X-LLM-API-Key');
  if (key) state.key = Secret.parse(key);
  return state;
}

/** Returns the state of the request that a response answers. */
export function stateOf(response: Response): RequestState {
  const state: RequestState | undefined = response.locals['state'];
  if (!state) throw new Error('The request was never opened.');
  return state;
}

/** Stores the key for log redaction; replaces a request id that contains it (rule: key-redaction). */
export function keepKeyOut(response: Response, sentKey: string): void {
  const state = stateOf(response);
  state.key = Secret.parse(sentKey);
  if (!state.isSentId || !holdsSecret(state.id, sentKey)) return;
  state.id = randomUUID();
  response.set('X-Request-Id', state.id);
}
