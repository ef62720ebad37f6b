/** A piece of a string value, decoded, and the keys that lead to it. */
export interface StringPiece {
  readonly path: string;
  readonly text: string;
  /** The field that it is of, or in. */
  readonly field: ScannedField;
}

/** A value directly in the object. */
export interface ScannedField {
  readonly key: string;
  /** The first character of its text. */
  readonly first: string;
  /** Start and, if the value is complete, end of its text in the text scanned so far. */
  readonly start: number;
  readonly end: number | null;
}

/** The strings of an arriving object, whole and in pieces. */
export class ScannedStrings {
  /** Strings by the keys that lead to them; the first of two with the same keys. */
  readonly byPath = new Map<string, string>();
  repeats = false;
  /** The path of the current string; null if it is not kept. */
  #path: string | null = null;
  #field: ScannedField | undefined;
  /** Text of the current string that is not in `byPath` yet; strings arrive escape by escape. */
  #fresh = '';
  /** The first half of a surrogate pair. */
  #half = '';
  #pieces: StringPiece[] = [];

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

  /** The pieces since the last call. */
  takePieces(): StringPiece[] {
    this.#emit();
    const pieces = this.#pieces;
    this.#pieces = [];
    return pieces;
  }

  #emit(): void {
    const path = this.#path;
    const text = this.#fresh;
    this.#fresh = '';
    if (text === '' || path === null) return;
    this.byPath.set(path, `${this.byPath.get(path)}${text}`);
    if (this.#field) this.#pieces.push({ path, text, field: this.#field });
  }
}

const escapes: ReadonlyMap<string, string> = new Map([
  ['\\n', '\n'],
  ['\\t', '\t'],
  ['\\r', '\r'],
  ['\\b', '\b'],
  ['\\f', '\f'],
]);

/** Decodes a whole escape, `\\n` or `\\u00e4`; half of a surrogate pair gives one half. */
export function decodeEscape(written: string): string {
  return written.charAt(1) === 'u' ? decodeUnit(written) : (escapes.get(written) ?? written.charAt(1));
}

/** Decodes a `\u` escape; one without four digits is kept as written. */
function decodeUnit(written: string): string {
  const code = written.slice(2);
  return /^[\da-f]{4}$/i.test(code) ? String.fromCharCode(Number.parseInt(code, 16)) : written;
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;

/** Maximum number of characters that decide whether a quote ends its string. */
const MAX_LOOKAHEAD = 256;

/** Text after the string of a field: the object's end, or the next key, which needs no comma if it is one of ours. */
const closes =
  /^\s*(?:\}|"(?:thought|action|final_answer)"\s*:|,\s*(?:\}|"(?:[^"\\]|\\.)*"\s*:|'?\w+'?\s*:))/s;
/** Text that may become that. */
const mayClose = /^\s*(?:"\w*(?:"\s*)?|,\s*(?:"(?:[^"\\]|\\.)*(?:\\|"\s*)?|'?\w*'?\s*)?)?$/s;

/**
 * Whether the quote before a place ends its string, or belongs to it, since the object could not go on so; null while too
 * little is there to tell.
 */
export function endsString(text: string, from: number): boolean | null {
  const rest = text.slice(from, from + MAX_LOOKAHEAD);
  if (!mayClose.test(rest)) return closes.test(rest);
  return rest.length < MAX_LOOKAHEAD ? null : true;
}
