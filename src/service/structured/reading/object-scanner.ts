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

/** What a string of an object is: the name of a value, or a value. */
type StringRole = 'key' | 'value';

/** Keys are told apart down to this level; what lies deeper is passed over. */
const DEEPEST_KEY = 2;

/** So much is looked at to tell whether a quote ends its string. */
const FARTHEST = 256;

/** What follows the string of a field: the object's end, or the next key, for one of ours even without its comma. */
const closes =
  /^\s*(?:\}|"(?:thought|action|final_answer)"\s*:|,\s*(?:\}|"(?:[^"\\]|\\.)*"\s*:|'?\w+'?\s*:))/s;
/** What may become that. */
const mayClose = /^\s*(?:"\w*(?:"\s*)?|,\s*(?:"(?:[^"\\]|\\.)*(?:\\|"\s*)?|'?\w*'?\s*)?)?$/s;

/**
 * Reads one JSON object while it arrives: its fields with their places, and its strings piece by piece, decoded. Lenient:
 * what is no JSON is passed over, and the whole text is for another to judge. However the text is cut, the pieces
 * joined and the fields are the same.
 */
export class ObjectScanner {
  readonly fields: ScannedField[] = [];
  /** The strings so far, by the keys that lead to them; of two with the same keys the first. */
  readonly strings = new Map<string, string>();
  /** A string was left out, since another had its keys. */
  repeats = false;
  /** A quote within a string was not escaped. */
  hasInnerQuotes = false;
  /** A key came without a comma before it. */
  lacksComma = false;
  /** Characters scanned, from the opening brace up to after the closing one. */
  length = 0;
  /** After the closing brace; null while it is missing. */
  end: number | null = null;
  /** What is open, outermost first: `{` or `[`. */
  readonly #open: string[] = [];
  /** The key at each level. */
  readonly #keys: string[] = [];
  #string: StringRole | null = null;
  #expectsKey = true;
  /** A field's value has ended, and no comma has come. */
  #endedField = false;
  /** A started escape, a key, or the half of a character that waits for the other. */
  #escape = '';
  #key = '';
  /** Where the string is kept; null if it is not. */
  #path: string | null = null;
  #half = '';
  /** From a quote of which too little is there to tell whether it ends its string. */
  #undecided = '';
  #pieces: StringPiece[] = [];
  /** What is scanned now, and how much was scanned before it. */
  #piece = '';
  #before = 0;

  /** Goes on with further text; what follows the object's end is not scanned. */
  push(text: string): StringPiece[] {
    this.#piece = this.#undecided + text;
    this.#undecided = '';
    this.#before = this.length;
    const { length } = this.#piece;
    let at = 0;
    while (at < length && this.end === null && this.#undecided === '') {
      at = this.#string ? this.#readString(at, this.#string) : this.#readMark(at);
    }
    this.length = this.#before + Math.min(at, length);
    const pieces = this.#pieces;
    this.#pieces = [];
    return pieces;
  }

  /** Outside a string, one character at a time. */
  #readMark(at: number): number {
    const mark = this.#piece.charAt(at);
    if (mark === '"') this.#beginString(at);
    else if (mark === '{' || mark === '[') this.#enter(mark, at);
    else if (mark === '}' || mark === ']') this.#leave(at);
    else if (mark === ',') this.#endValue(at);
    else if (mark.trim() !== '' && mark !== ':') this.#beginValue(at);
    return at + 1;
  }

  #enter(mark: string, at: number): void {
    this.#beginValue(at);
    this.#open.push(mark);
    this.#expectsKey = mark === '{';
  }

  #leave(at: number): void {
    if (this.#open.length === 1) this.#endField(at);
    this.#open.pop();
    this.#keys.length = Math.min(this.#keys.length, this.#open.length);
    this.#expectsKey = false;
    this.#endedField = this.#open.length === 1;
    if (this.#open.length === 0) this.end = this.#before + at + 1;
    else if (this.#open.length === 1) this.#endField(at + 1);
  }

  #endValue(at: number): void {
    if (this.#open.length === 1) this.#endField(at);
    this.#expectsKey = this.#open.at(-1) === '{';
    this.#endedField = false;
  }

  #beginString(at: number): void {
    if (this.#endedField) this.#expectsKey = this.lacksComma = true;
    this.#endedField = false;
    this.#string = this.#expectsKey ? 'key' : 'value';
    if (this.#string === 'key') {
      this.#key = '';
      return;
    }
    this.#beginValue(at);
    this.#path = this.#open.length > DEEPEST_KEY || this.#open.includes('[') ? null : this.#keys.join('.');
    if (this.#path === null) return;
    if (this.strings.has(this.#path)) this.#path = this.#repeat();
    else this.strings.set(this.#path, '');
  }

  #repeat(): null {
    this.repeats = true;
    return null;
  }

  /** The first character of a field's value. */
  #beginValue(at: number): void {
    const key = this.#keys[0];
    const last = this.fields.at(-1);
    if (this.#open.length !== 1 || key === undefined || this.#expectsKey) return;
    if (last?.end !== null)
      this.fields.push({ key, first: this.#piece.charAt(at), start: this.#before + at, end: null });
  }

  #endField(at: number): void {
    const last = this.fields.at(-1);
    const end = this.#before + at;
    if (last && last.end === null) this.fields[this.fields.length - 1] = { ...last, end };
  }

  /** Up to the next quote, escape, or the end of what is there. */
  #readString(from: number, role: StringRole): number {
    if (this.#escape !== '') return this.#readEscape(from, role);
    let at = from;
    while (at < this.#piece.length && this.#piece.charAt(at) !== '"' && this.#piece.charAt(at) !== '\\')
      at += 1;
    this.#take(this.#piece.slice(from, at), role);
    const mark = this.#piece.charAt(at);
    if (mark === '\\') this.#escape = '\\';
    else if (mark === '"') return this.#readQuote(at, role);
    return at + 1;
  }

  /** A quote in the value of a field is a part of it where the object could not go on so. */
  #readQuote(at: number, role: StringRole): number {
    const isField = role === 'value' && this.#open.length <= DEEPEST_KEY && this.#open.at(-1) === '{';
    const rest = isField ? this.#piece.slice(at + 1, at + 1 + FARTHEST) : '';
    const isOpen = isField && mayClose.test(rest);
    if (isOpen && rest.length < FARTHEST) {
      this.#undecided = this.#piece.slice(at);
      return at;
    }
    if (isField && !isOpen && !closes.test(rest)) {
      this.hasInnerQuotes = true;
      this.#take('"', role);
    } else this.#endString(at + 1, role);
    return at + 1;
  }

  #endString(end: number, role: StringRole): void {
    this.#string = null;
    if (role === 'value') {
      this.#emit(this.#half);
      this.#half = '';
      if (this.#open.length === 1) this.#endField(end);
      this.#endedField = this.#open.length === 1;
      return;
    }
    const level = this.#open.length;
    if (level <= DEEPEST_KEY) this.#keys[level - 1] = this.#key;
    this.#expectsKey = false;
  }

  #readEscape(at: number, role: StringRole): number {
    this.#escape += this.#piece.charAt(at);
    const isUnicode = this.#escape.charAt(1) === 'u';
    if (isUnicode && this.#escape.length < 6) return at + 1;
    const decoded = isUnicode
      ? decodeUnit(this.#escape)
      : (escapes.get(this.#escape) ?? this.#escape.charAt(1));
    this.#escape = '';
    this.#take(decoded, role);
    return at + 1;
  }

  #take(text: string, role: StringRole): void {
    if (role === 'key') this.#key += text;
    else this.#send(text);
  }

  /** Half a character waits for its other half. */
  #send(text: string): void {
    if (text === '') return;
    const whole = this.#half + text;
    const endsInHalf = isHighSurrogate(whole.charCodeAt(whole.length - 1));
    this.#half = endsInHalf ? whole.slice(-1) : '';
    this.#emit(endsInHalf ? whole.slice(0, -1) : whole);
  }

  #emit(sent: string): void {
    const path = this.#path;
    if (sent === '' || path === null) return;
    this.strings.set(path, `${this.strings.get(path)}${sent}`);
    const last = this.#pieces.at(-1);
    const field = this.fields.at(-1);
    if (last?.path === path) this.#pieces[this.#pieces.length - 1] = { ...last, text: last.text + sent };
    else if (field) this.#pieces.push({ path, text: sent, field });
  }
}

const escapes: ReadonlyMap<string, string> = new Map([
  ['\\n', '\n'],
  ['\\t', '\t'],
  ['\\r', '\r'],
  ['\\b', '\b'],
  ['\\f', '\f'],
]);

/** What is no code is kept as it was written. */
function decodeUnit(written: string): string {
  const code = written.slice(2);
  return /^[\da-f]{4}$/i.test(code) ? String.fromCharCode(Number.parseInt(code, 16)) : written;
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
