import { showTextLine } from '../screen/shown-text.js';
import type { Terminal } from '../screen/terminal.js';
import type { KeyPress } from './decode-keys.js';
import { editInFile, editorOf } from './edit-in-file.js';
import type { HeldKeys } from './keyboard.js';
import { lineOf } from './line.js';
import { type Completion, complete, wordRows } from './line-completion.js';
import { LineEditor, type TypedLine } from './line-editor.js';
import type { LineHistory } from './line-history.js';
import type { LineView } from './line-view.js';

interface PromptParts {
  readonly history: LineHistory;
  /** What was typed before. */
  readonly held: HeldKeys;
  /** The person wants the run to end. */
  readonly onStop: () => void;
  /** The person wants edits to be allowed without asking, or no longer. */
  readonly onShiftTab: () => void;
  /** What the word before the cursor may become. */
  readonly complete: (before: string) => Promise<Completion | undefined>;
}

/** A line that was sent, and how it is shown. */
interface SentLine {
  readonly text: string;
  readonly shown: string;
}

const SIGN = '› ';

const HOW_TO_LEAVE = '(Ctrl-C again, or Ctrl-D, leaves)';
const HOW_TO_TAKE_BACK = '(↑ brings back the other lines that waited)';
const HOW_TO_GO_BACK = '(Esc again takes the last task back to change it)';

/**
 * The line at the bottom of a session, in which a person may type at all times: while a run is on its way, what is
 * sent waits for its end and stands there until then.
 */
export class Prompt {
  readonly #parts: PromptParts;
  readonly #terminal: Terminal;
  readonly #view: LineView;
  readonly #editor: LineEditor;
  readonly #keys: { end(): void };
  readonly #queue: SentLine[] = [];
  /** Set while a line is waited for. */
  #take: ((line: SentLine | undefined) => void) | undefined;
  /** The key that is to be pressed once more. */
  #armed: 'ctrl-c' | 'escape' | undefined;
  #hasEnded = false;

