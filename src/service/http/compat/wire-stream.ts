import type { Response } from 'express';
import type { TextSink } from '../../compat/sent-text.js';
import type { Answer, StreamWriter } from '../../compat/wire.js';
import type { Failure } from '../failure/to-failure.js';
import { wireFailure } from '../failure/wire-failure.js';
import type { OpenStream, RequestState } from '../middleware/request-state.js';
import { TextStream } from '../routes/text-stream.js';

/**
 * The stream of a reply in the API format of one wire. It starts with the upstream's first event
 * (rule: compatible-streams).
 */
export class WireStream implements TextSink, OpenStream {
  readonly #stream: TextStream;
  readonly #writer: StreamWriter;
  readonly #state: RequestState;

  constructor(response: Response, writer: StreamWriter, state: RequestState) {
    this.#stream = new TextStream(response, {
      opening: () => writer.begin(state.modelCalls.at(-1)?.promptTokens ?? 0),
      keepAlive: writer.keepAlive,
    });
    this.#writer = writer;
    this.#state = state;
  }

  get started(): boolean {
    return this.#stream.started;
  }

  get reportsTooLong(): boolean {
    return this.#writer.reportsTooLong ?? false;
  }

  say(delta: string): Promise<void> | undefined {
    return this.#stream.send(this.#writer.say(delta));
  }

  reason(delta: string): Promise<void> | undefined {
    return this.#stream.send(this.#writer.reason(delta));
  }

  /** Sends the rest of the answer. Throws as `TextStream.endAnswer` does. */
  end(answer: Answer): void {
    this.#stream.endAnswer(this.#writer.end(answer));
  }

  fail(failure: Failure): void {
    // The stream starts before the failure is written, because a writer numbers its events in the
    // order of its calls.
    this.#stream.start();
    this.#stream.end(this.#writer.fail(wireFailure(failure, this.#state)));
  }

  /** Begins the response, if it has not begun. Before that, a failure gets an HTTP error status. */
  start(): void {
    this.#stream.start();
  }
}
