import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Delivery } from './deliver.js';
import type { Ending, RecordedRequest } from './wire/reply.js';

/** A recorded request and the response to it. */
export interface OpenExchange extends Delivery {
  readonly request: RecordedRequest;
}

interface Arrival {
  readonly incoming: IncomingMessage;
  readonly response: ServerResponse;
  readonly rawBody: string;
}

/** Records a request, and how the exchange of request and response ends. */
export function openExchange({ incoming, response, rawBody }: Arrival): OpenExchange {
  const closed = new AbortController();
  let ending: Ending | null = null;
  let endedAt: number | null = null;
  const end = (how: Ending): void => {
    ending ??= how;
    endedAt ??= Date.now();
    closed.abort();
  };
  const ended = new Promise<Ending>((resolve) => {
    closed.signal.addEventListener('abort', () => resolve(ending ?? 'aborted'), { once: true });
  });
  const onClose = (): void => end(response.writableFinished ? 'answered' : 'aborted');
  // If the client left before the body was complete, the response has emitted `close` already.
  if (response.closed) onClose();
  else response.once('close', onClose);
  const request: RecordedRequest = {
    ...describe(incoming, rawBody),
    get ending() {
      return ending;
    },
    get endedAt() {
      return endedAt;
    },
    get aborted() {
      return ending === 'aborted';
    },
    ended,
  };
  return { request, response, signal: closed.signal, hangUp: () => end('cut') };
}

const describe = ({ method = 'GET', url = '/', headers }: IncomingMessage, rawBody: string) => ({
  method,
  path: url.split('?')[0] ?? '/',
  query: Object.fromEntries(new URLSearchParams(url.split('?')[1])),
  headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
  body: parseObject(rawBody),
  rawBody,
  at: Date.now(),
});

function parseObject(json: string): Record<string, unknown> {
  try {
    return Object.fromEntries(Object.entries(JSON.parse(json) ?? {}));
  } catch {
    return {};
  }
}
