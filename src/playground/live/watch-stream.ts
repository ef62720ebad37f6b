import type { WatchEvent } from '../../contract/watch.js';
import { isNumber, isText, oneOf, optional, shapeOf } from '../../sdk/base/shape.js';
import { isErrorResponse, isRecordedStep } from '../../sdk/base/wire-shapes.js';
import { EventReader } from '../../sdk/client/read-events.js';
import type { StepError } from '../../sdk/index.js';

const PATH = '/api/agent/watch';

/**
 * Error for a watch stream that the service refuses. Connecting again helps only after a change, such as another
 * token.
 */
export class WatchRefused extends Error {
  override readonly name = 'WatchRefused';
  readonly status: number;
  /** The error that the service reported; null if another server answered. */
  readonly error: StepError | null;

  constructor(status: number, error: StepError | null) {
    super(error?.message ?? 'The answer is not the service’s.');
    this.status = status;
    this.error = error;
  }
}

export interface WatchOptions {
  /** Address of the service without a slash at the end. */
  readonly origin: string;
  /** Token of the service; empty for none. */
  readonly token: string;
  readonly signal: AbortSignal;
}

/** An event, and the length of its JSON in characters. */
export interface Watched {
  readonly event: WatchEvent;
  readonly size: number;
}

/**
 * Yields the events of the watch stream until it ends. Skips events that this page does not know. Throws
 * `WatchRefused` if the response is not a stream, and the error of `fetch` if the connection fails.
 */
export async function* watchEvents({ origin, token, signal }: WatchOptions): AsyncGenerator<Watched> {
  const authorization = /^[\x21-\x7e]+$/.test(token) ? { authorization: `Bearer ${token}` } : {};
  const headers = { accept: 'text/event-stream', ...authorization };
  const response = await fetch(origin + PATH, { headers, signal, redirect: 'error' });
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
  if (!response.ok || !isStream || !response.body) {
    throw new WatchRefused(response.status, await errorOf(response));
  }
  for await (const data of new EventReader(response.body).events()) {
    const event: unknown = parse(data);
    if (isWatchEvent(event)) yield { event, size: data.length };
  }
}

async function errorOf(response: Response): Promise<StepError | null> {
  const body = parse(await response.text());
  return isErrorResponse(body) ? body.error : null;
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

const ofStep = {
  id: isText,
  session_id: optional(isText),
  endpoint: oneOf('react_step', 'chat', 'messages', 'responses'),
};

type Shape<Type> = Extract<WatchEvent, { type: Type }>;

const shapes = [
  shapeOf<Shape<'watch.started'>>({
    type: oneOf('watch.started'),
    kept: isNumber,
    limit_steps: isNumber,
    limit_bytes: isNumber,
  }),
  shapeOf<Shape<'step.began'>>({ ...ofStep, type: oneOf('step.began'), model: isText, began_at: isText }),
  shapeOf<Shape<'step.watched'>>({ ...ofStep, type: oneOf('step.watched'), step: isRecordedStep }),
  shapeOf<Shape<'step.failed'>>({
    ...ofStep,
    type: oneOf('step.failed'),
    code: isText,
    message: isText,
    duration_ms: isNumber,
  }),
];

const isWatchEvent = (value: unknown): value is WatchEvent => shapes.some((hasShape) => hasShape(value));
