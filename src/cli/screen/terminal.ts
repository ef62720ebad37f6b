import { styleText } from 'node:util';
import { editLine, type LineOptions, type TypedLine } from './edit-line.js';
import { showExactLine } from './shown-text.js';

/** Puts colour on a text, or leaves it alone. */
export type Paint = (style: Parameters<typeof styleText>[0], text: string) => string;

export const plain: Paint = (_style, text) => text;

/** Colour only where a person looks at it: on a terminal that has colours, and not with `NO_COLOR`. */
export function paintFor(stream: NodeJS.WriteStream): Paint {
  return stream.isTTY && stream.hasColors() ? styleText : plain;
}

/** A key as it was pressed: a character, or one of the names. */
export type Key = 'escape' | 'enter' | 'ctrl-c' | 'ctrl-d' | (string & {});

const keyNames: Readonly<Record<string, Key>> = {
  '\u001b': 'escape',
  '\r': 'enter',
  '\n': 'enter',
  '\u0003': 'ctrl-c',
  '\u0004': 'ctrl-d',
};

/** Where the person sits. Progress goes to stderr where stdout is for a script. */
export class Terminal {
  readonly progress: NodeJS.WriteStream;
  readonly paint: Paint;
  readonly #input: NodeJS.ReadStream;
  readonly #typed: string[] = [];
  #watcher: ((key: Key) => void) | undefined;
  #watch: { end(): void } | undefined;

  /** `stdoutIsTaken`: something else is written there, such as lines of JSON. */
  constructor({ stdoutIsTaken = false } = {}) {
    const { stdin, stdout, stderr } = process;
    this.#input = stdin;
    this.progress = stdout.isTTY && !stdoutIsTaken ? stdout : stderr;
    this.paint = paintFor(this.progress);
  }

  /** True where a person can be asked and can press keys. */
  get isInteractive(): boolean {
    return this.#input.isTTY === true && this.progress.isTTY === true;
  }

  /** True where lines may be drawn over again. */
  get isLive(): boolean {
    return this.progress.isTTY === true && process.env['TERM'] !== 'dumb';
  }

  get width(): number {
    return this.progress.columns || 100;
  }

  /** Tells every key until it is ended. Arrow keys and the like are told as they come: as sequences. */
  onKey(listen: (key: Key) => void): { end(): void } {
    const input = this.#input;
    if (!this.isInteractive) return { end: () => undefined };
    const onData = (data: Buffer) => {
      const text = data.toString('utf8');
      const single = keyNames[text];
      for (const key of single ? [single] : splitKeys(text)) listen(key);
    };
    input.setRawMode(true);
    input.on('data', onData);
    input.resume();
    return {
      end: () => {
        input.off('data', onData);
        input.setRawMode(false);
        input.pause();
      },
    };
  }

  /** Tells every key for as long as nobody else reads the keyboard, until it is ended. */
  watchKeys(listen: (key: Key) => void): { end(): void } {
    this.#watcher = listen;
    this.#watch = this.onKey(listen);
    return {
      end: () => {
        this.#watch?.end();
        this.#watch = undefined;
        this.#watcher = undefined;
      },
    };
  }

  /** Lets a question have the keyboard for itself. */
  async withoutKeys<Result>(ask: () => Promise<Result>): Promise<Result> {
    this.#watch?.end();
    try {
      return await ask();
    } finally {
      if (this.#watcher) this.#watch = this.onKey(this.#watcher);
    }
  }

  /** The next key that is one of these. Ends with the signal's reason when it fires. */
  async pressedKey(allowed: readonly Key[], signal: AbortSignal): Promise<Key> {
    signal.throwIfAborted();
    return new Promise((resolve, reject) => {
      const keys = this.onKey((key) => {
        if (!allowed.includes(key.toLowerCase())) return;
        stop();
        resolve(key.toLowerCase());
      });
      const stop = () => {
        keys.end();
        signal.removeEventListener('abort', abort);
      };
      const abort = () => {
        stop();
        reject(signal.reason);
      };
      signal.addEventListener('abort', abort, { once: true });
    });
  }

  /** A line that the person types; undefined for Esc, Ctrl-C and the end of input. */
  async askLine(question: string, options: LineOptions = {}): Promise<string | undefined> {
    const typed = await this.readLine(question, options);
    return typed.type === 'line' ? typed.text : undefined;
  }

  /** The same with what was done instead of a line. */
  async readLine(question: string, options: LineOptions = {}): Promise<TypedLine> {
    const place = { input: this.#input, output: this.progress, isLive: this.isLive, history: this.#typed };
    const typed = await editLine(place, question, options);
    if (typed.type === 'line' && typed.text.trim() && !typed.text.includes('\n'))
      this.#typed.unshift(typed.text);
    return typed;
  }

  /** A line that is not shown. Keys are taken before the question is asked: who types at once is not echoed. */
  async askSecret(question: string): Promise<string> {
    const typed: string[] = [];
    const end = await new Promise<Key>((resolve) => {
      const keys = this.onKey((key) => {
        if (['enter', 'escape', 'ctrl-c', 'ctrl-d'].includes(key)) {
          keys.end();
          resolve(key);
        } else if (key === '\u007f' || key === '\b') typed.pop();
        else typed.push(key);
      });
      this.progress.write(showExactLine(question));
    });
    this.progress.write('\n');
    return end === 'enter' ? typed.join('').trim() : '';
  }
}

/** Characters of a paste or of fast typing one by one; an escape sequence stays together. */
function splitKeys(text: string): Key[] {
  if (text.startsWith('\u001b')) return [text];
  return [...text].map((character) => keyNames[character] ?? character);
}
