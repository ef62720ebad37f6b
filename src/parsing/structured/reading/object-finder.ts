import { marksReply, ObjectScanner } from '../scanning/object-scanner.js';
import type { StringFragment } from '../scanning/scanned-strings.js';

/** An object with a key that shows that it is the reply, as far as the object has arrived. */
export interface FoundObject {
  /**
   * Start of the object in the held text, after the opening line of a code fence if there is one.
   */
  readonly brace: number;
  readonly isFenced: boolean;
  readonly scanner: ObjectScanner;
  readonly fragments: readonly StringFragment[];
}

const blanks = '[ \\t\\u200b\\ufeff]{0,64}';
const fence = '`{3,16}(?:json)?[ \\t]{0,16}\\r?\\n\\s{0,64}';
/** Matches the start of an object: at the beginning of a line or after a tag, alone or in a fence. */
const start = new RegExp(`(?<=^|\\n|[\\w|]>)${blanks}(?:${fence})?\\{\\s{0,64}"`, 'gi');
/** Matches text that may become the start of an object. */
const begun = new RegExp(
  `(?<=^|\\n|[\\w|]>)${blanks}(?:\`{1,2}|\`{3,16}(?:j|js|jso|json)?[ \\t]{0,16}\\r?|(?:${fence})?(?:\\{\\s{0,64})?)$`,
  'i',
);
/**
 * Maximum number of characters at the end of the text that are held because they may become the start of a reply
 * object.
 */
const MAX_BEGINNING_LENGTH = 256;

/**
 * Finds the reply object in arriving text: the first object at the beginning of a line, or after a tag, with a reply
 * key at its top level. Holds back text until its role is certain, so that the result does not depend on how the text
 * is split into chunks.
 */
export class ObjectFinder {
  /** The held text. Before it, up to two characters that were already released are kept. */
  #text = '';
  #from = 0;
  /** Start, in the held text, of an object that has no reply key so far. */
  #brace = 0;
  #scanner: ObjectScanner | null = null;
  #fragments: StringFragment[] = [];
  /** Number of keys of the current object that were already checked and are not reply keys. */
  #passed = 0;

  get held(): string {
    return this.#text.slice(this.#from);
  }

  /** True if the held text is an object with keys, none of which is a reply key so far. */
  get isInOther(): boolean {
    return (this.#scanner?.fields.length ?? 0) > 0;
  }

  push(text: string): void {
    this.#text += text;
    this.#scan(text);
  }

  /** Returns the reply object, the length of text that does not belong to it, or null if more text is needed. */
  next(): FoundObject | number | null {
    if (this.#from === this.#text.length) return null;
    if (!this.#scanner) {
      const at = this.#begin();
      if (at !== 0) return at;
    }
    const scanner = this.#scanner;
    if (!scanner) return null;
    if (this.#hasReplyKey(scanner)) {
      const brace = this.#brace;
      const isFenced = this.held.slice(0, brace).includes('`');
      return { brace, isFenced, scanner, fragments: this.#fragments };
    }
    return scanner.end === null ? null : this.#brace + scanner.end;
  }

  #hasReplyKey({ fields }: ObjectScanner): boolean {
    for (; this.#passed < fields.length; this.#passed += 1)
      if (marksReply(fields[this.#passed]?.key ?? '', this.#passed === 0)) return true;
    return false;
  }

  /** Removes the first `length` characters from the held text and returns them. */
  pass(length: number): string {
    const end = this.#from + length;
    const passed = this.#text.slice(this.#from, end);
    const kept = Math.max(0, end - 2);
    this.#text = this.#text.slice(kept);
    this.#from = end - kept;
    this.#scanner = null;
    return passed;
  }

  /**
   * Returns 0 and starts to scan if an object begins at the start of the held text. Otherwise returns the length of the
   * text that certainly precedes an object.
   */
  #begin(): number {
    start.lastIndex = this.#from;
    const found = start.exec(this.#text);
    if (!found) return this.#mayBegin();
    const at = found.index - this.#from;
    if (at > 0) return at;
    this.#brace = this.held.indexOf('{');
    this.#scanner = new ObjectScanner();
    this.#fragments = [];
    this.#passed = 0;
    this.#scan(this.held.slice(this.#brace));
    return 0;
  }

  #mayBegin(): number {
    const tail = this.#text.slice(-MAX_BEGINNING_LENGTH);
    const rest = begun.exec(tail)?.[0].length ?? 0;
    return Math.max(0, this.#text.length - this.#from - rest);
  }

  #scan(text: string): void {
    for (const fragment of this.#scanner?.push(text) ?? []) this.#fragments.push(fragment);
  }
}

/**
 * Returns advice for the model if a reply object was not read because it is in a line of prose (rule:
 * closing-fence).
 */
export function describeIntendedObject(answer: string): string | null {
  const key = /["“”](?:thought|action|final_answer)\\?["“”]\s{0,64}:/i.exec(answer);
  const before = answer.slice(0, key?.index ?? 0);
  return before.includes('{') && !isQuoted(before)
    ? 'if you meant to act or to answer, write the object by itself: it stands in other text, so it was taken for an example'
    : null;
}

/**
 * Whether a text ends inside a block quote, or inside data from the prompt that the model repeats. An object there is
 * only quoted.
 */
function isQuoted(text: string): boolean {
  const line = text.slice(text.lastIndexOf('\n') + 1);
  const opened = Math.max(text.lastIndexOf('<file'), text.lastIndexOf('<observation'));
  const closed = Math.max(text.lastIndexOf('</file'), text.lastIndexOf('</observation'));
  return /^[ \t]{0,16}>/.test(line) || opened > closed;
}
