import {
  decodeEscape,
  endsString,
  type ScannedField,
  ScannedStrings,
  type StringFragment,
} from './scanned-strings.js';

type StringRole = 'key' | 'value';

/**
 * The kind of token that is allowed next. A key or value without quotes (`bare key`, `bare value`) continues until a
 * punctuation character ends it.
 */
type Expected = 'key' | 'bare key' | 'colon' | 'value' | 'bare value' | 'end';

/** Maximum nesting level at which keys and strings are kept. */
const MAX_KEY_LEVEL = 2;

/**
 * Scans one JSON object while it arrives: its fields with their positions, and its decoded strings fragment by
 * fragment. Skips invalid JSON; the caller decides later whether that matters. The result does not depend on how the
 * text is split into chunks.
 */
export class ObjectScanner {
  readonly fields: ScannedField[] = [];
  /** True if a quote within a string was not escaped. */
  hasInnerQuotes = false;
  /** True if the comma before a key is missing. */
  lacksComma = false;
  /** True if there is text between the fields, which JSON does not allow. */
  hasTextBetween = false;
  /** Number of characters scanned, from the opening brace through the closing one. */
  length = 0;
  /** Position after the closing brace; null if it has not arrived. */
  end: number | null = null;
  /** Open brackets (`{` or `[`), outermost first. */
  readonly #open: string[] = [];
  readonly #keys: string[] = [];
  #string: StringRole | null = null;
  #expected: Expected = 'key';
  /** The characters of an incomplete escape. */
  #escape = '';
  #key = '';
  /** Text from a quote on, held back until it is clear whether the quote ends its string. */
  #undecided = '';
  readonly #strings = new ScannedStrings();
  /** Keys of the fields that were scanned so far. */
  readonly #begun = new Set<string>();
  /** True if the key of the current field occurred before. */
  #isSecond = false;
  /** The chunk that is being scanned, and the number of characters before it. */
  #chunk = '';
  #before = 0;

  /** Strings by the path of their keys. If a path occurs twice, its first string. */
  get strings(): ReadonlyMap<string, string> {
    return this.#strings.byPath;
  }

  /** True if a string was ignored because another string has the same path. */
  get repeats(): boolean {
    return this.#strings.repeats;
  }

  /** Scans further text, up to the object's end. */
  push(text: string): StringFragment[] {
    this.#chunk = this.#undecided + text;
    this.#undecided = '';
    this.#before = this.length;
    const { length } = this.#chunk;
    let at = 0;
    while (at < length && this.end === null && this.#undecided === '') {
      at = this.#string ? this.#readString(at, this.#string) : this.#readMark(at);
    }
    this.length = this.#before + Math.min(at, length);
    return this.#strings.takeFragments();
  }

