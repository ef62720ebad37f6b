import type { Step } from '../../../contract/step.js';
import type { Display } from '../../display/display.js';
import type { Paint } from '../../display/paint.js';
import type { MarkdownStream } from '../markdown/markdown-stream.js';

type Role = 'thought' | 'answer';

/** Makes what renders a text; loaded when a run begins. */
export type StartText = (view: { paint?: Paint; width: number }) => MarkdownStream;

/** In columns: longer rows are hard to read. */
const MAX_WIDTH = 120;

const REREAD = '(read again as a whole:)';

/**
 * What the model writes in a step, while it is written: what is final scrolls away, what may still change is live. A
 * draft looks like an answer: mostly it is one.
 */
export class LiveReply {
  readonly #display: Display;
  readonly #startText: StartText;
  #role: Role | undefined;
  #text: MarkdownStream | undefined;
  #said = { draft: '', thought: '', answer: '' };

  constructor(display: Display, startText: StartText) {
    this.#display = display;
    this.#startText = startText;
  }

  add(part: 'draft' | Role, delta: string): void {
    if (this.#said[part] === '' && delta.trim() === '') return;
    this.#said[part] += delta;
    this.#write(part === 'draft' ? 'answer' : part, delta);
  }

  /** The reply is there: what of it was not shown as it is now, is. True where there was any. */
  end({ thought, answer }: { thought: string; answer: string }): boolean {
    const { draft, thought: told, answer: answered } = this.#said;
    const isSame =
      (alike(draft + told, thought) && alike(answered, answer)) ||
      (thought === '' && told === '' && alike(draft + answered, answer));
    const wasShown = this.#text !== undefined;
    if (isSame) this.#close();
    else {
      this.drop();
      if (wasShown) this.#display.print(this.#display.paint('dim', REREAD));
      this.show('thought', thought);
      this.show('answer', answer);
    }
    this.#said = { draft: '', thought: '', answer: '' };
    return thought !== '' || answer !== '';
  }

  /** A text that is whole. */
  show(role: Role, text: string): void {
    if (text.trim() !== '') this.#write(role, text);
    this.#close();
  }

  /** What is not final is not said. */
  drop(): void {
    this.#text = undefined;
    this.#role = undefined;
    this.#said = { draft: '', thought: '', answer: '' };
    this.#display.show('text', []);
  }

  #write(role: Role, delta: string): void {
    if (role !== this.#role) this.#begin(role);
    this.#text?.add(delta);
    this.#display.beforeFrame(this.#draw);
  }

  #begin(role: Role): void {
    this.#close();
    this.#role = role;
    const width = Math.min(this.#display.width - 1, MAX_WIDTH);
    const { paint } = this.#display;
    this.#text = this.#startText(role === 'answer' ? { paint, width } : { width: width - INDENT.length });
    this.#display.print('');
  }

  #close(): void {
    const rows = this.#text?.end() ?? [];
    if (rows.length > 0) this.#display.print(rows.map(this.#styled).join('\n'), 'text');
    this.#text = undefined;
    this.#role = undefined;
    this.#display.show('text', []);
  }

  readonly #draw = (): void => {
    if (!this.#text) return;
    const rows = this.#text.take();
    if (rows.length > 0) this.#display.print(rows.map(this.#styled).join('\n'));
    this.#display.show('text', this.#text.open().map(this.#styled));
  };

  readonly #styled = (row: string): string =>
    this.#role === 'thought' && row !== '' ? this.#display.paint('dim', INDENT + row) : row;
}

const INDENT = '  ';

const alike = (said: string, meant: string): boolean => said.trim() === meant.trim();

/** What a response says, in words. */
export const wordsOf = ({ thought, control, direct_response }: Step) => ({
  thought: thought ?? control?.plan ?? control?.observation ?? '',
  answer: direct_response ?? '',
});
