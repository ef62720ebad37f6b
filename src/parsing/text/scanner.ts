import { isOneOf, lineEnd, skipSpace } from './characters.js';

/** A repair that was made while a reply was read. The response reports each (rule: repairs). */
export type Repair =
  | 'missing_close'
  | 'missing_open'
  | 'missing_parentheses'
  | 'inner_quotes'
  | 'missing_comma'
  | 'bare_word'
  | 'smart_quotes'
  | 'literal_backslashes'
  | 'big_integer_as_text'
  | 'undefined_as_null'
  | 'null_dropped'
  | 'duplicate_key'
  | 'second_outcome'
  | 'closing_fence'
  | 'unlabelled_answer'
  | 'mismatched_tag'
  | 'untyped_text'
  | `coerced:${string}`;

/** Any JSON value. */
export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject;

/** A JSON object with the model's own keys. */
export type JsonObject = {
  /** The value of a key. If the model wrote the key twice, the last value. */
  [key: string]: JsonValue;
};

/**
 * The text of numbers whose value does not show how they were written (`1.10`, `05`), by the object or array that holds
 * them.
 */
export type Spellings = WeakMap<object, Map<string | number, string>>;

/**
 * Maximum number of values in one call, items and fields included. A request's objects have at most 50,000 fields, and
 * later requests contain the call in their history. No model writes as many.
 */
const MAX_VALUES = 50_000;

interface ScannerOptions {
  readonly lenient?: boolean;
  readonly spellings?: Spellings;
  /** The scanner for which this one tries to read a value. Both add to the same number of values. */
  readonly within?: Scanner;
}

/**
 * Reads a text from a position onward. Functions that read with it return `undefined` if they cannot read the text at
 * the position; `problem` then explains why, for the model.
 */
export class Scanner {
  readonly text: string;
  position: number;
  readonly repairs = new Set<Repair>();
  readonly spellings: Spellings;
  /** True for the lenient second reading, which also accepts unquoted words and smart quotes. */
  readonly lenient: boolean;
  problem: string | null = null;
  /** True while a value is read that `JSON.parse` accepts, so that its strings are decoded with JSON's escapes. */
  isJson = false;
  /** True if a value could not be read because the text ended before it was complete. */
  cut = false;
  /** Number of values begun by all scanners that read the same call. */
  readonly #begun: { values: number };

  constructor(text: string, position: number, options: ScannerOptions = {}) {
    this.text = text;
    this.position = position;
    this.lenient = options.lenient ?? options.within?.lenient ?? false;
    this.spellings = options.spellings ?? options.within?.spellings ?? new WeakMap();
    this.#begun = options.within ? options.within.#begun : { values: 0 };
  }

  /** The character at the position; `''` at the end of the text. */
  get current(): string {
    return this.text.charAt(this.position);
  }

  get atEnd(): boolean {
    return this.position >= this.text.length;
  }

  startsWith(expected: string): boolean {
    return this.text.startsWith(expected, this.position);
  }

  /** Skips `expected` and returns true if the text continues with it. */
  take(expected: string): boolean {
    if (!this.startsWith(expected)) return false;
    this.position += expected.length;
    return true;
  }

  fail(problem: string): undefined {
    this.problem ??= problem;
    return undefined;
  }

  failAtEnd(problem: string): undefined {
    this.cut = true;
    return this.fail(problem);
  }

  /** Counts a value that begins at the position. Returns false if the call has too many values. */
  countValue(): boolean {
    this.#begun.values += 1;
    if (this.isFull) this.fail(`a call has more than ${MAX_VALUES} values`);
    return !this.isFull;
  }

  /** True if the call has too many values, so that nothing more of it can be read. */
  get isFull(): boolean {
    return this.#begun.values > MAX_VALUES;
  }

  /** Reads the text from `position` a second time, without counting its values again. */
  readAgain<Value>(position: number, read: () => Value): Value {
    const { values } = this.#begun;
    this.position = position;
    try {
      return read();
    } finally {
      this.#begun.values = values;
    }
  }

  /** Skips white space and comments (`//`, block, `#`) between the parts of a value. */
  skipTrivia(): void {
    for (;;) {
      this.position = skipSpace(this.text, this.position);
      if (!isOneOf('/#', this.text, this.position)) return;
      if (this.startsWith('//') || this.current === '#') {
        this.position = lineEnd(this.text, this.position);
      } else if (this.startsWith('/*')) {
        const end = this.text.indexOf('*/', this.position + 2);
        this.position = end < 0 ? this.text.length : end + 2;
      } else return;
    }
  }
}

/** Whether a value is an object: not an array, not null. */
export function isJsonObject(value: JsonValue | undefined): value is JsonObject;
export function isJsonObject(value: unknown): value is Readonly<Record<string, unknown>>;
export function isJsonObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
