import { Client, type Dispatcher } from 'undici';
import { trusting } from '../../../network/proxies/authorities.js';
import type { ProxyFor } from '../../../network/proxies/proxies.js';
import { tunnelVia } from '../../../network/proxies/tunnel.js';
import { ReceivedBytes } from '../../../network/received-bytes.js';
import { Interruption } from '../../step/interruption.js';
import type { ObservedRequest, RequestEnd, RequestObserver } from '../request-observer.js';
import { FailedAttempt, invalidAnswer } from './attempts.js';
import { connectionFailure } from './classify-failure.js';

const connecting = { timeout: 10_000 };

const clientOptions: Client.Options = {
  // The steps of one run are only seconds apart, so an idle connection is likely to be reused.
  keepAliveTimeout: 60_000,
  // These two time limits are disabled, because the request's signal covers both phases.
  headersTimeout: 0,
  bodyTimeout: 0,
};

/** Maximum number of idle connections kept per origin. */
const MAX_IDLE_CLIENTS = 256;

/**
 * Maximum bytes of a response body. For a stream that was requested, the limit allows half a kilobyte of framing for
 * every four bytes of the longest reply (rule: reply-cap).
 */
const MAX_BODY_BYTES = { plain: 8 * 2 ** 20, stream: 128 * 2 ** 20, error: 64 * 2 ** 10 };

/** Content types that a body of each kind may have. Some servers send no content type. */
const contentTypes = {
  plain: /^(?:application\/(?:[\w.-]+\+)?json\b|$)/i,
  stream: /^(?:text\/event-stream\b|$)/i,
};

/** Encodings of a body that is not encoded. Servers send `none` so that a proxy does not compress their events. */
const plainEncodings = ['', 'identity', 'none'];

/** Maximum time for the body of an error response to arrive: its status says enough. */
const MAX_ERROR_BODY_MS = 2_000;

type BodyKind = keyof typeof MAX_BODY_BYTES;

export interface UpstreamRequest {
  readonly provider: string;
  readonly url: URL;
  /** All headers except `accept`, `content-type` and `user-agent`. */
  readonly headers: Readonly<Record<string, string>>;
  /** Certificates to trust in addition to the usual ones, in PEM. */
  readonly ca?: string | undefined;
  /** The request body; null for a GET request. */
  readonly body: Buffer | null;
  readonly streamed: boolean;
  /** Aborts the request in any phase; the signal's reason is then thrown. */
  readonly signal: AbortSignal;
  readonly observe: RequestObserver | undefined;
}

const SWITCHING_PROTOCOLS = 101;

/** Maximum number of informational responses before the final one. Servers send one or two. */
const MAX_INFORMATIONAL = 100;

/**
 * Sends all requests to providers. Keeps connections open between steps and follows no redirect. Each request uses
 * a client of its own, so that aborting it destroys only its own connection. With a shared client, undici 7 would
 * open a new connection for each aborted request (nodejs/undici#5845), and could not abort a request that waits
 * for a connection (#386).
 */
export class Transport {
  readonly #idle = new Map<string, Connection[]>();
  readonly #connections = new Set<Connection>();
  readonly #proxyFor: ProxyFor;

  constructor(proxyFor: ProxyFor = () => undefined) {
    this.#proxyFor = proxyFor;
  }

  /**
   * Sends a request. Resolves once the headers of a usable response have arrived. Throws a `FailedAttempt` or the
   * signal's reason.
   */
  async send(request: UpstreamRequest): Promise<Answer> {
    const { provider, url, streamed, signal, ca } = request;
    signal.throwIfAborted();
    const observed = request.observe?.({ provider, streamed, origin: url.origin });
    const proxy = this.#proxyFor(url);
    const { client, release } = this.#takeClient({ origin: url.origin, proxy, ca }, signal);
    let response: Dispatcher.ResponseData;
    try {
      response = await client.request(optionsFor(request, observed?.headers));
    } catch (error) {
      release({ isReusable: false });
      const failure = failureOf(error, { provider, signal });
      observed?.ended({ status: null, failure: nameOf(failure) });
      throw failure;
    }
    const answer = new Answer(response, { provider, streamed, signal, observed, release });
    if (answer.isUsable()) return answer;
    answer.refuse();
    throw invalidAnswer(provider, answer.status);
  }

