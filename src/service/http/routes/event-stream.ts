import type { Response } from 'express';
import { eventText } from '../../../contract/event-text.js';
import type { SourceStep } from '../../../contract/source-step.js';
import type { ErrorResponse, Step } from '../../../contract/step.js';
import type { StreamEvent } from '../../../contract/stream.js';
import { TextStream } from './text-stream.js';

/** The last event of a stream. Its body lacks our extensions if the caller asked for that (rule: source-fields). */
type LastEvent =
  | StreamEvent
  | { readonly type: 'step.completed'; readonly step: SourceStep | Step }
  | { readonly type: 'error'; readonly error: SourceStep | ErrorResponse };

/** The events of one step (rule: stream-events). */
export class EventStream {
  readonly #stream: TextStream;

  /**
   * @param state contains the request id. The id is read when the stream starts, because the service replaces an
   * id that contains the model key.
   */
  constructor(response: Response, state: { readonly id: string }) {
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

  /** Sends the last event. Before that, calls `count` with its size; if `count` throws, nothing is sent. */
  end(event: LastEvent, count?: (bytes: number) => void): void {
    this.#stream.end(eventText(event), count);
  }
}
