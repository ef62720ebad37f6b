import { randomUUID } from 'node:crypto';
import type { Request, Response } from 'express';
import type { ErrorCode } from '../../../contract/error-codes.js';
import type { Parse, Step, Usage } from '../../../contract/step.js';
import { noUsage, sumUsage } from '../../../conversation/usage.js';
import type { ConnectionProblem } from '../../../network/connection-problem.js';
import type { FailureWriter } from '../../compat/wire.js';
import type { Caller } from '../../operations/access/token-entries.js';
import type { Allowance } from '../../operations/limits/caller-limits.js';
import { type RequestTrace, untraced } from '../../operations/tracing/request-trace.js';
import { Secret } from '../../providers/secret.js';
import type { PromptSize } from '../../step/interruption.js';
import type { Failure } from '../failure/to-failure.js';
import type { MeteredCall } from '../intake/metered-provider.js';
import type { Slot } from '../intake/slot.js';
import { isOfWire } from './paths.js';
import { holdsSecret, readRequestId } from './request-id.js';

/** The state of a request in progress, from which its failure body and its log line are built. */
export interface RequestState {
  /** Id of the request. Never contains a key or a token, even if the caller sent one as the id. */
  id: string;
  readonly isSentId: boolean;
  readonly startedAt: number;
  trace: RequestTrace;
  /** The path of the route as declared, not as sent, because a sent path may contain anything. */
  route: string;
  /** True once the whole response was written to the socket; otherwise the caller left before. */
  isAnswered: boolean;
  outcome?: Outcome;
  /** Why the connection to the provider failed or broke. */
  connectionProblem?: ConnectionProblem | undefined;
  /** Why the context service could not be reached; the step continued without it. */
  contextProblem?: ConnectionProblem | undefined;
  /** The limit that the caller exceeded. */
  limit?: keyof Allowance;
  usage?: Usage;
  /** The model calls of the request, with the tokens that the caller is charged for. */
  readonly modelCalls: MeteredCall[];
  /** Name of the configured upstream that the request goes to. */
  upstream?: string;
  /** Present if the service requires tokens. */
  caller?: Caller;
  /** Present once the body has been read. Redacted in logged bugs. */
  key?: Secret | undefined;
  /** Credentials in the settings of upstreams. Redacted in logged bugs. */
  readonly gatewaySecrets: readonly Secret[];
  /**
   * Present once the request is accepted. If its signal is aborted, the `Interruption` is the reason why the request
   * failed.
   */
  slot?: Slot;
  /** True once the body of a step with `include.extensions: false` has been read (rule: source-fields). */
  declinesExtensions?: boolean;
  /** Present if the response is to be a stream. A failure after its start is sent as its last event. */
  events?: OpenStream;
  /**
   * Writes a failure in the format of a compatible API; present only for paths below `/v1` (rule:
   * compatible-errors).
   */
  writeFailure?: FailureWriter;
  /** Maximum tokens of the prompt; set by compatible endpoints. */
  maxPromptTokens?: number;
  /** Present if a request failed because its prompt is too long. */
  tooLong?: PromptSize | undefined;
  /** The fields that a failure returns to the caller; present once the request has been read. */
  echo?: {
    readonly sessionId: string;
    /** Null if the request is not a step. */
    readonly iterationsLeft: number | null;
    /** The turns as sent; null if the caller did not want them back. */
    readonly history: readonly unknown[] | null;
  };
}

/** A response that is a stream. */
export interface OpenStream {
  readonly started: boolean;
  /**
   * True if a prompt that is too long is reported by an event of the stream, with status 200, instead of an error
   * status.
   */
  readonly reportsTooLong?: boolean;
  /** Sends the last event, which reports a failure. */
  fail(failure: Failure): void;
}

/** The way in which a request ended: an error code, the outcome of the parser, or another fixed value. */
export type Outcome =
  | ErrorCode
  | Parse['outcome']
  | Step['status']
  | 'ok'
  | 'caller_left'
  | 'precondition_failed'
  | 'range_not_satisfiable';

/** A synchronous step of handling that runs before routing, for every request. May throw `RequestRefused`. */
export type Preparation = (request: Request, response: Response) => void;

/** Creates the state of a request, including its id, which contains none of the gateways' secrets. */
export function openRequest(
  request: Request,
  response: Response,
  gatewaySecrets: readonly Secret[],
): RequestState {
  const { id, isSentId } = readRequestId(request, gatewaySecrets);
  const state: RequestState = {
    id,
    isSentId,
    startedAt: performance.now(),
    trace: untraced,
    route: 'unknown',
    gatewaySecrets,
    isAnswered: false,
    modelCalls: [],
  };
  response.locals['state'] = state;
  sendId(response, state.id);
  const key = request.get('X-LLM-API-Key');
  if (key) state.key = Secret.parse(key);
  return state;
}

/** Returns the state of the request to which a response belongs. */
export function stateOf(response: Response): RequestState {
  const state: RequestState | undefined = response.locals['state'];
  if (!state) throw new Error('The request has no state: openRequest was not called.');
  return state;
}

/** Adds the usage of a model call, for the log and the metrics. */
export function recordUsage(state: RequestState, usage: Usage | null): void {
  if (usage) state.usage = sumUsage(state.usage ?? noUsage, usage);
}

/**
 * Stores the model key so that logs can redact it; replaces a request id that contains the key
 * (rule: key-redaction).
 */
export function keepKeyOut(response: Response, sentKey: string): void {
  const state = stateOf(response);
  state.key = Secret.parse(sentKey);
  if (!state.isSentId || !holdsSecret(state.id, sentKey)) return;
  state.id = randomUUID();
  sendId(response, state.id);
}

/** Sets the headers with the id of a request. Anthropic's clients read it from `Request-Id`. */
function sendId(response: Response, id: string): void {
  response.setHeader('X-Request-Id', id);
  if (isOfWire(response.req.path)) response.setHeader('Request-Id', id);
}