  /** Closes all connections. */
  async close(): Promise<void> {
    await Promise.all([...this.#connections].map((connection) => connection.destroy()));
  }

  /** Returns an idle client or a new one. Until `release` is called, aborting the signal destroys the client. */
  #takeClient(target: ClientTarget, signal: AbortSignal): { client: Dispatcher; release: Release } {
    const pool = `${target.origin} ${target.ca ?? ''}`;
    const idle = this.#idle.get(pool) ?? [];
    this.#idle.set(pool, idle);
    const connection = idle.pop() ?? connectionTo(target);
    this.#connections.add(connection);
    const destroy = (): void => {
      this.#connections.delete(connection);
      const reason: Error | null = signal.aborted ? signal.reason : null;
      void connection.destroy(reason);
    };
    signal.addEventListener('abort', destroy);
    const release: Release = ({ isReusable }) => {
      signal.removeEventListener('abort', destroy);
      if (isReusable && !signal.aborted && idle.length < MAX_IDLE_CLIENTS) idle.push(connection);
      else destroy();
    };
    return { client: connection.client, release };
  }
}

/** The server that a client connects to, with its proxy and its certificates. */
interface ClientTarget {
  readonly origin: string;
  readonly proxy: string | undefined;
  readonly ca: string | undefined;
}

/** A client with its own connection. */
interface Connection {
  readonly client: Dispatcher;
  /** Closes the connection, also while it is being made. */
  destroy(reason?: Error | null): Promise<void>;
}

/** Returns a client with its own connection, through a tunnel of the proxy if there is one. */
function connectionTo({ origin, proxy, ca }: ClientTarget): Connection {
  const trusted = trusting(ca);
  const tunnel = new AbortController();
  const connect =
    proxy === undefined
      ? { ...connecting, ...trusted }
      : tunnelVia(proxy, { ...trusted, signal: tunnel.signal });
  const client = new Client(origin, { ...clientOptions, connect });
  return {
    client,
    // undici does not stop a connector whose client is destroyed.
    destroy(reason = null) {
      tunnel.abort();
      return client.destroy(reason);
    },
  };
}

/** Ends the use of a client: keeps it for other requests if it is reusable, otherwise closes its connection. */
type Release = (state: { readonly isReusable: boolean }) => void;

function optionsFor(
  { provider, url, headers, body, streamed }: UpstreamRequest,
  observerHeaders: Readonly<Record<string, string>> | undefined,
): Dispatcher.RequestOptions {
  let informational = 0;
  return {
    origin: url.origin,
    path: url.pathname + url.search,
    method: body === null ? 'GET' : 'POST',
    headers: {
      ...observerHeaders,
      ...(body !== null && { 'content-type': 'application/json' }),
      'user-agent': 'stepwise',
      accept: streamed ? 'text/event-stream' : 'application/json',
      ...headers,
    },
    body,
    // A protocol switch (101) is the last message of a response, so it is an error. Other informational responses
    // precede the final one.
    onInfo: ({ statusCode }) => {
      informational += 1;
      const isUnusable = statusCode === SWITCHING_PROTOCOLS || informational > MAX_INFORMATIONAL;
      if (isUnusable) throw invalidAnswer(provider, statusCode);
    },
  };
}

interface AnswerContext extends Pick<UpstreamRequest, 'provider' | 'streamed' | 'signal'> {
  readonly observed: ObservedRequest | undefined;
  readonly release: Release;
}

/** A response whose headers have arrived. Its body must be read once, or closed. */
export class Answer {
  #kind: BodyKind;
  readonly status: number;
  readonly headers: Dispatcher.ResponseData['headers'];
  readonly #body: Dispatcher.ResponseData['body'];
  readonly #context: AnswerContext;
  #hasEnded = false;

  constructor({ statusCode, headers, body }: Dispatcher.ResponseData, context: AnswerContext) {
    this.status = statusCode;
    this.headers = headers;
    this.#kind = this.#kindOf(context.streamed);
    // A reader of the body receives its errors. This listener ignores an error while nobody reads, which would
    // otherwise end the process.
    this.#body = body.on('error', () => {});
    this.#context = context;
  }

  /** The kind of body: as the headers declare it, and after `begin` as the body itself shows it. */
  get kind(): BodyKind {
    return this.#kind;
  }

