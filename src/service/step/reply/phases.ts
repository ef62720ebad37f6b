import { isObject } from '../../../contract/fields.js';
import type { PhaseControl } from '../../../contract/step.js';
import { readExactJson } from '../../../parsing/text/exact-json.js';
import { isJsonObject, type JsonValue } from '../../../parsing/text/scanner.js';
import type { ProsePhase } from '../types.js';

/** The reply of a phase, split into its prose and its last control block. */
export interface PhaseReply {
  readonly prose: string;
  readonly control: PhaseControl;
  /** The `final_answer` of the block, as the model wrote it; undefined if there is none. */
  readonly answer: JsonValue | undefined;
}

const emptyControl: PhaseControl = {
  plan: null,
  tools_to_consider: null,
  finish: null,
  observation: null,
  should_continue: null,
  final_answer: null,
};

/** Defaults for a reply whose control block is missing or invalid: the run continues. */
const withoutBlock = {
  reason: { ...emptyControl, finish: false },
  observe: { ...emptyControl, should_continue: true },
} as const satisfies Record<ProsePhase, PhaseControl>;

/** The keys that identify the control block of each phase. */
const blockKeys = {
  reason: ['plan', 'tools_to_consider', 'finish'],
  observe: ['observation', 'should_continue', 'final_answer'],
} as const satisfies Record<ProsePhase, readonly (keyof PhaseControl)[]>;

/** Reads a complete reply. Removes all control blocks from its prose. */
export function readPhaseReply(text: string, phase: ProsePhase, options: BlockOptions = {}): PhaseReply {
  const reader = new PhaseReader(phase, options);
  const prose = reader.push(text) + reader.end();
  return { prose: prose.trim(), control: reader.control, answer: reader.answer };
}

interface BlockOptions {
  /**
   * True if `final_answer` may be a JSON value of any type. The control values then contain it as JSON text (rule:
   * typed-answers).
   */
  readonly hasJsonAnswer?: boolean;
}

/**
 * Maximum number of unclosed braces after which the reader still looks for a control block. Beyond it, the rest of
 * the reply is treated as prose.
 */
const MAX_BROKEN_BLOCKS = 20;

/**
 * Matches the beginning of a control block: a brace and its first key, optionally in a code fence. Also matches an
 * incomplete beginning at the end of the text.
 */
