import type { ParsedCompletion } from './parse-completion.js';
import { trimTokens } from './text/trailing.js';

/**
 * A part of a reply that is still arriving. `draft` is prose before any label, whose role is undecided (rule:
 * draft-role).
 */
export interface ParseDelta {
  /** The field of the result that the text belongs to; a `draft` becomes the thought or the answer. */
  readonly type: 'reasoning' | 'draft' | 'thought' | 'answer';
  /** Text to append to that field; never empty. */
  readonly delta: string;
}

/**
 * The field that the current text belongs to; `held` if an action may have begun, so that nothing is sent until the
 * reply ends.
 */
export type Role = ParseDelta['type'] | 'held';

interface Field {
  readonly role: Role;
  readonly gap: string;
  readonly begins: boolean;
}

/**
 * Turns text of a reply into deltas of the current field, such as the thought or the answer. Omits white space at the
 * beginning and the end of a field.
 */
export class DeltaWriter {
  readonly #sent: Record<ParseDelta['type'], string> = { reasoning: '', draft: '', thought: '', answer: '' };
  #deltas: ParseDelta[] = [];
  #role: Role = 'draft';
  /**
   * Text that is sent only if more text follows: white space, chat tokens, stop words, and lines of fences around the
   * reply.
   */
  #gap = '';
  /** True if the next text is the first of its field, so that white space before it is trimmed. */
  #fieldBegins = true;
  /** The field that was interrupted by a `<think>` block and continues after it. */
  #outer: Field | null = null;

  get role(): Role {
    return this.#role;
  }

  /** Returns the deltas since the last call. */
  take(): ParseDelta[] {
    const deltas = this.#deltas;
    this.#deltas = [];
    return deltas;
  }

  /** Sends text without its trailing white space; false if nothing remains. */
  write(text: string): boolean {
    const solid = text.trimEnd();
    if (solid === '' || this.#role === 'held') {
      this.keep(text);
      return false;
    }
    const waiting = this.#gap + solid;
    const lead = this.#fieldBegins ? waiting.length - waiting.trimStart().length : 0;
    if (this.#role === 'thought' && this.#sent.draft !== '') this.#send('draft', waiting.slice(0, lead));
    this.#send(this.#role, waiting.slice(lead));
    this.#fieldBegins = false;
    this.#gap = text.slice(solid.length);
    return true;
  }

  /** Adds text that is sent only if more text follows in this field. */
  keep(text: string): void {
    this.#gap += text;
  }

  /** Text that is sent only if more text follows in its field. */
  get gap(): string {
    return this.#gap;
  }

  dropGap(): void {
    this.#gap = '';
  }

  /** Removes a `**` from the held text if only spaces and tabs follow it. */
  dropClosingBold(at: number): void {
    const after = this.#gap.slice(at + 2);
    if (!/[^ \t\r]/.test(after)) this.#gap = this.#gap.slice(0, at) + after;
  }

  hold(): void {
    this.#role = 'held';
  }

  /** True if nothing but reasoning and white space has arrived. */
  get beginsReply(): boolean {
    return this.#role === 'draft' && this.#sent.draft === '' && this.#gap.trim() === '';
  }

  /** True if nothing but white space of the answer has arrived. */
  get beginsAnswer(): boolean {
    return this.#role === 'answer' && this.#sent.answer === '' && this.#gap.trim() === '';
  }

  /**
   * Begins a field at its label. White space between unlabelled text (`draft`) and a labelled thought belongs to the
   * draft.
   */
  begin(role: 'thought' | 'answer'): void {
    if (role === 'answer') this.#sendGap();
    if (role === 'answer' || this.beginsReply) this.#gap = '';
    if (this.#role !== role) this.#fieldBegins = true;
    this.#role = role;
  }

  /** Sends the held text of the field that ends, such as a code block, without chat tokens at its end. */
  #sendGap(): void {
    const held = this.#gap;
    this.#gap = '';
    this.write(held.slice(0, trimTokens(held, 0, held.length).end));
  }

  beginReasoning(): void {
    this.#outer = { role: this.#role, gap: this.#gap, begins: this.#fieldBegins };
    this.#enter({ role: 'reasoning', gap: '', begins: true });
    if (this.#sent.reasoning !== '') this.#send('reasoning', '\n\n');
  }

  endReasoning(): void {
    if (this.#outer) this.#enter(this.#outer);
  }

  #enter({ role, gap, begins }: Field): void {
    this.#role = role;
    this.#gap = gap;
    this.#fieldBegins = begins;
  }

  /**
   * Sends what remains of the fields once the whole text is parsed; never the text of an unreadable action. An answer
   * without a label was sent as draft or thought, so only its rest follows.
   */
  finish({ outcome, thought, answer, answerLabelled, reasoning }: ParsedCompletion): void {
    const { draft, thought: sentThought, answer: sentAnswer } = this.#sent;
    const sent = draft + sentThought;
    this.#sendRest('reasoning', reasoning, this.#sent.reasoning);
    if (thought?.startsWith(sent)) this.#sendRest('thought', thought, sent);
    else if (thought) this.#send('thought', `\n\n${thought}`); // what was sent turned out to be reasoning
    if (outcome === 'malformed_action' || outcome === 'unknown_tool' || outcome === 'truncated') return;
    const isSent = !answerLabelled && sent !== '' && answer?.startsWith(sent);
    if (isSent) this.#sendRest(sentThought === '' ? 'draft' : 'thought', answer, sent);
    else this.#sendRest('answer', answer, sentAnswer);
  }

  #sendRest(type: ParseDelta['type'], whole: string | null, sent: string): void {
    if (whole?.startsWith(sent)) this.#send(type, whole.slice(sent.length));
  }

  #send(type: ParseDelta['type'], delta: string): void {
    if (delta === '') return;
    this.#sent[type] += delta;
    const last = this.#deltas.at(-1);
    if (last?.type === type) this.#deltas[this.#deltas.length - 1] = { type, delta: last.delta + delta };
    else this.#deltas.push({ type, delta });
  }
}
