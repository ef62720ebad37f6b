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
  /** Where its text begins, and ends if it is whole, in the text scanned so far. */
  readonly start: number;
  readonly end: number | null;
}

/** The strings of an object that arrives, whole and in pieces. */
export class ScannedStrings {
  /** By the keys that lead to them; of two with the same keys the first. */
  readonly byPath = new Map<string, string>();
  repeats = false;
  /** Where the string is kept; null if it is not. */
  #path: string | null = null;
  #field: ScannedField | undefined;
  /** What has come of the string since it was last put to its text: it comes escape by escape. */
  #fresh = '';
  /** The half of a character that waits for the other. */
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

/** The text of a whole escape, `\\n` or `\\u00e4`: a half of a pair for one of the two that make a character. */
export function decodeEscape(written: string): string {
  return written.charAt(1) === 'u' ? decodeUnit(written) : (escapes.get(written) ?? written.charAt(1));
}

/** What is no code is kept as it was written. */
function decodeUnit(written: string): string {
  const code = written.slice(2);
  return /^[\da-f]{4}$/i.test(code) ? String.fromCharCode(Number.parseInt(code, 16)) : written;
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;

/** So much is looked at to tell whether a quote ends its string. */
const FARTHEST = 256;

/** What follows the string of a field: the object's end, or the next key, for one of ours even without its comma. */
const closes =
  /^\s*(?:\}|"(?:thought|action|final_answer)"\s*:|,\s*(?:\}|"(?:[^"\\]|\\.)*"\s*:|'?\w+'?\s*:))/s;
/** What may become that. */
const mayClose = /^\s*(?:"\w*(?:"\s*)?|,\s*(?:"(?:[^"\\]|\\.)*(?:\\|"\s*)?|'?\w*'?\s*)?)?$/s;

/**
 * Whether the quote before a place ends its string, or belongs to it, since the object could not go on so; null while too
 * little is there to tell.
 */
export function endsString(text: string, from: number): boolean | null {
  const rest = text.slice(from, from + FARTHEST);
  if (!mayClose.test(rest)) return closes.test(rest);
  return rest.length < FARTHEST ? null : true;
}
