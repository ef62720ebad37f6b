import { isObject } from '../../../contract/fields.js';
import type { PhaseControl } from '../../../contract/step.js';

/** The phases whose reply is prose and a block (rule: phase-control). */
export type ProsePhase = 'reason' | 'observe';

/** The prose of a phase's reply, and the last of its control blocks. */
export interface PhaseReply {
  readonly prose: string;
  readonly control: PhaseControl;
}

const nothing: PhaseControl = {
  plan: null,
  tools_to_consider: null,
  finish: null,
  observation: null,
  should_continue: null,
  final_answer: null,
};

/** Control of a reply whose block is missing or broken: free text and "go on". */
const withoutBlock = {
  reason: { ...nothing, finish: false },
  observe: { ...nothing, should_continue: true },
} as const satisfies Record<ProsePhase, PhaseControl>;

/** The keys by which the block of each phase is recognised. */
const blockKeys = {
  reason: ['plan', 'tools_to_consider', 'finish'],
  observe: ['observation', 'should_continue', 'final_answer'],
} as const satisfies Record<ProsePhase, readonly (keyof PhaseControl)[]>;

/** Reads a whole reply; its prose holds no block. */
export function readPhaseReply(text: string, phase: ProsePhase): PhaseReply {
  const reader = new PhaseReader(phase);
  const prose = reader.push(text) + reader.end();
  return { prose: prose.trim(), control: reader.control };
}

/** Maximum number of unclosed braces after which a block is sought; the rest of a reply is prose. */
const MAX_BROKEN_BLOCKS = 20;