const BEGINNING =
  /(?:(?<!`)```(?:json)?\s{0,64})?\{\s{0,64}(?:"|$)|(?<!`)(?:`{1,2}|```(?:j|js|jso)?|```(?:json)?\s{0,64})$/gi;
/** Matches a closing code fence after a block, with at most 64 characters of white space before it. */
const CLOSING_FENCE = /^\s{0,64}```[ \t]*\n?/;
const UNDECIDED_CLOSING_FENCE = /^\s{0,64}`{0,3}$/;

/**
 * Returns the prose of a reply, whole or streamed, without its control blocks. A block may be on lines of its own, in
 * a code fence, or within a line of prose. The result does not depend on how the text is split into fragments.
 */
export class PhaseReader {
  readonly #phase: ProsePhase;
  #control: PhaseControl;
  #answer: JsonValue | undefined;
  /**
   * Text that may belong to a control block and is not emitted yet: it begins with a brace or a code fence, or is
   * empty.
   */
  #held = '';
  /** True if the last emitted character was a backtick. A code fence cannot begin directly after one. */
  #isAfterBacktick = false;
  #braces = new BraceScanner();
  /** True if a block in a code fence was removed, so that the closing fence must be removed too. */
  #endsFence = false;

  readonly #options: BlockOptions;

  constructor(phase: ProsePhase, options: BlockOptions = {}) {
    this.#phase = phase;
    this.#options = options;
    this.#control = withoutBlock[phase];
  }

  get control(): PhaseControl {
    return this.#control;
  }

  get answer(): JsonValue | undefined {
    return this.#answer;
  }

  /** Appends a fragment. Returns the text that is certain to be prose. */
  push(fragment: string): string {
    this.#held += fragment; // appended only: an open block is not scanned again
    return this.#braces.isOpen && !this.#braces.readsEnd(fragment) ? '' : this.#release();
  }

  /** Returns the remaining prose. A block that was never closed is treated as prose. */
  end(): string {
    let prose = '';
    if (this.#endsFence && UNDECIDED_CLOSING_FENCE.test(this.#held)) this.#held = '';
    for (let broken = 0; this.#held !== '' && broken < MAX_BROKEN_BLOCKS; broken += 1) {
      prose += this.#let(1);
      prose += this.push(this.#takeHeld());
    }
    return prose + this.#takeHeld();
  }

  #takeHeld(): string {
    const held = this.#held;
    this.#held = '';
    return held;
  }

  #release(): string {
    let prose = '';
    while (this.#dropClosingFence() && this.#held !== '') {
      const beginning = this.#letProse();
      const taken = beginning.text.endsWith('"') ? this.#takeBlock(beginning.text.indexOf('{')) : undefined;
      prose += beginning.before + (taken ?? '');
      if (taken === undefined) break;
    }
    return prose;
  }

  /**
   * Removes the prose before a possible control block from the held text and returns it as `before`; `text` is the
   * beginning of the block, or empty.
   */
  #letProse(): { readonly before: string; readonly text: string } {
    const last = this.#isAfterBacktick ? '`' : '';
    BEGINNING.lastIndex = last.length;
    const found = BEGINNING.exec(last + this.#held);
    return {
      before: this.#let(found ? found.index - last.length : this.#held.length),
      text: found?.[0] ?? '',
    };
  }

  /**
   * Returns the prose in the block that begins at `brace`: its thought, or the whole text if it is not a control
   * block. Returns undefined while the block is still open.
   */
  #takeBlock(brace: number): string | undefined {
    const isClosed = this.#braces.isClosed || this.#braces.readsEnd(this.#held.slice(brace));
    if (!isClosed) return undefined;
    const end = brace + this.#braces.length;
    const block = parseBlock(this.#held.slice(brace, end), this.#phase, this.#options);
    if (!block) return this.#let(end);
    this.#control = block.control;
    this.#answer = block.answer;
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
    const emitted = this.#held.slice(0, length);
    this.#held = this.#held.slice(length);
    this.#braces = new BraceScanner();
    if (length > 0) this.#isAfterBacktick = emitted.endsWith('`');
    return emitted;
  }
}

/** Finds the end of a JSON object that arrives in fragments. Reads each fragment only once. */
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

  /** Reads a fragment up to the object's end. Returns false if the object is still open. */
  readsEnd(fragment: string): boolean {
    for (let at = 0; at < fragment.length; at += 1) {
      this.#enter(fragment.charCodeAt(at));
      if (this.#depth > 0) continue;
      this.length += at + 1;
      return true;
    }
    this.length += fragment.length;
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

/**
 * Parses a control block of this phase. Returns undefined if the text is not one. In the `json` protocol, the block
 * can be the complete reply, with the prose in its field `thought`.
 */
function parseBlock(text: string, phase: ProsePhase, options: BlockOptions): Block | undefined {
  const keys: readonly string[] = blockKeys[phase];
  try {
    const value: unknown = JSON.parse(text);
    if (!isObject(value) || !keys.some((key) => key in value)) return undefined;
    const { thought } = value;
    const control = readControl(value);
    const common = { control, thought: typeof thought === 'string' ? thought : '' };
    return options.hasJsonAnswer ? { ...common, ...readBlockAnswer(text, value, control) } : common;
  } catch {
    return undefined; // not JSON: prose
  }
}

interface Block {
  readonly control: PhaseControl;
  readonly thought: string;
  readonly answer?: JsonValue | undefined;
}

/** Reads an answer that may have any JSON type. Null and empty text mean that there is no answer. */
function readBlockAnswer(
  text: string,
  { final_answer: written }: Readonly<Record<string, unknown>>,
  control: PhaseControl,
): Pick<Block, 'control' | 'answer'> {
  if (written === null || written === undefined) return { control };
  if (typeof written === 'string') return { control, answer: written };
  const { value } = readExactJson(text);
  const answer = isJsonObject(value) ? value['final_answer'] : undefined;
  return { control: { ...control, final_answer: JSON.stringify(written) }, answer };
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
