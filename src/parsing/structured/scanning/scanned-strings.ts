/** A decoded fragment of a string value, and the keys that lead to it. */
export interface StringFragment {
  readonly path: string;
  readonly text: string;
  /** The field that is or contains the string. */
  readonly field: ScannedField;
}

/** A value at the object's top level. */
export interface ScannedField {
  readonly key: string;
  /** The first character of its value. */
  readonly first: string;
  /** Start and end of its value, counted from the object's opening brace. `end` is null until the value is complete. */
  readonly start: number;
  readonly end: number | null;
}

/** The strings of an arriving object, as fragments and as a whole. */
export class ScannedStrings {
  /** Strings by the path of their keys. If a path occurs twice, its first string. */
  readonly byPath = new Map<string, string>();
  repeats = false;
  /** Path of the current string; null if the string is ignored. */
  #path: string | null = null;
  #field: ScannedField | undefined;
  /**
   * Text of the current string that is not in `byPath` yet. Strings arrive escape by escape, so their parts are joined
   * here.
   */
  #fresh = '';
  /** The first half of a surrogate pair whose second half has not arrived. */
  #half = '';
  #fragments: StringFragment[] = [];

  begin(path: string | null, field: ScannedField | undefined): void {
    const isRepeated = path !== null && this.byPath.has(path);
    if (isRepeated) this.repeats = true;
    this.#path = isRepeated ? null : path;
    this.#field = field;
    if (this.#path !== null) this.byPath.set(this.#path, '');
  }

  add(text: string): void {
    if (text === '') return;
    const whole = this.#half + text;
    const endsInHalf = isHighSurrogate(whole.charCodeAt(whole.length - 1));
    this.#half = endsInHalf ? whole.slice(-1) : '';
    this.#fresh += endsInHalf ? whole.slice(0, -1) : whole;
  }

  end(): void {
    this.#fresh += this.#half;
    this.#half = '';
    this.#emit();
  }

  /** Returns the fragments since the last call. */
  takeFragments(): StringFragment[] {
    this.#emit();
    const fragments = this.#fragments;
    this.#fragments = [];
    return fragments;
  }

  #emit(): void {
    const path = this.#path;
    const text = this.#fresh;
    this.#fresh = '';
    if (text === '' || path === null) return;
    this.byPath.set(path, `${this.byPath.get(path)}${text}`);
    if (this.#field) this.#fragments.push({ path, text, field: this.#field });
  }
}

const escapes: ReadonlyMap<string, string> = new Map([
  ['\\n', '\n'],
  ['\\t', '\t'],
  ['\\r', '\r'],
  ['\\b', '\b'],
  ['\\f', '\f'],
]);

/** Decodes a complete escape such as `\\n` or `\\u00e4`. An escape for half of a surrogate pair gives that half. */
export function decodeEscape(written: string): string {
  return written.charAt(1) === 'u' ? decodeUnit(written) : (escapes.get(written) ?? written.charAt(1));
}

/** Decodes a `\u` escape; one without four digits is kept as written. */
function decodeUnit(written: string): string {
  const code = written.slice(2);
  return /^[\da-f]{4}$/i.test(code) ? String.fromCharCode(Number.parseInt(code, 16)) : written;
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;

/** Maximum number of characters after a quote that are examined to decide whether it ends its string. */
const MAX_LOOKAHEAD = 256;

/**
 * Matches text that can follow a string of a field: the object's end, or the next key. Before a reply key, the comma
 * may be missing.
 */
const closes =
  /^\s*(?:\}|"(?:thought|action|final_answer)"\s*:|,\s*(?:\}|"(?:[^"\\]|\\.)*"\s*:|'?\w+'?\s*:))/s;
/** Matches text that may become a match of `closes`. */
const mayClose = /^\s*(?:"\w*(?:"\s*)?|,\s*(?:"(?:[^"\\]|\\.)*(?:\\|"\s*)?|'?\w*'?\s*)?)?$/s;

/**
 * Whether the quote before a position ends its string. A quote belongs to the string if the object could not
 * continue after it. Null if more text is needed to decide.
 */
export function endsString(text: string, from: number): boolean | null {
  const rest = text.slice(from, from + MAX_LOOKAHEAD);
  if (!mayClose.test(rest)) return closes.test(rest);
  return rest.length < MAX_LOOKAHEAD ? null : true;
}
