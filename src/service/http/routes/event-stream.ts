import type { Response } from 'express';
import { eventText } from '../../../contract/event-text.js';
import type { SourceStep } from '../../../contract/source-step.js';
import type { ErrorResponse, Step } from '../../../contract/step.js';
import type { StreamEvent } from '../../../contract/stream.js';
import { failureBody } from '../failure/send-failure.js';
import type { Failure } from '../failure/to-failure.js';
import { type OpenStream, type RequestState, stateOf } from '../middleware/request-state.js';
import { TextStream } from './text-stream.js';

/** The last event of a stream. Its body lacks our extensions if the caller asked for that (rule: source-fields). */
type LastEvent =
  | { readonly type: 'step.completed'; readonly step: SourceStep | Step }
  | { readonly type: 'error'; readonly error: SourceStep | ErrorResponse };

/** The events of one step (rule: stream-events). */
export class EventStream implements OpenStream {
  readonly #stream: TextStream;
  readonly #state: RequestState;

  constructor(response: Response) {
    const state = stateOf(response);
    this.#state = state;
    // The id is read when the stream starts, because the service replaces an id that contains the model key.
    const opening = () => eventText<StreamEvent>({ type: 'step.started', request_id: state.id });
    this.#stream = new TextStream(response, { opening });
  }

  get started(): boolean {
    return this.#stream.started;
  }

  /** Sends an event. Waits for a slow reader as `TextStream.send` does. */
  send(event: StreamEvent): Promise<void> | undefined {
    return this.#stream.send(eventText(event));
  }

  /** Sends the last event. Throws as `TextStream.endAnswer` does. */
  complete(step: SourceStep | Step): void {
    this.#stream.endAnswer(eventText<LastEvent>({ type: 'step.completed', step }));
  }

  fail(failure: Failure): void {
    this.#stream.end(eventText<LastEvent>({ type: 'error', error: failureBody(failure, this.#state) }));
  }
}
