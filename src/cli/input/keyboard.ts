import { StringDecoder } from 'node:string_decoder';
import { setTimeout as wait } from 'node:timers/promises';
import { KeyDecoder, type KeyPress } from './decode-keys.js';

/** Who takes the keys for a while. */
export interface KeyListener {
  /** `isAlone`: nothing else was read together with it. */
  onKey(key: KeyPress, isAlone?: boolean): void;
  /** Another one takes the keys from now on, or does so no longer. */
  onCovered?(isCovered: boolean): void;
  /** The window has another size. */
  onResized?(): void;
  /** True in the midst of a line. */
  hasDraft?(): boolean;
}

export interface KeyboardParts {
  /** Writes to the terminal, where it understands marks. */
  readonly mark: (mark: string) => void;
  /** Keys that do the same whatever the person is asked. */
  readonly everywhere?: Readonly<Record<string, () => void>>;
}

/** Keys that wait for somebody to take them. */
export interface HeldKeys {
  /** What was typed; no more is held. */
  end(): readonly KeyPress[];
}

/** Bracketed paste: the terminal says where a paste begins and ends. */
const MARK_PASTES = '\u001b[?2004h';
const MARK_NO_PASTES = '\u001b[?2004l';

/**
 * The one reader of the keyboard. The newest listener takes the keys until it ends, then the one before it again.
 * While nobody listens the terminal is as other programs know it.
 */
export class Keyboard {
  readonly #input: NodeJS.ReadStream;
  readonly #mark: KeyboardParts['mark'];
  readonly #everywhere: NonNullable<KeyboardParts['everywhere']>;
  readonly #listeners: KeyListener[] = [];
  readonly #characters = new StringDecoder('utf8');
  readonly #decoder = new KeyDecoder();
  #silence: ReturnType<typeof setTimeout> | undefined;
  #onTold: () => void = () => undefined;
  #isOpen = false;
  #isFirstRead = true;
  #isClosed = false;

  constructor(input: NodeJS.ReadStream, { mark, everywhere = {} }: KeyboardParts) {
    this.#input = input;
    this.#mark = mark;
    this.#everywhere = everywhere;
  }

  /** Tells the listener every key until it is ended. */
  listen(listener: KeyListener): { end(): void } {
    this.#top()?.onCovered?.(true);
    this.#listeners.push(listener);
    this.#open();
    if (this.#isClosed) queueMicrotask(() => listener.onKey(CLOSED));
    return { end: () => this.#remove(listener) };
  }

  /** Keeps what is typed before there is anything to type into, so that the terminal does not show it anywhere. */
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

  /** True while the person is in the midst of a line. */
  get isInDraft(): boolean {
    return this.#top()?.hasDraft?.() === true;
  }

  /**
   * Resolves when nobody is in the midst of a line: who types on does not see the question that has just come, and
   * the next letter is no answer to it.
   */
  async whenFree(signal: AbortSignal): Promise<void> {
    while (this.isInDraft && !signal.aborted)
      await new Promise<void>((resolve) => {
        this.#onTold = resolve;
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
  }

  tellResized(): void {
    this.#top()?.onResized?.();
  }

  /** Leaves the terminal to another program for a while. */
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
    // biome-ignore lint/suspicious/noControlCharactersInRegex: where there are keys, the keyboard was ours already
    const wasTypedBefore = this.#isFirstRead && /[^\n]\n/.test(read) && !/[\r\u001b]/.test(read);
    this.#isFirstRead = false;
    // Until the keyboard is ours, the terminal makes a line break of Enter.
    this.#tell(this.#decoder.push(wasTypedBefore ? read.replaceAll('\n', '\r') : read));
    const { flushAfterMs } = this.#decoder;
    if (flushAfterMs !== undefined)
      this.#silence = setTimeout(() => this.#tell(this.#decoder.flush()), flushAfterMs);
  };

  readonly #onEnd = (): void => {
    this.#isClosed = true;
    for (const listener of this.#listeners.toReversed()) listener.onKey(CLOSED);
  };

  /** Each key to whom it then belongs: the one before may have ended a question. */
  #tell(keys: readonly KeyPress[]): void {
    for (const key of keys) {
      const act = this.#everywhere[key.name];
      if (act) act();
      else this.#top()?.onKey(key, keys.length === 1);
    }
    this.#onTold();
  }
}

/** In milliseconds: the signal has arrived by then. */
const STOPPING_MS = 50;

/** As a shell expects it of Ctrl-Z; `fg` brings it back. Where there is no shell, nothing stops. */
export async function stopUntilCalledBack(): Promise<void> {
  if (process.platform === 'win32') return;
  process.kill(0, 'SIGTSTP'); // all of the job, as the terminal itself does it: `npx` is in it too
  await wait(STOPPING_MS); // it ends when the process goes on
}

const CLOSED: KeyPress = { name: 'closed', text: '' };