  /** Reads one character outside a string. */
  #readMark(at: number): number {
    const mark = this.#chunk.charAt(at);
    if (mark === '"') this.#beginString(at);
    else if (mark === '{' || mark === '[') this.#enter(mark, at);
    else if (mark === '}' || mark === ']') this.#leave(at);
    else if (mark === ',') this.#endValue(at);
    else if (mark === ':') this.#endKey();
    else if (mark.trim() !== '') this.#readBare(mark, at);
    return at + 1;
  }

  #enter(mark: string, at: number): void {
    this.#expect('value');
    this.#beginValue(at);
    this.#open.push(mark);
    this.#expected = mark === '{' ? 'key' : 'value';
  }

  #leave(at: number): void {
    if (this.#open.length === 1) this.#endMember(at);
    this.#open.pop();
    this.#keys.length = Math.min(this.#keys.length, this.#open.length);
    this.#expected = 'end';
    if (this.#open.length === 0) this.end = this.#before + at + 1;
    else if (this.#open.length === 1) this.#endField(at + 1);
  }

  #endValue(at: number): void {
    if (this.#open.length === 1) this.#endMember(at);
    this.#expected = this.#open.at(-1) === '{' ? 'key' : 'value';
  }

  #endKey(): void {
    if (this.#expected === 'bare key') this.#nameValue();
    else this.#expect('colon');
    this.#expected = 'value';
  }

  /**
   * Reads a character of a key, a number or an unquoted word; elsewhere, records it as text that
   * JSON does not allow there.
   */
  #readBare(mark: string, at: number): void {
    if (this.#expected === 'key') this.#key = '';
    if (this.#expected === 'key' || this.#expected === 'bare key') {
      this.#expected = 'bare key';
      this.#key += mark;
    } else if (this.#expected === 'value') {
      this.#beginValue(at);
      this.#expected = 'bare value';
    } else if (this.#expected !== 'bare value') this.#expect('value');
  }

  /** Records text that JSON does not allow there, if the current character is not of the expected kind. */
  #expect(expected: Expected): void {
    const isOutermost = this.#open.length === 1;
    if (isOutermost && this.#expected !== expected && this.#expected !== 'bare value')
      this.hasTextBetween = true;
  }

  #beginString(at: number): void {
    const lacksComma = this.#open.length === 1 && this.#expected === 'end';
    if (lacksComma) this.lacksComma = true;
    this.#string = lacksComma || this.#expected === 'key' ? 'key' : 'value';
    if (this.#string === 'key') {
      this.#key = '';
      return;
    }
    this.#expect('value');
    this.#beginValue(at);
    const isDeeper = this.#open.length > 1 && this.#isSecond; // Nested strings of a duplicate field are ignored.
    const isKept = this.#open.length <= MAX_KEY_LEVEL && !this.#open.includes('[') && !isDeeper;
    this.#strings.begin(isKept ? this.#keys.join('.') : null, this.fields.at(-1));
  }

  /** Begins a field at the first character of its value. */
  #beginValue(at: number): void {
    const key = this.#keys[0];
    const last = this.fields.at(-1);
    if (this.#open.length !== 1 || key === undefined || this.#expected === 'key') return;
    if (last?.end === null) return;
    this.#isSecond = this.#begun.has(key);
    this.#begun.add(key);
    this.fields.push({ key, first: this.#chunk.charAt(at), start: this.#before + at, end: null });
  }

  /** Ends the current field. A key without a value counts as text between the fields, which JSON does not allow. */
  #endMember(at: number): void {
    if (this.#expected === 'bare key' || this.#expected === 'colon') this.hasTextBetween = true;
    else this.#endField(at);
  }

  #endField(at: number): void {
    const last = this.fields.at(-1);
    const end = this.#before + at;
    if (last && last.end === null) this.fields[this.fields.length - 1] = { ...last, end };
  }

  /** Reads a string up to the next quote or escape, or the end of the chunk. */
  #readString(from: number, role: StringRole): number {
    if (this.#escape !== '') return this.#readEscape(from, role);
    let at = from;
    while (at < this.#chunk.length && this.#chunk.charAt(at) !== '"' && this.#chunk.charAt(at) !== '\\')
      at += 1;
    this.#take(this.#chunk.slice(from, at), role);
    const mark = this.#chunk.charAt(at);
    if (mark === '\\') this.#escape = '\\';
    else if (mark === '"') return this.#readQuote(at, role);
    return at + 1;
  }

  /** Reads a quote inside a string. If the object could not continue after it, the quote is part of the string. */
  #readQuote(at: number, role: StringRole): number {
    const isField = role === 'value' && this.#open.length <= MAX_KEY_LEVEL && this.#open.at(-1) === '{';
    const ends = isField ? endsString(this.#chunk, at + 1) : true;
    if (ends === null) {
      this.#undecided = this.#chunk.slice(at);
      return at;
    }
    if (ends) this.#endString(at + 1, role);
    else {
      this.hasInnerQuotes = true;
      this.#take('"', role);
    }
    return at + 1;
  }

  #endString(end: number, role: StringRole): void {
    this.#string = null;
    if (role === 'value') {
      this.#strings.end();
      if (this.#open.length === 1) this.#endField(end);
      if (this.#expected !== 'bare value') this.#expected = 'end';
      return;
    }
    this.#nameValue();
    this.#expected = 'colon';
  }

  #nameValue(): void {
    const level = this.#open.length;
    if (level <= MAX_KEY_LEVEL) this.#keys[level - 1] = level === 1 ? canonicalKey(this.#key) : this.#key;
  }

  #readEscape(at: number, role: StringRole): number {
    this.#escape += this.#chunk.charAt(at);
    const isUnicode = this.#escape.charAt(1) === 'u';
    if (isUnicode && this.#escape.length < 6) return at + 1;
    const decoded = decodeEscape(this.#escape);
    this.#escape = '';
    this.#take(decoded, role);
    return at + 1;
  }

  #take(text: string, role: StringRole): void {
    if (role === 'key') this.#key += text;
    else this.#strings.add(text);
  }
}

/** Keys that show that an object is a reply, anywhere at its top level. */
const replyKeys: readonly string[] = ['thought', 'action', 'final_answer'];

/** Keys that show that an object is a reply only if they come first. */
const firstKeys: readonly string[] = [
  ...replyKeys,
  'reasoning',
  'plan',
  'tools_to_consider',
  'finish',
  'observation',
  'should_continue',
];

/**
 * Returns a key in the spelling that the prompt uses, such as `final_answer` for `Final Answer`; other keys as they
 * are.
 */
function canonicalKey(key: string): string {
  const taught = key.trim().toLowerCase().replaceAll(/[ -]/g, '_');
  return firstKeys.includes(taught) ? taught : key;
}

/** Whether a key at the top level of an object shows that the object is a reply. */
export function marksReply(key: string, isFirst: boolean): boolean {
  return (isFirst ? firstKeys : replyKeys).includes(key);
}
