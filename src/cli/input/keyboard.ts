import { StringDecoder } from 'node:string_decoder';
import { setTimeout as wait } from 'node:timers/promises';
import { KeyDecoder, type KeyPress } from './decode-keys.js';

/** Receives keys while it is the newest listener. */
export interface KeyListener {
  /** `isAlone` is true if no other key arrived in the same read. */
  onKey(key: KeyPress, isAlone?: boolean): void;
  /** Called with true when a newer listener gets the keys, and with false when that listener has ended. */
  onCovered?(isCovered: boolean): void;
  /** Called when the window size changes. */
  onResized?(): void;
  /** Returns true while a line is being typed. */
  hasDraft?(): boolean;
}

export interface KeyboardParts {
  /** Writes a control sequence if the terminal supports it. */
  readonly mark: (mark: string) => void;
  /** Handlers of keys that have the same effect during any question, by key name. */
  readonly everywhere?: Readonly<Record<string, () => void>>;
}

/** Keys that were typed before a listener existed. */
export interface HeldKeys {
  /** Stops holding and returns the held keys. */
  end(): readonly KeyPress[];
}

/** Bracketed paste: the terminal marks the beginning and end of a paste. */
const MARK_PASTES = '\u001b[?2004h';
const MARK_NO_PASTES = '\u001b[?2004l';

/**
 * The only reader of the keyboard. The newest listener gets the keys until it ends, then the previous one again.
 * Without a listener the terminal is in its normal mode.
 */
export class Keyboard {
  readonly #input: NodeJS.ReadStream;
  readonly #mark: KeyboardParts['mark'];
  readonly #everywhere: NonNullable<KeyboardParts['everywhere']>;
  readonly #listeners: KeyListener[] = [];
  readonly #characters = new StringDecoder('utf8');
  readonly #decoder = new KeyDecoder();
  #silence: ReturnType<typeof setTimeout> | undefined;
  #onKeysHandled: () => void = () => undefined;
  #isOpen = false;
  #isFirstRead = true;
  #isClosed = false;

  constructor(input: NodeJS.ReadStream, { mark, everywhere = {} }: KeyboardParts) {
    this.#input = input;
    this.#mark = mark;
    this.#everywhere = everywhere;
  }

  /** Sends every key to the listener until `end`. */
  listen(listener: KeyListener): { end(): void } {
    this.#top()?.onCovered?.(true);
    this.#listeners.push(listener);
    this.#open();
    if (this.#isClosed) queueMicrotask(() => listener.onKey(CLOSED));
    return { end: () => this.#remove(listener) };
  }

  /** Holds keys typed during the startup, so that the terminal does not echo them. */
  hold(onInterrupt: () => void): HeldKeys {
    const kept: KeyPress[] = [];
    const onKey = (key: KeyPress) => (key.name === 'ctrl-c' ? onInterrupt() : kept.push(key));
    const listening = this.listen({ onKey: (key) => void onKey(key) });
    return {
      end: () => {
        listening.end();
        return kept;
      },
    };
  }

  /** True while the person is typing a line. */
  get isInDraft(): boolean {
    return this.#top()?.hasDraft?.() === true;
  }

  /**
   * Resolves when no line is being typed. A person who is typing may not notice a new question, and the next letter
   * must not answer it.
   */
  async whenFree(signal: AbortSignal): Promise<void> {
    let wake = (): void => undefined;
    const onAbort = () => wake();
    signal.addEventListener('abort', onAbort);
    while (this.isInDraft && !signal.aborted)
      await new Promise<void>((resolve) => {
        wake = resolve;
        this.#onKeysHandled = resolve;
      });
    signal.removeEventListener('abort', onAbort);
  }

  notifyResized(): void {
    this.#top()?.onResized?.();
  }

  /** Leaves the keyboard to another program, such as an editor, until `use` ends. */
  async lend<Result>(use: () => Promise<Result> | Result): Promise<Result> {
    this.#close();
    try {
      return await use();
    } finally {
      if (this.#listeners.length > 0) this.#open();
    }
  }

  #top(): KeyListener | undefined {
    return this.#listeners.at(-1);
  }

  #remove(listener: KeyListener): void {
    const at = this.#listeners.indexOf(listener);
    if (at < 0) return;
    const wasTop = listener === this.#top();
    this.#listeners.splice(at, 1);
    if (this.#listeners.length === 0) this.#close();
    else if (wasTop) this.#top()?.onCovered?.(false);
  }

  #open(): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    this.#isFirstRead = true;
    const input = this.#input;
    if (input.isTTY) input.setRawMode(true);
    input.on('data', this.#onData).once('end', this.#onEnd).once('close', this.#onEnd);
    process.once('exit', this.#unmark);
    input.resume();
    this.#mark(MARK_PASTES);
  }

  #close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    const input = this.#input;
    this.#unmark();
    process.off('exit', this.#unmark);
    input.off('data', this.#onData).off('end', this.#onEnd).off('close', this.#onEnd);
    if (input.isTTY && !input.destroyed) input.setRawMode(false);
    input.pause();
  }

  readonly #unmark = (): void => this.#mark(MARK_NO_PASTES);

  readonly #onData = (data: Buffer): void => {
    clearTimeout(this.#silence);
    const read = this.#characters.write(data);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters mean that raw mode was already on
    const wasTypedBefore = this.#isFirstRead && /[^\n]\n/.test(read) && !/[\r\u001b]/.test(read);
    this.#isFirstRead = false;
    // Before raw mode, the terminal turns Enter into a line feed.
    this.#dispatch(this.#decoder.push(wasTypedBefore ? read.replaceAll('\n', '\r') : read));
    const { flushAfterMs } = this.#decoder;
    if (flushAfterMs !== undefined)
      this.#silence = setTimeout(() => this.#dispatch(this.#decoder.flush()), flushAfterMs);
  };

  readonly #onEnd = (): void => {
    this.#isClosed = true;
    for (const listener of this.#listeners.toReversed()) listener.onKey(CLOSED);
  };

  /** Sends each key to the current listener, which can change with every key. */
  #dispatch(keys: readonly KeyPress[]): void {
    for (const key of keys) {
      const act = this.#everywhere[key.name];
      if (act) act();
      else this.#top()?.onKey(key, keys.length === 1);
    }
    this.#onKeysHandled();
  }
}

/** Time to wait for the stop signal to arrive. */
const STOPPING_MS = 50;

/** Stops the process as Ctrl-Z does; `fg` resumes it. Does nothing without a job-control shell. */
export async function stopUntilCalledBack(): Promise<void> {
  if (process.platform === 'win32') return;
  // Stops the whole process group, as the terminal would, since `npx` belongs to it too.
  process.kill(0, 'SIGTSTP');
  // This wait ends after the process has been resumed.
  await wait(STOPPING_MS);
}

const CLOSED: KeyPress = { name: 'closed', text: '' };
