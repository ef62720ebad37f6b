import { isHighSurrogate } from './escapes.js';

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
