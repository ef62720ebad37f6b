import type { ResponseStreamEvent } from 'openai/resources/responses/responses';
import type { Answer, AnswerIdentity, StreamWriter, WireFailure } from '../wire.js';
import {
  type CallItem,
  type ContentPart,
  closingItems,
  closingParts,
  messageItem,
  messageStatus,
  type OutputItem,
  type ReasoningItem,
  reasoningItem,
  textPart,
} from './output-items.js';
import { writeResponsesFailure } from './responses-failure.js';
import { type Repeated, writeBegun, writeEnded, writeFailed } from './write-response.js';

/** An event without its sequence number. */
type Unnumbered<Event = ResponseStreamEvent> = Event extends unknown ? Omit<Event, 'sequence_number'> : never;

/** The item to which deltas are added. */
interface OpenItem {
  readonly kind: 'message' | 'reasoning';
  text: string;
}

/** Writes an answer as a stream of events (rule: responses-answers). */
export class ResponsesStream implements StreamWriter {
  readonly reportsTooLong = true;
  readonly #identity: AnswerIdentity;
  readonly #repeated: Repeated;
  /** The items that have been written completely. */
  readonly #output: OutputItem[] = [];
  #open: OpenItem | undefined;
  #sequence = 0;

  constructor(identity: AnswerIdentity, repeated: Repeated) {
    this.#identity = identity;
    this.#repeated = repeated;
  }

