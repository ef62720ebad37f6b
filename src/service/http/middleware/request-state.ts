import type { Response } from 'express';
import type { Usage } from '../../../contract/step.js';
import type { Secret } from '../../providers/secret.js';
import type { EventStream } from '../routes/event-stream.js';

/** What is known of a request while it is answered: its failure body and its log line are made from it. */
export interface RequestState {
  readonly id: string;
  readonly startedAt: number;
  /** The path as declared, never as sent: a sent one may hold anything. */
  route: string;
  /** An error code, or how the reply was read; the log's word for how it ended. */
  outcome?: string;
  usage?: Usage | null;
  /** Known once a model is connected: whatever is logged is redacted by its value. */
  key?: Secret | undefined;
  /** Of the accepted step; where it is aborted, its `Interruption` is why the step failed, whatever was thrown. */
  signal?: AbortSignal;
  /** Present where the answer is a stream. */
  events?: EventStream;
  /** Present once the request was read: what a failure gives back to the caller. */
  echo?: RequestEcho;
}

/** The caller's own values, as sent. */
export interface RequestEcho {
  readonly sessionId: string;
  /** Null where the request is no step. */
  readonly iterationsLeft: number | null;
  /** Null where the caller did not want it back. */
  readonly history: readonly unknown[] | null;
}

const states = new WeakMap<Response, RequestState>();

export function openRequest(response: Response, id: string): RequestState {
  const state: RequestState = { id, startedAt: performance.now(), route: 'unknown' };
  states.set(response, state);
  return state;
}

/** The state of the request this response answers. */
export function stateOf(response: Response): RequestState {
  const state = states.get(response);
  if (!state) throw new Error('The request was never opened.');
  return state;
}