  /** Returns whether the service can use a response with this status, content type and encoding. */
  isUsable(): boolean {
    const { kind, status } = this;
    if (kind === 'error') return status <= 599;
    const encoding = String(this.headers['content-encoding'] ?? '').toLowerCase();
    const isReadable = contentTypes[kind].test(this.#contentType()) && plainEncodings.includes(encoding);
    return status >= 200 && status < 300 && isReadable;
  }

  /**
   * Reads up to the first character of the body that is no blank, which decides the kind of body: some gateways
   * declare every body as events, or every body as JSON. Returns the whole body.
   */
  async begin(): Promise<AsyncGenerator<Uint8Array, undefined>> {
    const chunks = this[Symbol.asyncIterator]();
    const start = new ReceivedBytes();
    const decoder = new TextDecoder();
    for (let first: string | undefined; first === undefined; ) {
      const { value: chunk } = await chunks.next();
      if (!chunk) break;
      start.add(chunk);
      first = /\S/.exec(decoder.decode(chunk, { stream: true }))?.[0];
      if (first !== undefined) this.#kind = /[[{]/.test(first) ? 'plain' : 'stream';
    }
    return startingWith(start.bytes, chunks);
  }

  /** Reads the body chunk by chunk. Throws a `FailedAttempt` or the signal's reason. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer, undefined> {
    const { provider } = this.#context;
    let size = 0;
    try {
      for await (const chunk of this.#body) {
        if (size === 0) this.#context.observed?.begun?.();
        size += chunk.length;
        if (size > this.#maxBytes) throw invalidAnswer(provider, this.status);
        yield chunk;
      }
      this.#end({ isReusable: true });
    } catch (error) {
      const failure = failureOf(error, this.#context);
      // A too long or broken body of an error response is not reported as a failure, because the status says
      // enough.
      const isReported = this.kind !== 'error' || !(error instanceof FailedAttempt);
      this.#end({ failure: isReported ? nameOf(failure) : null });
      throw failure;
    } finally {
      this.#end({});
    }
  }

  get #maxBytes(): number {
    const isUnasked = this.kind === 'stream' && !this.#context.streamed;
    return MAX_BODY_BYTES[isUnasked ? 'plain' : this.kind];
  }

  /** Reads the body of an error, as much of it as arrives if it breaks off, stalls or is too long. */
  async errorText(): Promise<string> {
    const received = new ReceivedBytes();
    const timer = setTimeout(() => this.close(), MAX_ERROR_BODY_MS);
    try {
      for await (const chunk of this) received.add(chunk);
    } catch (error) {
      if (!(error instanceof FailedAttempt)) throw error;
    } finally {
      clearTimeout(timer);
    }
    return received.bytes.toString();
  }

  /** Closes the connection of an unusable response. */
  refuse(): void {
    this.#end({ failure: 'invalid_response' });
  }

  /** Closes the connection, unless the body was read to its end. */
  close(): void {
    this.#end({});
  }

  /**
   * Returns the kind of body that the headers declare. Some servers answer a streaming request with a plain error or a
   * plain completion, or any request with events.
   */
  #kindOf(streamed: boolean): BodyKind {
    if (this.status >= 400) return 'error';
    const type = this.#contentType();
    if (/^text\/event-stream\b/i.test(type)) return 'stream';
    return streamed && !/\bjson\b/i.test(type) ? 'stream' : 'plain';
  }

  #contentType(): string {
    return String(this.headers['content-type'] ?? '');
  }

  #end({
    failure = null,
    isReusable = false,
  }: {
    failure?: RequestEnd['failure'];
    isReusable?: boolean;
  }): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#context.release({ isReusable });
    this.#context.observed?.ended({ status: this.status, failure });
  }
}

async function* startingWith(
  first: Uint8Array,
  rest: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, undefined> {
  yield first;
  yield* rest;
}

/** Returns the error to throw for an error of undici. */
function failureOf(
  error: unknown,
  { signal, provider }: Pick<UpstreamRequest, 'signal' | 'provider'>,
): unknown {
  if (signal.aborted) return signal.reason;
  return error instanceof FailedAttempt ? error : connectionFailure(error, { provider });
}

function nameOf(failure: unknown): RequestEnd['failure'] {
  if (failure instanceof Interruption) return failure.reason;
  return failure instanceof FailedAttempt ? failure.failure.failure : 'unreachable';
}