  begin(): string {
    const response = writeBegun(this.#identity, this.#repeated);
    return this.#whole('response.created', response) + this.#whole('response.in_progress', response);
  }

  say(delta: string): string {
    return this.#continue('message') + this.#textDelta(delta);
  }

  reason(delta: string): string {
    const begun = this.#continue('reasoning');
    this.#add(delta);
    const at = { ...this.#place(), summary_index: 0 };
    return begun + this.#write({ type: 'response.reasoning_summary_text.delta', ...at, delta });
  }

  end(answer: Answer): string {
    const events = [
      this.#closeAll(answer),
      ...closingItems(answer).map((place) => this.#wholeItem(place(this.#identity, this.#output.length))),
    ];
    const response = writeEnded(answer, this.#repeated, this.#output);
    const isIncomplete = answer.end === 'length' || answer.refusal === '';
    events.push(this.#whole(isIncomplete ? 'response.incomplete' : 'response.completed', response));
    return events.join('');
  }

  /** Writes the failure twice: some clients look for the event `error`, others for `response.failed`. */
  fail(failure: WireFailure): string {
    const { error } = writeResponsesFailure(failure).body;
    const { code, message, param } = error;
    const flat = this.#write({ type: 'error', code, message, param, error } as Unnumbered);
    const response = writeFailed(this.#identity, this.#repeated, {
      error: { code, message },
      output: this.#output,
    });
    return flat + this.#whole('response.failed', response);
  }

  /** Opens an item for deltas of a kind, unless one of this kind is open. */
  #continue(kind: OpenItem['kind']): string {
    if (this.#open?.kind === kind) return '';
    const closed = this.#close();
    this.#open = { kind, text: '' };
    return (
      closed +
      (kind === 'message' ? this.#openMessage() + this.#addPart(0, textPart('')) : this.#openReasoning())
    );
  }

  #openMessage(): string {
    const item = messageItem([], 'in_progress')(this.#identity, this.#output.length);
    return this.#item('response.output_item.added', item);
  }

  #openReasoning(): string {
    const item = reasoningItem({})(this.#identity, this.#output.length);
    const part = { type: 'summary_text' as const, text: '' };
    return (
      this.#item('response.output_item.added', item) +
      this.#write({ type: 'response.reasoning_summary_part.added', ...this.#place(), summary_index: 0, part })
    );
  }

  #add(delta: string): void {
    if (this.#open) this.#open.text += delta;
  }

  #textDelta(delta: string): string {
    this.#add(delta);
    const at = { ...this.#place(), content_index: 0, logprobs: [] };
    return this.#write({ type: 'response.output_text.delta', ...at, delta });
  }

  /**
   * Ends the message or reasoning that is open. Adds the refusal, or an empty text if the answer is empty otherwise, to
   * the message, and begins one if none is open.
   */
  #closeAll(answer: Answer): string {
    const isEmpty = answer.text === '';
    const [part] = closingParts(answer, isEmpty);
    if (this.#open?.kind === 'message') return this.#closeMessage(part ? [part] : [], messageStatus(answer));
    const closed = this.#close();
    if (!part) return closed;
    if (part.type === 'output_text')
      return closed + this.#continue('message') + this.#closeMessage([], messageStatus(answer));
    return closed + this.#openMessage() + this.#closeMessage([part], messageStatus(answer));
  }

  #close(): string {
    if (!this.#open) return '';
    return this.#open.kind === 'message'
      ? this.#closeMessage([], 'completed')
      : this.#closeReasoning(this.#open.text);
  }

  /** Closes a message: first its open text, then the further parts. */
  #closeMessage(further: readonly ContentPart[], status: 'completed' | 'incomplete' | 'in_progress'): string {
    const text = this.#open?.text;
    const content = [...(text === undefined ? [] : [textPart(text)]), ...further];
    const events = content.map((part, index) => {
      const added = part.type === 'output_text' ? '' : this.#addPart(index, part);
      return added + this.#endPart(index, part);
    });
    const item = messageItem(content, status)(this.#identity, this.#output.length);
    return events.join('') + this.#done(item);
  }

  #addPart(content_index: number, part: ContentPart): string {
    const empty: ContentPart = part.type === 'refusal' ? { ...part, refusal: '' } : part;
    const at = { ...this.#place(), content_index };
    const added = this.#write({ type: 'response.content_part.added', ...at, part: empty });
    if (part.type !== 'refusal') return added;
    return added + this.#write({ type: 'response.refusal.delta', ...at, delta: part.refusal });
  }

  #endPart(content_index: number, part: ContentPart): string {
    const at = { ...this.#place(), content_index };
    const done =
      part.type === 'refusal'
        ? this.#write({ type: 'response.refusal.done', ...at, refusal: part.refusal })
        : this.#write({ type: 'response.output_text.done', ...at, text: part.text, logprobs: [] });
    return done + this.#write({ type: 'response.content_part.done', ...at, part });
  }

  #closeReasoning(text: string): string {
    const item = reasoningItem({ summary: text })(this.#identity, this.#output.length);
    const at = { ...this.#place(), summary_index: 0 };
    const part = { type: 'summary_text' as const, text };
    return (
      this.#write({ type: 'response.reasoning_summary_text.done', ...at, text }) +
      this.#write({ type: 'response.reasoning_summary_part.done', ...at, part }) +
      this.#done(item)
    );
  }

  /** Writes a provider state or a call, with arguments as a delta, because some clients read them only from deltas. */
  #wholeItem(item: ReasoningItem | CallItem): string {
    if (item.type === 'reasoning') return this.#item('response.output_item.added', item) + this.#done(item);
    const at = { item_id: item.id, output_index: this.#output.length };
    if (item.type === 'custom_tool_call') {
      const { input } = item;
      return (
        this.#item('response.output_item.added', { ...item, input: '', status: 'in_progress' }) +
        this.#write({ type: 'response.custom_tool_call_input.delta', ...at, delta: input }) +
        this.#write({ type: 'response.custom_tool_call_input.done', ...at, input }) +
        this.#done(item)
      );
    }
    const { name, arguments: written } = item;
    return (
      this.#item('response.output_item.added', { ...item, arguments: '', status: 'in_progress' }) +
      this.#write({ type: 'response.function_call_arguments.delta', ...at, delta: written }) +
      this.#write({ type: 'response.function_call_arguments.done', ...at, name, arguments: written }) +
      this.#done(item)
    );
  }

  /** Returns the id and the index of the open item. */
  #place(): { item_id: string; output_index: number } {
    const prefix = this.#open?.kind === 'reasoning' ? 'rs' : 'msg';
    const output_index = this.#output.length;
    return { item_id: `${prefix}_${this.#identity.id}${output_index}`, output_index };
  }

  #done(item: OutputItem): string {
    const written = this.#item('response.output_item.done', item);
    this.#output.push(item);
    this.#open = undefined;
    return written;
  }

  #item(type: 'response.output_item.added' | 'response.output_item.done', item: OutputItem): string {
    return this.#write({ type, output_index: this.#output.length, item });
  }

  #whole(type: ResponseStreamEvent['type'], response: object): string {
    return this.#write({ type, response } as Unnumbered);
  }

  #write(event: Unnumbered): string {
    const numbered = { ...event, sequence_number: this.#sequence++ };
    return `event: ${event.type}\ndata: ${JSON.stringify(numbered)}\n\n`;
  }
}
