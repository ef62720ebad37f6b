import type { StepDeadline } from '../../agent/interruption.js';
import type { Completion, CompletionEvent, CompletionRequest, Provider } from '../../agent/provider.js';
import type { LearnedParameters } from '../models/model-parameters.js';
import type { Draft, SentDraft, Vendor } from '../vendor.js';
import { withSecondAttempt } from './attempts.js';
import { FailedAttempt, invalidAnswer } from './failed-attempt.js';
import { parseJson } from './read-upstream-body.js';
import { readEvents, within } from './server-sent-events.js';
import type { Answer, Exchange, Transport } from './transport.js';

/** What all calls of this process share. Holds nothing of any request. */
export interface SharedState {
  /** Loaded with the first call. */
  readonly transport: () => Promise<Transport>;
  readonly learned: LearnedParameters;
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

  async *stream(request: CompletionRequest, deadline: StepDeadline): AsyncGenerator<CompletionEvent> {
    const { first, events, exchange } = await this.#open(request, { deadline, streamed: true }, (opened) =>
      this.#begin(opened),
    );
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

  /** `read` takes of the answer what must be seen before it is sure that the request was not refused in it. */
  #open<Read>(
    request: CompletionRequest,
    { deadline, streamed }: { readonly deadline: StepDeadline; readonly streamed: boolean },
    read: (opened: Opened) => Read | Promise<Read>,
  ): Promise<Read> {
    const { learned } = this.#shared;
    return withSecondAttempt(
      async (refused) =>
        read(await this.#send(this.#vendor.draft(request, { refused, streamed }), deadline, streamed)),
      {
        deadline,
        refused: learned.refusedBy(this.name, request.model),
        remember: (parameter) => learned.remember(this.name, request.model, parameter),
      },
    );
  }

  #readWhole({ answer, draft }: Opened): Completion {
    return this.#vendor.readAnswer(parseJson(answer.text ?? ''), draft);
  }

  /** Up to the first event: a stream may begin with an error, and nothing of the reply has been shown then. */
  async #begin(opened: Opened): Promise<Begun> {
    const { answer, draft, exchange } = opened;
    try {
      const events =
        answer.text === undefined
          ? this.#vendor.readStream(readEvents(answer.pieces), draft)
          : inOnePiece(this.#readWhole(opened));
      return { first: (await events.next()).value, events, exchange };
    } catch (error) {
      exchange.close();
      throw error;
    }
  }

  /** From here on the request is bytes: its texts are not held while the model is awaited (rule: lean-waiting). */
  #send({ body, ...draft }: Draft, deadline: StepDeadline, streamed: boolean): Promise<Opened> {
    return this.#sendBytes(Buffer.from(JSON.stringify(body)), draft, { signal: deadline.signal, streamed });
  }

  async #sendBytes(
    body: Buffer,
    draft: SentDraft,
    { signal, streamed }: { readonly signal: AbortSignal; readonly streamed: boolean },
  ): Promise<Opened> {
    const headers = this.#vendor.headers();
    const transport = await this.#shared.transport();
    const exchange = transport.exchange({ provider: this.name, headers, signal, streamed });
    try {
      await this.#vendor.post({ body, fetch: exchange.fetch });
      return { answer: exchange.answer(), draft, exchange };
    } catch (error) {
      // What is no answer of the provider's is the SDK's own trouble; its text may hold anything.
      throw exchange.failure() ?? this.#vendor.readError(error, draft) ?? invalidAnswer(this.name, null);
    }
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
