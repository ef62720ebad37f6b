import { columnsOf } from '../display/columns.js';
import { Display } from '../display/display.js';
import { type Paint, paintFor } from '../display/paint.js';
import type { KeyPress } from '../input/decode-keys.js';
import { Keyboard, stopUntilCalledBack } from '../input/keyboard.js';
import { lineOf } from '../input/line.js';
import { LineEditor, type TypedLine } from '../input/line-editor.js';
import { LineHistory } from '../input/line-history.js';
import { type LineView, liveView, plainView } from '../input/line-view.js';
import { type Choice, type Key, LEAVING_KEYS, type PickOptions, pick } from '../input/picker.js';
import { showExactLine } from './visible-text.js';

export interface LineOptions {
  /** Cancels the question; the text typed so far is dropped. */
  readonly signal?: AbortSignal;
  /** Text already in the line. */
  readonly prefill?: string;
}

/** The person's terminal. Progress goes to stderr if a script reads stdout. */
export class Terminal {
  readonly progress: NodeJS.WriteStream;
  /** The only reader of keys. */
  readonly keyboard: Keyboard;
  /** The only writer to the terminal; other code may write to `progress` only while the live region is empty. */
  readonly display: Display;
  readonly #input: NodeJS.ReadStream;
  readonly #typed = new LineHistory();
  readonly #kept = new Set<() => void>();

  /** `stdoutIsTaken` is true if something else is written to stdout, such as JSON lines. */
  constructor({ stdoutIsTaken = false } = {}) {
    const { stdin, stdout, stderr } = process;
    this.#input = stdin;
    this.progress = stdout.isTTY && !stdoutIsTaken ? stdout : stderr;
    this.keyboard = new Keyboard(stdin, {
      mark: (mark) => this.isLive && this.progress.write(mark),
      everywhere: {
        'ctrl-l': () => this.#clear(),
        'ctrl-z': () => void this.lend(stopUntilCalledBack).then(() => this.#showAgain()),
      },
    });
    this.display = new Display(this.progress, { paint: paintFor(this.progress) });
    if (this.isLive) this.progress.on('resize', () => this.keyboard.notifyResized());
    process.on('exit', () => this.display.leave());
  }

  get paint(): Paint {
    return this.display.paint;
  }

  /** True if a person can be asked and can press keys. */
  get isInteractive(): boolean {
    return this.#input.isTTY === true && this.progress.isTTY === true;
  }

  /** True if the terminal can redraw rows. */
  get isLive(): boolean {
    return this.display.isLive;
  }

  get width(): number {
    return this.display.width;
  }

  /**
   * Reports each key while no question is open. Of keys that arrive together, as in a paste, only those that stop the
   * run are reported.
   */
  watchKeys(listen: (name: string) => void): { end(): void } {
    if (!this.isInteractive) return { end: () => undefined };
    const onKey = ({ name }: KeyPress, isAlone = true) => {
      if (isAlone || LEAVING_KEYS.includes(name)) listen(name);
    };
    return this.keyboard.listen({ onKey });
  }

  /**
   * Prints the subject of a question now, and again whenever the person clears the screen (Ctrl-L) or resumes the
   * program after Ctrl-Z, until `end` is called.
   */
  keepShown(show: () => void): { end(): void } {
    this.#kept.add(show);
    show();
    return { end: () => void this.#kept.delete(show) };
  }

  #clear(): void {
    this.display.clear();
    this.#showAgain();
  }

  #showAgain(): void {
    for (const show of this.#kept) show();
  }

  /** Returns the index of the person's choice. Rejects with the signal's reason. */
  choose(choices: readonly Choice[], options: PickOptions): Promise<number> {
    return pick(this, choices, options);
  }

  /** Returns the line that the person types; undefined for Esc, Ctrl-C and the end of input. */
  async askLine(question: string, options: LineOptions = {}): Promise<string | undefined> {
    const typed = await this.readLine(question, options);
    return typed.type === 'line' ? typed.text : undefined;
  }

  /** Returns the line that the person types, or the key by which the person cancelled the question. */
  async readLine(question: string, { signal, prefill }: LineOptions = {}): Promise<TypedLine> {
    return new Promise((resolve) => {
      const finish = (typed: TypedLine) => {
        signal?.removeEventListener('abort', end);
        keys.end();
        editor.close();
        if (typed.type === 'line') {
          view.keep(typed.shown);
          this.#typed.add(typed.text);
        }
        resolve(typed);
      };
      const end = () => finish({ type: 'ended' });
      const view = this.lineView(question);
      const editor = new LineEditor({ view, history: this.#typed, onTyped: finish });
      if (prefill) editor.line = lineOf(showExactLine(prefill));
      const keys = this.keyboard.listen(editor);
      signal?.addEventListener('abort', end, { once: true });
      if (signal?.aborted) end();
    });
  }

  /** Leaves the terminal to another program until `work` ends. */
  lend<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.display.without(() => this.keyboard.lend(work));
  }

  /** Returns the view that draws a line while it is typed. */
  lineView(plainQuestion: string, question = plainQuestion): LineView {
    const { display, progress } = this;
    if (!this.isLive) return plainView(progress, plainQuestion);
    return liveView({ display, question, plainQuestion });
  }

  /**
   * Reads a line without showing it. Keys are read before the question is printed, so that early input is not echoed.
   */
  async askSecret(question: string): Promise<string> {
    const typed: string[] = [];
    const row = showExactLine(question);
    const end = await new Promise<Key>((resolve) => {
      const onKey = ({ name, text }: KeyPress) => {
        if (['enter', 'escape', 'ctrl-c', 'ctrl-d', 'closed'].includes(name)) {
          keys.end();
          resolve(name);
        } else if (name === 'backspace' || name === 'ctrl-h') typed.pop();
        else typed.push(...text);
      };
      const keys = this.keyboard.listen({ onKey });
      if (this.isLive) this.display.show('input', [row], { row: 0, column: columnsOf(row) });
      else this.progress.write(row);
    });
    if (this.isLive) this.display.print(row, 'input');
    else this.progress.write('\n');
    return end === 'enter' ? typed.join('').trim() : '';
  }
}
