import { Agent, type Dispatcher } from 'undici';
import { untilAborted } from '../../event-loop/until-aborted.js';
import { Dialler } from './dialler.js';
import type { FailedAttempt } from './failed-attempt.js';
import { connectionFailure, invalidAnswer } from './failed-attempt.js';
import { readStart, readWhole, relay } from './read-upstream-body.js';

/** Bytes of an answer we are willing to read. A stream carries some 250 bytes of framing with every token. */
const mostBytes = { plain: 8 * 2 ** 20, stream: 64 * 2 ** 20, error: 64 * 2 ** 10 };

/** What a body of each kind calls itself. */
export const contentTypes = {
  plain: /^application\/(?:[\w.-]+\+)?json\b/i,
  stream: /^text\/event-stream\b/i,
};

/** The answer's headers that mean something to us; the others, cookies and echoed keys included, end here. */
const headersOfUse = ['content-type', 'retry-after', 'retry-after-ms', 'x-should-retry'];

export interface ExchangeOptions {
  readonly provider: string;
  readonly streamed: boolean;
  /** All the headers there are but `accept`, `content-type` and `user-agent`. What an SDK adds is not sent. */
  readonly headers: Readonly<Record<string, string>>;
  /** Its reason is thrown when it fires, in whatever phase. */
  readonly signal: AbortSignal;
}

/** One provider request, given to an SDK as its `fetch`. */
export interface Exchange {
  readonly fetch: typeof fetch;
  /** What went wrong in `fetch`, as it was thrown: the SDKs wrap it, or take it for a timeout. */
  failure(): unknown;
  /** Breaks the connection, unless the answer was read to its end. */
  close(): void;
}

/**
 * The one way to all providers: a pool of connections that are kept for a minute (steps are seconds apart), no
 * redirect followed, answers capped and checked. The signal given to an exchange covers connecting, headers and body.
 */
export class Transport {
  readonly #dialler = new Dialler();
  readonly #agent = new Agent({
    keepAliveTimeout: 60_000,
    connect: this.#dialler.connect,
    // Both waits are the deadline's.
    headersTimeout: 0,
    bodyTimeout: 0,
  });

  exchange(options: ExchangeOptions): Exchange {
    let failure: unknown;
    let body: Dispatcher.ResponseData['body'] | undefined;
    return {
      failure: () => failure,
      close: () => body?.destroy(),
      fetch: async (url, init) => {
        try {
          const answer = await this.#send(new URL(String(url)), init?.body, options);
          body = answer.body;
          return await toResponse(answer, options);
        } catch (error) {
          failure = error;
          throw error;
        }
      },
    };
  }

  /** Breaks whatever is still open. */
  close(): Promise<void> {
    return this.#agent.destroy();
  }

  async #send(url: URL, body: unknown, options: ExchangeOptions): Promise<Dispatcher.ResponseData> {
    const { signal } = options;
    signal.throwIfAborted();
    const sent = this.#dialler.startFor(signal, () =>
      this.#agent.request({
        origin: url.origin,
        path: url.pathname + url.search,
        method: 'POST',
        headers: { ...options.headers, ...contentHeaders(options) },
        body: String(body),
        signal,
      }),
    );
    // undici does not look at the signal before it is connected.
    return untilAborted(sent, signal).catch((error: unknown) => {
      signal.throwIfAborted();
      throw connectionFailure(error, options.provider);
    });
  }
}

const contentHeaders = ({ streamed }: ExchangeOptions) => ({
  accept: streamed ? 'text/event-stream' : 'application/json',
  'content-type': 'application/json',
  'user-agent': 'stepwise',
});

/** A `Response` for the SDK: error bodies and plain answers are read already, a stream is read as it is consumed. */
async function toResponse(answer: Dispatcher.ResponseData, options: ExchangeOptions): Promise<Response> {
  const { statusCode: status, body } = answer;
  const kind = kindOf(answer, options);
  // A body that is destroyed emits an error, which nobody else listens to.
  body.on('error', () => {});
  const problem = problemOf(answer, kind, options.provider);
  if (problem) {
    body.destroy();
    throw problem;
  }
  const reading = { ...options, status, most: mostBytes[kind] };
  const headers = usefulHeaders(answer);
  if (kind === 'stream') return new Response(ReadableStream.from(relay(body, reading)), { status, headers });
  const read = kind === 'error' ? readStart : readWhole;
  return new Response(await read(body, reading), { status, headers });
}

type BodyKind = 'plain' | 'stream' | 'error';

/** Some servers answer plainly whatever was asked for: with an error, or with the completion. */
function kindOf({ statusCode, headers }: Dispatcher.ResponseData, { streamed }: ExchangeOptions): BodyKind {
  if (statusCode >= 400) return 'error';
  const isPlain = contentTypes.plain.test(String(headers['content-type'] ?? ''));
  return streamed && !isPlain ? 'stream' : 'plain';
}

function problemOf(
  { statusCode, headers }: Dispatcher.ResponseData,
  kind: BodyKind,
  provider: string,
): FailedAttempt | undefined {
  if (kind === 'error') return statusCode > 599 ? invalidAnswer(provider, statusCode) : undefined;
  const usable = statusCode < 300 && contentTypes[kind].test(String(headers['content-type'] ?? ''));
  const encoded = String(headers['content-encoding'] ?? 'identity') !== 'identity';
  return usable && !encoded ? undefined : invalidAnswer(provider, statusCode);
}

function usefulHeaders({ headers }: Dispatcher.ResponseData): Record<string, string> {
  const pairs = headersOfUse.flatMap((name) => {
    const value = headers[name];
    return value === undefined ? [] : [[name, String(value)] as const];
  });
  return Object.fromEntries(pairs);
}
