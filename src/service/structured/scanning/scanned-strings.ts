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
    this.#emit(endsInHalf ? whole.slice(0, -1) : whole);
  }

  end(): void {
    this.#emit(this.#half);
    this.#half = '';
  }

  /** The pieces since the last call. */
  takePieces(): StringPiece[] {
    const pieces = this.#pieces;
    this.#pieces = [];
    return pieces;
  }

  #emit(sent: string): void {
    const path = this.#path;
    if (sent === '' || path === null) return;
    this.byPath.set(path, `${this.byPath.get(path)}${sent}`);
    const last = this.#pieces.at(-1);
    if (last?.path === path) this.#pieces[this.#pieces.length - 1] = { ...last, text: last.text + sent };
    else if (this.#field) this.#pieces.push({ path, text: sent, field: this.#field });
  }
}
