import { Agent } from 'undici';
import { Interruption } from '../../step/interruption.js';
import type { RequestEnd, RequestObserver } from '../request-observer.js';
import { Arrival, type ArrivalWatcher } from './arrival.js';
import { Dialler } from './connections/dialler.js';
import { connectionFailure, FailedAttempt, invalidAnswer } from './failed-attempt.js';
import { readStart, readWhole, UpstreamBody } from './read-upstream-body.js';

/** Bytes of an answer we are willing to read. A stream carries some 250 bytes of framing with every token. */
const mostBytes = { plain: 8 * 2 ** 20, stream: 64 * 2 ** 20, error: 64 * 2 ** 10 };

/** What a body of each kind calls itself. */
const contentTypes = {
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
  readonly observe: RequestObserver | undefined;
}

/** An answer that is no error. */
export interface Answer {
  /** All of a plain answer; undefined if it is a stream. */
  readonly text?: string;
  /** The rest of it, read as it is taken. */
  readonly pieces: AsyncIterable<Uint8Array>;
}

/** One provider request, given to an SDK as its `fetch`. */
export interface Exchange {
  readonly fetch: typeof fetch;
  /** Throws unless `fetch` has resolved with a success. */
  answer(): Answer;
  /** What went wrong in `fetch`, as it was thrown: the SDKs wrap it, or take it for a timeout. */
  failure(): unknown;
  /** Breaks the connection, unless the answer was read to its end. */
  close(): void;
}

/** What an SDK is told of any success: it hands on what it gets, and the answer is read here. */
const succeeded = new Response(null, { status: 200 });

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
    const arrival = new Arrival();
    let answer: Answer | undefined;
    let failure: unknown;
    return {
      answer() {
        if (!answer) throw new Error('No answer was fetched.');
        return answer;
      },
      failure: () => failure,
      close: () => arrival.giveUp(enough),
      fetch: async (url, init) => {
        try {
          const kind = await this.#send(
            arrival,
            { url: url instanceof URL ? url : new URL(String(url)), body: init?.body },
            options,
          );
          if (kind === 'error') return await errorResponse(arrival, options);
          answer = await readAnswer(arrival, kind, options);
          return succeeded;
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

  /** Resolves with what the answer is once it has begun and looks usable. */
  async #send(
    arrival: Arrival,
    { url, body }: { url: URL; body: unknown },
    options: ExchangeOptions,
  ): Promise<BodyKind> {
    const { signal, provider, streamed, headers } = options;
    const { origin } = url;
    signal.throwIfAborted();
    const observed = options.observe?.({ provider, streamed, origin });
    arrival.watch(signal, observed && toldTo(observed, arrival));
    const request = {
      origin,
      path: url.pathname + url.search,
      method: 'POST' as const,
      headers: Object.assign({}, observed?.headers, contentHeaders[streamed ? 'stream' : 'plain'], headers),
      body: body instanceof Uint8Array ? body : String(body),
    };
    this.#dialler.startFor({ origin, signal, whenSettled: arrival.whenSettled }, () =>
      this.#agent.dispatch(request, arrival),
    );
    await arrival.begun().catch((error: unknown) => {
      signal.throwIfAborted();
      throw connectionFailure(error, provider);
    });
    const kind = kindOf(arrival, streamed);
    const problem = problemOf(arrival, kind, provider);
    if (!problem) return kind;
    arrival.giveUp(problem);
    throw problem;
  }
}

/** The reason to give an answer up that has said all. */
const enough = new Error('The rest of the answer is of no use.');

/** A function of its own: what it closes over lives until the exchange ends, and the request must not (rule: lean-waiting). */
const toldTo = (observed: ReturnType<RequestObserver>, arrival: Arrival): ArrivalWatcher => ({
  begun: () => observed.begun?.(),
  ended: (error) => observed.ended(endOf(arrival, error)),
});

/** How an exchange ended, as an observer is told. An answer that we gave up, since it is of no use, has come. */
function endOf({ status }: Arrival, error: unknown): RequestEnd {
  const hasCome = error === undefined || error === enough || error instanceof FailedAttempt;
  return { status: status === 0 ? null : status, failure: hasCome ? null : failureOf(error) };
}

const failureOf = (error: unknown): RequestEnd['failure'] =>
  error instanceof Interruption ? error.reason : connectionFailure(error, '').failure.failure;

const ownHeaders = { 'content-type': 'application/json', 'user-agent': 'stepwise' };
const contentHeaders = {
  plain: { ...ownHeaders, accept: 'application/json' },
  stream: { ...ownHeaders, accept: 'text/event-stream' },
};

async function readAnswer(
  arrival: Arrival,
  kind: 'plain' | 'stream',
  options: ExchangeOptions,
): Promise<Answer> {
  const pieces = new UpstreamBody(arrival, options, mostBytes[kind]);
  return kind === 'stream' ? { pieces } : { text: (await readWhole(pieces)).toString(), pieces };
}

/** For the SDK, which makes its own error of it. */
async function errorResponse(arrival: Arrival, options: ExchangeOptions): Promise<Response> {
  const body = await readStart(new UpstreamBody(arrival, options, mostBytes.error));
  return new Response(body, { status: arrival.status, headers: usefulHeaders(arrival) });
}

type BodyKind = 'plain' | 'stream' | 'error';

/** Some servers answer plainly whatever was asked for: with an error, or with the completion. */
function kindOf({ status, headers }: Arrival, streamed: boolean): BodyKind {
  if (status >= 400) return 'error';
  return streamed && !contentTypes.plain.test(contentType(headers)) ? 'stream' : 'plain';
}

function problemOf(
  { status, headers }: Arrival,
  kind: BodyKind,
  provider: string,
): FailedAttempt | undefined {
  if (kind === 'error') return status > 599 ? invalidAnswer(provider, status) : undefined;
  const usable = status >= 200 && status < 300 && contentTypes[kind].test(contentType(headers));
  const encoded = String(headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity';
  return usable && !encoded ? undefined : invalidAnswer(provider, status);
}

const contentType = (headers: Arrival['headers']): string => String(headers['content-type'] ?? '');

function usefulHeaders({ headers }: Arrival): Record<string, string> {
  const pairs = headersOfUse.flatMap((name) => {
    const value = headers[name];
    return value === undefined ? [] : [[name, String(value)] as const];
  });
  return Object.fromEntries(pairs);
}
