import type { OnDemand } from '../../../event-loop/on-demand.js';
import { textOf } from '../../../network/received-bytes.js';
import type { StepDeadline } from '../../step/interruption.js';
import type {
  Completion,
  CompletionEvent,
  CompletionRequest,
  Provider,
  StateOrigin,
} from '../../step/provider.js';
import { holdsError } from '../error-body.js';
import { type GatewaySettings, gatewayHeaders, secretsIn, withQuery } from '../gateway-settings.js';
import type { LearnedParameters } from '../models/model-parameters.js';
import type { RequestObserver } from '../request-observer.js';
import type { Secret } from '../secret.js';
import { toCompletion } from '../to-completion.js';
import type { SentRequest, Vendor } from '../vendor.js';
import { parseJson } from '../vendor-json.js';
import { inVendorLimits } from '../vendor-limits.js';
import { FailedAttempt, invalidAnswer, withSecondAttempt } from './attempts.js';
import { type AnsweredRequest, classifyFailure, classifyInside } from './classify-failure.js';
import { readEvents } from './read-events.js';
import { readStream } from './read-stream.js';
import { ReplyCap } from './reply-cap.js';
import type { Answer, Transport } from './transport.js';

/** State shared by all calls of this process. It contains nothing of any request. */
export interface SharedState {
  /** Loads the transport with the first call. */
  readonly transport: OnDemand<Transport>['get'];
  readonly learned: LearnedParameters;
  readonly observe?: RequestObserver | undefined;
}

/** An upstream, and the caller's key for calling it. */
export interface UpstreamAccess {
  readonly name: string;
  readonly vendor: Vendor;
  /** Base URL of the vendor's endpoint. */
  readonly url: (signal: AbortSignal) => Promise<string>;
  readonly key: Secret | undefined;
  readonly gateway: GatewaySettings;
  /** The model and upstream to which the provider states in the replies belong. */
  readonly origin: StateOrigin;
}

/** The body of a response as it arrives. */
type Chunks = AsyncIterable<Uint8Array>;

interface CallOptions {
  readonly deadline: StepDeadline;
  readonly streamed: boolean;
}

/** A provider request with its body as bytes. */
interface Serialized {
  readonly body: Buffer;
  readonly request: SentRequest;
}

/** A request whose response has begun with a 2xx status. */
interface Opened {
  readonly answer: Answer;
  readonly request: SentRequest;
}

/** A streamed reply of which the first event has arrived. */
interface Begun {
  readonly first: CompletionEvent | undefined;
  readonly events: AsyncGenerator<CompletionEvent, undefined>;
  readonly answer: Answer;
}

/** Calls one upstream: at most two requests for a completion, with one deadline for both. */
export class UpstreamProvider implements Provider {
  readonly #access: UpstreamAccess;
  readonly #shared: SharedState;

  constructor(access: UpstreamAccess, shared: SharedState) {
    this.#access = access;
    this.#shared = shared;
  }

  get name(): string {
    return this.#access.name;
  }

  complete(request: CompletionRequest, deadline: StepDeadline): Promise<Completion> {
    return this.#ask(request, { deadline, streamed: false }, (opened) => this.#readWhole(opened, deadline));
  }

  stream(request: CompletionRequest, deadline: StepDeadline): AsyncGenerator<CompletionEvent> {
    return relay(this.#ask(request, { deadline, streamed: true }, (opened) => this.#begin(opened, deadline)));
  }

  /**
   * Sends the request, and a second one if needed. `read` must read enough of the response to know that it is no
   * refusal. Until then, only the serialized prompt is kept in memory; a second request is built from it (rule:
   * lean-waiting).
   */
  #ask<Read>(
    request: CompletionRequest,
    { deadline, streamed }: CallOptions,
    read: (opened: Opened) => Promise<Read>,
  ): Promise<Read> {
    const { prompt: _, ...settings } = request;
    const { vendor, name } = this.#access;
    const { learned } = this.#shared;
    const refused = learned.refusedBy(name, settings.model);
    const limited = inVendorLimits(request);
    const { ownToolName } = limited;
    const write = (mapped: object, refusedByNow: ReadonlySet<string>): Serialized => {
      const options = { refused: refusedByNow, streamed };
      const { body, ...rest } = vendor.toRequest(mapped, settings, options);
      const isNative = settings.nativeTools !== undefined;
      const { model } = settings;
      return { body: Buffer.from(JSON.stringify(body)), request: { ...rest, model, isNative, ownToolName } };
    };
    let sent = write(vendor.mapPrompt(limited), refused);
    return withSecondAttempt(
      async (refusedByNow) => {
        if (refusedByNow !== refused) sent = write(JSON.parse(sent.body.toString()), refusedByNow);
        return read(await this.#send(sent, { deadline, streamed }));
      },
      {
        deadline,
        refused,
        remember: (parameter) => learned.remember(name, settings.model, parameter),
      },
    );
  }

  async #send({ body, request }: Serialized, { deadline, streamed }: CallOptions): Promise<Opened> {
    const { name: provider, vendor, key, url, gateway } = this.#access;
    const { signal } = deadline;
    const transport = await this.#shared.transport(signal);
    const answer = await transport.send({
      provider,
      url: withQuery(endpointOf(await url(signal), vendor), gateway),
      headers: { ...vendor.headers, ...gatewayHeaders(gateway, key) },
      ca: gateway.ca,
      body,
      streamed,
      signal,
      observe: this.#shared.observe,
    });
    if (answer.kind !== 'error') return { answer, request };
    const { status, headers } = answer;
    const error = vendor.readError(await answer.errorText());
    throw classifyFailure(
      { status, headers, error },
      { ...this.#answered(request), secrets: [...(key ? [key] : []), ...secretsIn(gateway)] },
    );
  }

  /** Reads a response to its end, in whichever of the two forms the server sent it. */
  async #readWhole(opened: Opened, deadline: StepDeadline): Promise<Completion> {
    const chunks = await opened.answer.begin();
    return opened.answer.kind === 'stream'
      ? this.#readWholeStream(opened, chunks, deadline)
      : this.#readPlain(opened, chunks, deadline);
  }

