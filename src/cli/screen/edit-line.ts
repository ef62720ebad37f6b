import { createInterface, type Interface } from 'node:readline';
import { showExactLine } from './shown-text.js';

/** What came of a question for a line: the text, what the person pressed instead, or the end of all input. */
export type TypedLine =
  | { readonly type: 'line'; readonly text: string }
  | { readonly type: 'cancelled'; readonly key: 'escape' | 'ctrl-c'; readonly wasEmpty: boolean }
  | { readonly type: 'ended' };

export interface LineOptions {
  /** Ends the question; what was typed is dropped. */
  readonly signal?: AbortSignal;
  /** Stands there as if it had been typed. */
  readonly prefill?: string;
}

interface Place {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  /** What was typed before, newest first. */
  readonly history: readonly string[];
  /** True where the terminal can be asked to mark what is pasted. */
  readonly isLive: boolean;
}

/** Bracketed paste: the terminal says where a paste begins and ends. */
const MARK_PASTES = '\u001b[?2004h';
const MARK_NO_PASTES = '\u001b[?2004l';

/** In milliseconds: an escape alone is the key, one that goes on is a sequence. */
const ESCAPE_MS = 50;

/**
 * Asks for a line, which the person can edit. A paste of several lines is one text: it waits for Enter, and nothing
 * of it is sent off or lost before.
 */
export async function editLine(
  place: Place,
  question: string,
  { signal, prefill }: LineOptions,
): Promise<TypedLine> {
  const { input, output, isLive } = place;
  const editor = new LineEditor(place);
  const end = () => editor.finish({ type: 'ended' });
  input.on('keypress', editor.onKeypress);
  signal?.addEventListener('abort', end, { once: true });
  if (signal?.aborted) end();
  try {
    if (isLive) output.write(MARK_PASTES);
    editor.open(question, prefill);
    const typed = await editor.finished;
    if (typed.type !== 'line') output.write('\n');
    return typed;
  } finally {
    if (isLive) output.write(MARK_NO_PASTES);
    signal?.removeEventListener('abort', end);
    input.off('keypress', editor.onKeypress);
    editor.close();
  }
}

/** The editor of Node for one line, and the lines of a paste above it. */
class LineEditor {
  readonly finished: Promise<TypedLine>;
  readonly #lines: Interface;
  readonly #pasted: string[] = [];
  #isPasting = false;
  /** Counts once. */
  finish: (typed: TypedLine) => void = () => undefined;

  constructor({ input, output, history }: Place) {
    this.finished = new Promise((resolve) => {
      this.finish = resolve;
    });
    this.#lines = createInterface({
      ...{ input, output, history: [...history], terminal: true },
      escapeCodeTimeout: ESCAPE_MS,
    });
    this.#lines
      .on('line', (line) => this.#take(line))
      .on('SIGINT', () => this.#cancel('ctrl-c'))
      .on('close', () => this.finish({ type: 'ended' }));
  }

  open(question: string, prefill: string | undefined): void {
    this.#lines.setPrompt(question);
    this.#lines.prompt();
    // As if typed: a control character in it would act, and a line break would send it off.
    if (prefill) this.#lines.write(showExactLine(prefill));
  }

  close(): void {
    this.#lines.close();
  }

  readonly onKeypress = (_: string, { name }: { name?: string } = {}): void => {
    if (name === 'paste-start' || name === 'paste-end') this.#isPasting = name === 'paste-start';
    else if (name === 'escape' && !this.#isPasting) this.#cancel('escape');
  };

  #take(line: string): void {
    if (this.#isPasting) this.#pasted.push(line);
    else this.finish({ type: 'line', text: [...this.#pasted, line].join('\n') });
  }

  #cancel(key: 'escape' | 'ctrl-c'): void {
    this.finish({ type: 'cancelled', key, wasEmpty: this.#pasted.length === 0 && this.#lines.line === '' });
  }
}
