import { isObject } from '../../conversation/is-object.js';
import type { Run } from '../run/run.js';
import type { RunEvent } from '../run/run-events.js';
import { summarizeRun } from '../run/run-result.js';
import { EventReader } from './read-events.js';

/**
 * Interval of the comments that are sent between events, so that proxies do not close a silent connection (rule:
 * heartbeat).
 */
const HEARTBEAT_MS = 15_000;

/**
 * Returns a response that forwards the events of a run to a browser as server-sent events (rule: run-to-browser), for
 * any server that answers with a `Response`. The run waits for a slow reader, and stops if the browser disconnects or
 * an event cannot be written as JSON. The events contain all arguments and results of tools, but no API key.
 */
export function toResponse(run: Run, init: ResponseInit = {}): Response {
  const headers = new Headers(init.headers);
  headers.set('content-type', 'text/event-stream; charset=utf-8');
  headers.set('cache-control', 'no-store');
  headers.set('x-accel-buffering', 'no');
  return new Response(streamEvents(run), { ...init, headers });
}

function streamEvents(run: Run): ReadableStream<Uint8Array> {
  const events = run[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  let heartbeat: ReturnType<typeof setInterval> | undefined;
  const stop = async () => {
    clearInterval(heartbeat);
    await events.return();
  };
  return new ReadableStream({
    start: (stream) => {
      heartbeat = setInterval(() => stream.enqueue(encoder.encode(':\n\n')), HEARTBEAT_MS);
    },
    pull: async (stream) => {
      try {
        const { value, done } = await events.next();
        if (value) stream.enqueue(encoder.encode(`data: ${JSON.stringify(value)}\n\n`));
        if (!done) return;
        clearInterval(heartbeat);
        stream.close();
      } catch (error) {
        await stop();
        throw error;
      }
    },
    cancel: stop,
  });
}

/**
 * Yields the events of a run that a server forwards with `toResponse`, for example to pass them to `reduceRun`. Throws
 * an error for any status but 200, and if the connection breaks before the last event.
 */
export async function* readRunEvents(response: Response): AsyncGenerator<RunEvent> {
  if (!response.ok || !response.body) throw new Error(`The server answered with status ${response.status}.`);
  const reader = new EventReader(response.body);
  for await (const data of reader.events()) {
    const event = readEvent(data);
    const isLast = event.type === 'agent_completion' || event.type === 'agent_stopped';
    if (isLast) await reader.end();
    yield event;
    if (isLast) return;
  }
  throw new Error('The connection ended before the last event of the run.');
}

/** Reads an event of the caller's own server, whose `toResponse` wrote it. JSON has no functions, so `summary` is added again. */
function readEvent(data: string): RunEvent {
  const value: unknown = JSON.parse(data);
  if (!isObject(value) || typeof value['type'] !== 'string') throw new Error('This is no event of a run.');
  const event = value as unknown as RunEvent; // written by the same version of this package
  if (event.type !== 'agent_completion' && event.type !== 'agent_stopped') return event;
  const { result } = event;
  return { ...event, result: { ...result, summary: () => summarizeRun(result) } };
}