  /** Reads a plain response. A body that is no JSON as a whole is read as events, since its first line may be JSON. */
  async #readPlain(opened: Opened, chunks: Chunks, deadline: StepDeadline): Promise<Completion> {
    const { request } = opened;
    const text = await textOf(chunks, counterOf(deadline));
    const json = parseJson(text);
    if (json === undefined) return this.#readWholeStream(opened, [Buffer.from(text)], deadline);
    const cap = new ReplyCap();
    const reply = this.#access.vendor.startReply(request, cap);
    if (!reply.addAnswer(json)) throw this.#noCompletion(text, request);
    return toCompletion(reply.completion(), { request, cap, origin: this.#access.origin });
  }

  /** Reads a stream of events to its end, for servers that stream although a plain response was requested. */
  async #readWholeStream(
    opened: Opened,
    chunks: Chunks | readonly Uint8Array[],
    deadline: StepDeadline,
  ): Promise<Completion> {
    try {
      for await (const event of this.#readStream(opened, chunks, deadline))
        if (event.type === 'completion') return event.completion;
    } finally {
      opened.answer.close();
    }
    throw invalidAnswer(this.name, opened.answer.status);
  }

  /**
   * Reads a reply up to its first event. If a stream begins with an error, a second attempt is still possible,
   * because the caller has received nothing yet.
   */
  async #begin(opened: Opened, deadline: StepDeadline): Promise<Begun> {
    const { answer } = opened;
    try {
      const chunks = await answer.begin();
      const events =
        answer.kind === 'stream'
          ? this.#readStream(opened, chunks, deadline)
          : asStream(await this.#readPlain(opened, chunks, deadline));
      return { first: (await events.next()).value, events, answer };
    } catch (error) {
      answer.close();
      throw error;
    }
  }

  #readStream(
    { answer, request }: Opened,
    chunks: Chunks | readonly Uint8Array[],
    deadline: StepDeadline,
  ): AsyncGenerator<CompletionEvent, undefined> {
    const { name: provider, vendor, origin } = this.#access;
    const cap = new ReplyCap(counterOf(deadline));
    const reply = vendor.startReply(request, cap);
    return readStream({
      provider,
      events: readEvents(chunks, { provider, status: answer.status, signal: deadline.signal }),
      reply,
      cap,
      completion: () => toCompletion(reply.completion(), { request, cap, origin }),
      close: () => answer.close(),
      failureOf: ({ event, data }) =>
        event === 'error' ? this.#failureInside(data, request) : this.#noCompletion(data, request),
    });
  }

  /**
   * Returns the error for a 200 response without a completion: the error that its body contains, or else an
   * invalid response.
   */
  #noCompletion(text: string, request: SentRequest): FailedAttempt {
    return holdsError(parseJson(text)) ? this.#failureInside(text, request) : invalidAnswer(this.name, 200);
  }

  #failureInside(text: string, request: SentRequest): FailedAttempt {
    return classifyInside(this.#access.vendor.readError(text), this.#answered(request));
  }

  #answered({ strippable, constraint }: SentRequest): Omit<AnsweredRequest, 'secrets'> {
    return { provider: this.name, strippable, constraint, codes: this.#access.vendor.errorCodes };
  }
}

/** Returns a function that counts the bytes of a reply. */
const counterOf =
  (deadline: StepDeadline) =>
  (bytes: number): void =>
    deadline.countReply?.(bytes);

const endpointOf = (url: string, { path }: Vendor): URL => new URL(url.replace(/\/$/, '') + path);

/**
 * Relays the events of a reply as they arrive. This is a separate function because a generator keeps its arguments
 * in memory until it ends.
 */
async function* relay(begun: Promise<Begun>): AsyncGenerator<CompletionEvent> {
  const { first, events, answer } = await begun;
  try {
    for (let event = first; event; event = (await events.next()).value) yield event;
  } catch (error) {
    throw error instanceof FailedAttempt ? error.failure : error;
  } finally {
    answer.close();
  }
}

/** Converts a plain response to a stream. */
async function* asStream(completion: Completion): AsyncGenerator<CompletionEvent, undefined> {
  const { reasoning, text } = completion;
  if (reasoning) yield { type: 'reasoning', delta: reasoning };
  if (text !== '') yield { type: 'text', delta: text };
  yield { type: 'completion', completion };
}