/** How a block begins: a brace and its first key, perhaps in a fence. It ends with the text as long as it may become that. */
const BEGINNING =
  /(?:(?<!`)```(?:json)?\s{0,64})?\{\s{0,64}(?:"|$)|(?<!`)(?:`{1,2}|```(?:j|js|jso)?|```(?:json)?\s{0,64})$/gi;
/** A closing fence after a block, with a bounded run of white space before it. */
const CLOSING_FENCE = /^\s{0,64}```[ \t]*\n?/;
const UNDECIDED_CLOSING_FENCE = /^\s{0,64}`{0,3}$/;

/**
 * Lets the prose of a reply through, whole or streamed, and takes the control blocks out, wherever they are: on lines of
 * their own, in a fence, or in a line of prose. The result does not depend on how the text is cut.
 */
export class PhaseReader {
  readonly #phase: ProsePhase;
  #control: PhaseControl;
  /** Text that may be a block: it begins with a brace or a fence, or is empty. */
  #held = '';
  /** The last character let through was a backtick, after which no fence begins. */
  #isAfterBacktick = false;
  #braces = new BraceScanner();
  /** A fenced block was taken out, so its closing fence must be too. */
  #endsFence = false;

  constructor(phase: ProsePhase) {
    this.#phase = phase;
    this.#control = withoutBlock[phase];
  }

  get control(): PhaseControl {
    return this.#control;
  }

  /** Takes a further piece and returns the text that is certain to be prose. */
  push(piece: string): string {
    this.#held += piece; // while a block is open its pieces are only strung together, not looked at again
    return this.#braces.isOpen && !this.#braces.readsEnd(piece) ? '' : this.#release();
  }

  /** Returns the rest of the prose: a block that was never closed is free text. */
  end(): string {
    let shown = '';
    if (this.#endsFence && UNDECIDED_CLOSING_FENCE.test(this.#held)) this.#held = '';
    for (let broken = 0; this.#held !== '' && broken < MAX_BROKEN_BLOCKS; broken += 1) {
      shown += this.#let(1);
      shown += this.push(this.#takeHeld());
    }
    return shown + this.#takeHeld();
  }

  #takeHeld(): string {
    const held = this.#held;
    this.#held = '';
    return held;
  }

  #release(): string {
    let shown = '';
    while (this.#dropClosingFence() && this.#held !== '') {
      const beginning = this.#letProse();
      const taken = beginning.text.endsWith('"') ? this.#takeBlock(beginning.text.indexOf('{')) : undefined;
      shown += beginning.before + (taken ?? '');
      if (taken === undefined) break;
    }
    return shown;
  }

  /** Lets the text before a possible block through. */
  #letProse(): { readonly before: string; readonly text: string } {
    const last = this.#isAfterBacktick ? '`' : '';
    BEGINNING.lastIndex = last.length;
    const found = BEGINNING.exec(last + this.#held);
    return {
      before: this.#let(found ? found.index - last.length : this.#held.length),
      text: found?.[0] ?? '',
    };
  }

  /** Returns the prose of the block that begins here: its thought, or all if it is none of ours; undefined while it is open. */
  #takeBlock(brace: number): string | undefined {
    const isClosed = this.#braces.isClosed || this.#braces.readsEnd(this.#held.slice(brace));
    if (!isClosed) return undefined;
    const end = brace + this.#braces.length;
    const block = parseBlock(this.#held.slice(brace, end), this.#phase);
    if (!block) return this.#let(end);
    this.#control = block.control;
    this.#let(end);
    this.#endsFence = brace > 0;
    return block.thought;
  }

  #dropClosingFence(): boolean {
    if (!this.#endsFence) return true;
    if (UNDECIDED_CLOSING_FENCE.test(this.#held)) return false;
    this.#held = this.#held.slice(CLOSING_FENCE.exec(this.#held)?.[0].length ?? 0);
    this.#endsFence = false;
    return true;
  }

  #let(length: number): string {
    const shown = this.#held.slice(0, length);
    this.#held = this.#held.slice(length);
    this.#braces = new BraceScanner();
    if (length > 0) this.#isAfterBacktick = shown.endsWith('`');
    return shown;
  }
}

/** Finds the end of a JSON object that arrives in pieces, each of which is read once. */
class BraceScanner {
  /** Number of characters of the object so far. */
  length = 0;
  #depth = 0;
  #isInString = false;
  #isEscaped = false;

  get isOpen(): boolean {
    return this.#depth > 0;
  }

  get isClosed(): boolean {
    return this.length > 0 && this.#depth === 0;
  }

  /** Reads a piece up to the object's end; false if the object is still open. */
  readsEnd(piece: string): boolean {
    for (let at = 0; at < piece.length; at += 1) {
      this.#enter(piece.charCodeAt(at));
      if (this.#depth > 0) continue;
      this.length += at + 1;
      return true;
    }
    this.length += piece.length;
    return false;
  }

  #enter(code: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (code === QUOTE) this.#isInString = !this.#isInString;
    else if (this.#isInString) this.#isEscaped = code === BACKSLASH;
    else if (code === OPEN_BRACE) this.#depth += 1;
    else if (code === CLOSE_BRACE) this.#depth -= 1;
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** Parses the block of this phase; undefined if the text is none. A block that is a whole reply has its prose in `thought`. */
function parseBlock(text: string, phase: ProsePhase): { control: PhaseControl; thought: string } | undefined {
  const keys: readonly string[] = blockKeys[phase];
  try {
    const value: unknown = JSON.parse(text);
    if (!isObject(value) || !keys.some((key) => key in value)) return undefined;
    const { thought } = value;
    return { control: readControl(value), thought: typeof thought === 'string' ? thought : '' };
  } catch {
    return undefined; // not a block: free text
  }
}

function readControl(block: Readonly<Record<string, unknown>>): PhaseControl {
  const text = (key: string) => {
    const value = Array.isArray(block[key]) ? block[key].join('\n') : block[key];
    return typeof value === 'string' ? value : null;
  };
  const flag = (key: string) => (typeof block[key] === 'boolean' ? block[key] : null);
  const names = block['tools_to_consider'];
  return {
    plan: text('plan'),
    tools_to_consider: Array.isArray(names) ? names.filter((name) => typeof name === 'string') : null,
    finish: flag('finish'),
    observation: text('observation'),
    should_continue: flag('should_continue'),
    final_answer: text('final_answer')?.trim() ? text('final_answer') : null,
  };
}
