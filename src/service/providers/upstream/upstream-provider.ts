import type { OnDemand } from '../../../event-loop/on-demand.js';
import type { StepDeadline } from '../../step/interruption.js';
import type { Completion, CompletionEvent, CompletionRequest, Provider } from '../../step/provider.js';
import type { LearnedParameters } from '../models/model-parameters.js';
import type { RequestObserver } from '../request-observer.js';
import type { DraftOptions, SentDraft, Terms, Vendor, Wording } from '../vendor.js';
import { withSecondAttempt } from './attempts.js';
import { FailedAttempt, invalidAnswer } from './failed-attempt.js';
import { parseAnswer } from './read-upstream-body.js';
import { readEvents, within } from './server-sent-events.js';
import type { Answer, Exchange, Transport } from './transport.js';

/** What all calls of this process share. Holds nothing of any request. */
export interface SharedState {
  /** Loaded with the first call. */
  readonly transport: OnDemand<Transport>['get'];
  readonly learned: LearnedParameters;
  readonly observe?: RequestObserver | undefined;
}

/** A request that was sent, or is about to be. */
interface Sent {
  readonly body: Buffer;
  readonly draft: SentDraft;
}

/** A 2xx has begun. */
interface Opened {
  readonly answer: Answer;
  readonly draft: SentDraft;
  readonly exchange: Exchange;
}

/** A reply of which the first event is there. */
interface Begun {
  readonly first: CompletionEvent | undefined;
  readonly events: AsyncGenerator<CompletionEvent, undefined>;
  readonly exchange: Exchange;
}

/** How long we wait for the end of a stream that has said all: read to its end, the connection can be used again. */
const END_GRACE_MS = 100;

/** One upstream, spoken to in its vendor's way: at most two requests for a completion, one deadline over all. */
export class UpstreamProvider implements Provider {
  readonly name: string;
  readonly #vendor: Vendor;
  readonly #shared: SharedState;

  constructor(name: string, vendor: Vendor, shared: SharedState) {
    this.name = name;
    this.#vendor = vendor;
    this.#shared = shared;
  }

  complete(request: CompletionRequest, deadline: StepDeadline): Promise<Completion> {
    return this.#open(request, { deadline, streamed: false }, (opened) => this.#readWhole(opened));
  }

  stream(request: CompletionRequest, deadline: StepDeadline): AsyncGenerator<CompletionEvent> {
    return relay(
      this.#open(request, { deadline, streamed: true }, (opened) => this.#begin(opened, deadline.signal)),
    );
  }

  /**
   * `read` takes of the answer what must be seen before it is sure that the request was not refused in it. While that is
   * awaited, the request is bytes and nothing else: a second one is made from those (rule: lean-waiting).
   */
  #open<Read>(
    request: CompletionRequest,
    { deadline, streamed }: { readonly deadline: StepDeadline; readonly streamed: boolean },
    read: (opened: Opened) => Read | Promise<Read>,
  ): Promise<Read> {
    const { prompt: _, ...terms } = request;
    const { learned } = this.#shared;
    const refused = learned.refusedBy(this.name, terms.model);
    let sent = this.#draft(this.#vendor.word(request), terms, { refused, streamed });
    return withSecondAttempt(
      async (refusedByNow) => {
        if (refusedByNow !== refused) {
          const wording = { ...sent.draft, long: JSON.parse(sent.body.toString()) };
          sent = this.#draft(wording, terms, { refused: refusedByNow, streamed });
        }
        return read(await this.#send(sent, { signal: deadline.signal, streamed }));
      },
      {
        deadline,
        refused,
        remember: (parameter) => learned.remember(this.name, terms.model, parameter),
      },
    );
  }

  #draft(wording: Wording, terms: Terms, options: DraftOptions): Sent {
    const { body, ...draft } = this.#vendor.draft(wording, terms, options);
    return { body: Buffer.from(JSON.stringify(body)), draft };
  }

  async #readWhole({ answer, draft }: Opened): Promise<Completion> {
    return this.#vendor.readAnswer(await parseAnswer(answer.text ?? ''), draft);
  }

  /** Up to the first event: a stream may begin with an error, and nothing of the reply has been shown then. */
  async #begin(opened: Opened, signal: AbortSignal): Promise<Begun> {
    const { answer, draft, exchange } = opened;
    try {
      const events =
        answer.text === undefined
          ? this.#vendor.readStream(readEvents(answer.pieces, signal), draft)
          : inOnePiece(await this.#readWhole(opened));
      return { first: (await events.next()).value, events, exchange };
    } catch (error) {
      exchange.close();
      throw error;
    }
  }

  async #send(
    { body, draft }: Sent,
    { signal, streamed }: { readonly signal: AbortSignal; readonly streamed: boolean },
  ): Promise<Opened> {
    const headers = this.#vendor.headers();
    const transport = await this.#shared.transport(signal);
    const sdk = await this.#vendor.sdk(signal);
    const { observe } = this.#shared;
    const exchange = transport.exchange({ provider: this.name, headers, signal, streamed, observe });
    try {
      await sdk.send({ body, fetch: exchange.fetch });
      return { answer: exchange.answer(), draft, exchange };
    } catch (error) {
      // What is no answer of the provider's is the SDK's own trouble; its text may hold anything.
      throw exchange.failure() ?? this.#vendor.readError(error, draft) ?? invalidAnswer(this.name, null);
    }
  }
}

/** Tells the reply as it comes. A function of its own, since a generator holds what it was given until it ends. */
async function* relay(opened: Promise<Begun>): AsyncGenerator<CompletionEvent> {
  const { first, events, exchange } = await opened;
  try {
    let event = first;
    while (event && event.type !== 'completion') {
      yield event;
      event = (await events.next()).value;
    }
    await endOf(events);
    exchange.close();
    if (event) yield event;
  } catch (error) {
    throw error instanceof FailedAttempt ? error.failure : error;
  } finally {
    exchange.close();
  }
}

/** A plain answer told as a stream of one piece. */
async function* inOnePiece(completion: Completion): AsyncGenerator<CompletionEvent, undefined> {
  const { reasoning, text } = completion;
  if (reasoning) yield { type: 'reasoning', delta: reasoning };
  if (text !== '') yield { type: 'text', delta: text };
  yield { type: 'completion', completion };
}

/** Whatever happens after the last event takes nothing from the completion. */
async function endOf(events: AsyncIterator<CompletionEvent>): Promise<void> {
  await within(END_GRACE_MS, events.next()).catch(() => {});
}
