import type { Terminal } from '../screen/terminal.js';
import { showTextLine } from '../screen/visible-text.js';
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
  /** Keys typed before the prompt existed. */
  readonly held: HeldKeys;
  /** Called when the person wants to stop the run. */
  readonly onStop: () => void;
  /** Called to turn the mode that allows edits on or off. */
  readonly onShiftTab: () => void;
  /** Returns completions for the word before the cursor. */
  readonly complete: (before: string) => Promise<Completion | undefined>;
}

/** A sent line and its displayed form. */
interface SentLine {
  readonly text: string;
  readonly shown: string;
}

const SIGN = '› ';

const LEAVE_HINT = '(Ctrl-C again, or Ctrl-D, leaves)';
const TAKE_BACK_HINT = '(↑ brings back the other queued lines)';
const EDIT_LAST_HINT = '(Esc again edits the last task)';

/**
 * The input line at the bottom of a session. The person can type at any time; lines sent during a run are queued and
 * stay visible until it ends.
 */
export class Prompt {
  readonly #parts: PromptParts;
  readonly #terminal: Terminal;
  readonly #view: LineView;
  readonly #editor: LineEditor;
  readonly #keys: { end(): void };
  readonly #queue: SentLine[] = [];
  /** Resolves the pending `next`, if any. */
  #take: ((line: SentLine | undefined) => void) | undefined;
  /** The key that was pressed last, if it acts only when it is pressed twice in a row. */
  #firstPress: 'ctrl-c' | 'escape' | undefined;
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

  /** Returns the next non-blank line; undefined when the person leaves or the signal fires. */
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

  /** Puts a line back into the input so that the person can change it. Shows remarks below it. */
  giveBack(line: string, remarks: readonly string[]): void {
    this.#editor.line = lineOf(line);
    this.#editor.showBelow(remarks.map((remark) => this.#dim(remark)));
  }

  close(): void {
    this.#keys.end();
    this.#editor.close();
    this.#terminal.display.show('queue', []);
  }

  /**
   * Handles a key before the editor does, and returns true if it did so. `isAlone` is true if the key was read alone.
   * Only such a key turns on the mode that allows edits, so that a paste cannot.
   */
  #onKey({ name }: KeyPress, isAlone: boolean): boolean {
    const isBlank = this.#editor.line.text.trim() === '';
    if (name !== this.#firstPress) this.#firstPress = undefined;
    if (name === 'enter' && isBlank) this.#editor.line = lineOf('');
    else if (name === 'up' && isBlank && this.#queue.length > 0) this.#takeBack(this.#queue.splice(-1));
    else if (name === 'escape' && this.#isBusy) this.#stop();
    else if (name === 'shift-tab' && isAlone) this.#parts.onShiftTab();
    else if (name === 'tab') void this.#complete();
    else if (name === 'ctrl-o' || name === 'ctrl-g') void this.#editElsewhere();
    else return false;
    return true;
  }

  /** Completes the line, unless it has changed meanwhile. */
  async #complete(): Promise<void> {
    const { line } = this.#editor;
    const completion = await this.#parts.complete(line.text.slice(0, line.cursor)).catch(() => undefined);
    if (!completion || completion.words.length === 0 || this.#editor.line !== line) return;
    const completed = complete(line, completion);
    this.#editor.line = completed;
    if (completed !== line || completion.words.length === 1) return;
    this.#editor.showBelow(wordRows(completion.words, this.#terminal.width).map((row) => this.#dim(row)));
  }

  async #editElsewhere(): Promise<void> {
    const editor = editorOf(process.env);
    if (!editor) return this.#editor.showBelow([this.#dim('(set VISUAL or EDITOR to choose an editor)')]);
    if (this.#isBusy) return this.#editor.showBelow([this.#dim('(not available during a run)')]);
    const file = { name: 'task.md', text: this.#editor.wholeText };
    try {
      const text = await this.#terminal.lend(() => editInFile(editor, file));
      this.#editor.line = lineOf(text.trimEnd());
    } catch (error) {
      const reason = error instanceof Error ? error.message : error;
      this.#editor.showBelow([this.#dim(showTextLine(`(The line is unchanged: ${reason})`))]);
    }
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

  /** Prints a sent line. Hides the input line, because the output of the run would be printed in the middle of it. */
  #keepPlain(text: string): void {
    this.#view.keep(text);
    this.#editor.onCovered(true);
  }

  #pressedOnEmpty(key: 'escape' | 'ctrl-c'): void {
    const isSecond = this.#firstPress === key;
    this.#firstPress = key;
    if (key === 'ctrl-c' && isSecond) this.#leave();
    else if (key === 'ctrl-c') {
      if (this.#isBusy) this.#stop();
      this.#editor.showBelow([this.#dim(LEAVE_HINT)]);
    } else if (isSecond) this.#editor.line = lineOf(this.#parts.history.lastTask ?? '');
    else if (this.#parts.history.lastTask) this.#editor.showBelow([this.#dim(EDIT_LAST_HINT)]);
  }

  get #isBusy(): boolean {
    return this.#take === undefined;
  }

  /** Stops the run. Queued lines are not sent: the newest returns to the input, ↑ brings back the others. */
  #stop(): void {
    const lines = this.#queue.splice(0);
    this.#takeBack(lines);
    if (lines.length > 1) this.#editor.showBelow([this.#dim(TAKE_BACK_HINT)]);
    this.#parts.onStop();
  }

  /**
   * Puts the newest line back into the input. The other lines are only in the history. They are not joined to it, since
   * a task joined to a line that begins with `!` would run as a command.
   */
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

  /** Resolves a pending `next` with the oldest line. */
  #handOver(): void {
    if (!this.#take || (this.#queue.length === 0 && !this.#hasEnded)) return;
    this.#take(this.#hasEnded ? undefined : this.#queue.shift());
    this.#take = undefined;
  }

  #showQueue(): void {
    const rows = this.#queue.map(({ shown }) => this.#dim(`  queued: ${showTextLine(shown)}`));
    this.#terminal.display.show('queue', rows);
  }

  #dim(text: string): string {
    return this.#terminal.paint('dim', text);
  }
}