  constructor(terminal: Terminal, parts: PromptParts) {
    this.#terminal = terminal;
    this.#parts = parts;
    this.#view = terminal.lineView(SIGN, terminal.paint('cyan', SIGN));
    this.#editor = new LineEditor({
      view: this.#view,
      history: parts.history,
      onTyped: (typed) => this.#onTyped(typed),
      onKey: (key, isAlone) => this.#onKey(key, isAlone),
    });
    this.#keys = terminal.keyboard.listen(this.#editor);
    for (const key of parts.held.end()) this.#editor.onKey(key);
  }

  /** The next line that is not blank; undefined when the person leaves or the signal fires. */
  async next(signal: AbortSignal): Promise<string | undefined> {
    const leave = () => this.#leave();
    signal.addEventListener('abort', leave, { once: true });
    if (signal.aborted) leave();
    if (!this.#terminal.isLive) this.#editor.onCovered(false);
    const line = await new Promise<SentLine | undefined>((resolve) => {
      this.#take = resolve;
      this.#handOver();
    });
    signal.removeEventListener('abort', leave);
    if (line && this.#terminal.isLive) this.#view.keep(line.shown);
    this.#showQueue();
    return line?.text;
  }

  /** Puts a line back to be changed, with what is to be said of it. */
  giveBack(line: string, remarks: readonly string[]): void {
    this.#editor.line = lineOf(line);
    this.#editor.tell(remarks.map((remark) => this.#dim(remark)));
  }

  close(): void {
    this.#keys.end();
    this.#editor.close();
    this.#terminal.display.show('queue', []);
  }

  /** `isAlone`: no paste is to allow anything. */
  #onKey({ name }: KeyPress, isAlone: boolean): boolean {
    const isBlank = this.#editor.line.text.trim() === '';
    if (name !== this.#armed) this.#armed = undefined;
    if (name === 'enter' && isBlank) this.#editor.line = lineOf('');
    else if (name === 'up' && isBlank && this.#queue.length > 0) this.#takeBack(this.#queue.splice(-1));
    else if (name === 'escape' && this.#isBusy) this.#stop();
    else if (name === 'shift-tab' && isAlone) this.#parts.onShiftTab();
    else if (name === 'tab') void this.#complete();
    else if (name === 'ctrl-o' || name === 'ctrl-g') void this.#editElsewhere();
    else return false;
    return true;
  }

  /** A line that was changed meanwhile is left alone. */
  async #complete(): Promise<void> {
    const { line } = this.#editor;
    const completion = await this.#parts.complete(line.text.slice(0, line.cursor)).catch(() => undefined);
    if (!completion || completion.words.length === 0 || this.#editor.line !== line) return;
    const completed = complete(line, completion);
    this.#editor.line = completed;
    if (completed !== line || completion.words.length === 1) return;
    this.#editor.tell(wordRows(completion.words, this.#terminal.width).map((row) => this.#dim(row)));
  }

  async #editElsewhere(): Promise<void> {
    const editor = editorOf(process.env);
    if (!editor) return this.#editor.tell([this.#dim('(VISUAL or EDITOR names the editor to use)')]);
    if (this.#isBusy) return this.#editor.tell([this.#dim('(not while a run is on its way)')]);
    const file = { name: 'task.md', text: this.#editor.wholeText };
    const text = await this.#terminal.lend(() => editInFile(editor, file)).catch(() => undefined);
    if (text !== undefined) this.#editor.line = lineOf(text.trimEnd());
  }

  #onTyped(typed: TypedLine): void {
    if (typed.type === 'ended') this.#leave();
    else if (typed.type === 'line') this.#send(typed);
    else if (typed.wasEmpty) this.#pressedOnEmpty(typed.key);
  }

  #send(line: SentLine): void {
    this.#parts.history.add(line.text);
    this.#queue.push(line);
    if (!this.#terminal.isLive) this.#keepPlain(line.shown);
    this.#handOver();
    this.#showQueue();
  }

  /** Where nothing can be drawn over, a line in the midst of what a run shows would be torn apart. */
  #keepPlain(text: string): void {
    this.#view.keep(text);
    this.#editor.onCovered(true);
  }

  #pressedOnEmpty(key: 'escape' | 'ctrl-c'): void {
    const isSecond = this.#armed === key;
    this.#armed = key;
    if (key === 'ctrl-c' && isSecond) this.#leave();
    else if (key === 'ctrl-c') {
      if (this.#isBusy) this.#stop();
      this.#editor.tell([this.#dim(HOW_TO_LEAVE)]);
    } else if (isSecond) this.#editor.line = lineOf(this.#parts.history.lastTask ?? '');
    else if (this.#parts.history.lastTask) this.#editor.tell([this.#dim(HOW_TO_GO_BACK)]);
  }

  get #isBusy(): boolean {
    return this.#take === undefined;
  }

  /** What waits is not sent off after a stop: the newest stands in the line again, ↑ brings back the others. */
  #stop(): void {
    const lines = this.#queue.splice(0);
    this.#takeBack(lines);
    if (lines.length > 1) this.#editor.tell([this.#dim(HOW_TO_TAKE_BACK)]);
    this.#parts.onStop();
  }

  /** One by one: joined to a line that begins with `!`, a task would run as a command. All are in the history. */
  #takeBack(lines: readonly SentLine[]): void {
    const newest = lines.at(-1);
    if (newest && this.#editor.line.text === '') {
      this.#parts.history.up('');
      this.#editor.line = lineOf(newest.shown);
    }
    this.#showQueue();
  }

  #leave(): void {
    if (this.#isBusy) this.#parts.onStop();
    this.#hasEnded = true;
    this.#handOver();
  }

  /** Gives the oldest line to who waits for one. */
  #handOver(): void {
    if (!this.#take || (this.#queue.length === 0 && !this.#hasEnded)) return;
    this.#take(this.#hasEnded ? undefined : this.#queue.shift());
    this.#take = undefined;
  }

  #showQueue(): void {
    const rows = this.#queue.map(({ shown }) => this.#dim(`  waits: ${showTextLine(shown)}`));
    this.#terminal.display.show('queue', rows);
  }

  #dim(text: string): string {
    return this.#terminal.paint('dim', text);
  }
}
