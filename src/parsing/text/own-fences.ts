import { FixedWords, isOneOf } from './characters.js';

/**
 * Names of the data tags, in which the service puts data into the prompt. A model that repeats one with its `mark`
 * attribute quotes that data (rule: echoed-fence).
 */
const ownTags = ['file', 'folder', 'pinned', 'excerpt', 'focus', 'left_out', 'observation', 'tasks'] as const;
const tagNames = new FixedWords(ownTags, 0);

/** Maximum length of a data tag, which bounds the search for its end; paths and attributes are shorter. */
const MAX_TAG_LENGTH = 4096;

/** A data tag such as `<file path="a" mark="1f">` or `</file 1f>`. `mark` is null if the model omitted it. */
export interface OwnTag {
  readonly kind: 'opens' | 'closes';
  readonly name: string;
  readonly mark: string | null;
  readonly end: number;
}

/**
 * Returns the data tag at a `<`; an opening tag only if it has its `mark` attribute. `'partial'` if its end may still
 * arrive.
 */
export function ownTagAt(text: string, position: number): OwnTag | 'partial' | null {
  const tag = tagAt(text, position);
  return tag === null || tag === 'partial' || tag.kind === 'closes' || tag.mark !== null ? tag : null;
}

/** Matches what may precede an opening data tag on its line: quote marks, a bullet or a number. */
const lineHead = /(?:[ \t>*+-]|\d{1,3}[.)]){0,12}/y;

/** Returns an opening data tag at the start of a line, if the tag lacks its `mark` attribute (rule: echoed-fence). */
export function unmarkedOpenerIn(text: string, lineStart: number): OwnTag | 'partial' | null {
  lineHead.lastIndex = lineStart;
  const head = lineHead.exec(text)?.[0].length ?? 0;
  if (lineStart + head >= text.length) return 'partial';
  const tag = tagAt(text, lineStart + head);
  return tag === null || tag === 'partial' || (tag.kind === 'opens' && tag.mark === null) ? tag : null;
}

function tagAt(text: string, position: number): OwnTag | 'partial' | null {
  if (text.charAt(position) !== '<') return null;
  const closes = text.charAt(position + 1) === '/';
  const nameStart = position + (closes ? 2 : 1);
  const name = tagNames.at(text, nameStart);
  if (!name) return nameStart >= text.length || tagNames.isUnderWay(text, nameStart) ? 'partial' : null;
  const nameEnd = nameStart + name.length;
  if (nameEnd >= text.length) return 'partial';
  if (!isOneOf(' \t\r\n>', text, nameEnd)) return null;
  const written = text.slice(nameEnd, nameEnd + MAX_TAG_LENGTH);
  const stop = written.search(/[<>\n]/);
  if (stop < 0 && written.length < MAX_TAG_LENGTH) return 'partial';
  const isWhole = written.charAt(stop) === '>';
  const attributes = isWhole ? written.slice(0, stop) : '';
  if (closes)
    return isWhole ? { kind: 'closes', name, mark: closingMark(attributes), end: nameEnd + stop + 1 } : null;
  if (attributes.endsWith('/')) return null; // A self-closing tag opens nothing.
  const end = isWhole ? nameEnd + stop + 1 : nameEnd;
  return { kind: 'opens', name, mark: openingMark(attributes), end };
}

function closingMark(written: string): string | null {
  return /^[ \t]+([0-9a-f]{8,64})[ \t]*$/.exec(written)?.[1] ?? null;
}

function openingMark(written: string): string | null {
  const at = written.lastIndexOf('mark=');
  return at < 0 ? null : (/^["'`]?([\w-]{1,64})/.exec(written.slice(at + 'mark='.length))?.[1] ?? null);
}

/** Whether a data tag is in inline code, as in `` `<file mark="1f">` ``, so that the text only mentions it. */
export function isMentioned(text: string, start: number, end: number): boolean {
  return text.charAt(start - 1) === '`' && text.charAt(end) === '`';
}

/** Tracks which data tags a text has opened, and inside which it is. */
export class EchoedFences {
  readonly #opened = new Set<string>();
  /** The open data tags, outermost first: at most one without a `mark` attribute, and inside it one with it. */
  readonly #inside: OwnTag[] = [];

  get isInside(): boolean {
    return this.#inside.length > 0;
  }

  /** True inside a data tag without a `mark` attribute. */
  get isInsideUnmarked(): boolean {
    return this.#inside[0]?.mark === null;
  }

  /**
   * Records a data tag. Returns `'quotes'` if the text after it is a quotation, `'stray'` for a closing tag without an
   * opening one, and otherwise `'text'`.
   */
  enter(tag: OwnTag): 'quotes' | 'stray' | 'text' {
    const { kind, mark } = tag;
    if (kind === 'opens') {
      if (mark !== null) this.#opened.add(mark);
      const inside = this.#inside.at(-1);
      if (!inside || (inside.mark === null && mark !== null)) this.#inside.push(tag);
      return 'quotes';
    }
    if (this.#isClosedBy(tag)) this.#inside.pop();
    return mark === null || this.#opened.has(mark) ? 'text' : 'stray';
  }

  /**
   * Whether a closing tag closes the innermost open data tag: both have the same `mark`, or the same name if the
   * opening tag has no mark.
   */
  #isClosedBy({ name, mark }: OwnTag): boolean {
    const inside = this.#inside.at(-1);
    if (!inside) return false;
    return inside.mark === null ? inside.name === name : inside.mark === mark;
  }
}

/** Finds the closing data tags that were never opened, so that they can be removed from the text. */
export function strayClosers(text: string): (readonly [start: number, end: number])[] {
  const fences = new EchoedFences();
  const strays: (readonly [number, number])[] = [];
  for (let at = text.indexOf('<'); at >= 0; at = text.indexOf('<', at + 1)) {
    const tag = ownTagAt(text, at);
    if (tag === null || tag === 'partial' || isMentioned(text, at, tag.end)) continue;
    if (fences.enter(tag) === 'stray') strays.push([at, tag.end]);
  }
  return strays;
}
