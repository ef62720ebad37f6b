import { FixedWords, isOneOf } from './characters.js';

/**
 * The tags in which the service shows a model its data. A model that echoes one with its mark quotes what
 * it was shown (rule: echoed-fence).
 */
const ownTags = ['file', 'folder', 'pinned', 'excerpt', 'focus', 'left_out', 'observation', 'tasks'] as const;
const tagNames = new FixedWords(ownTags, 0);

/** Maximum length of one of our tags, so that the search for its end stays cheap; paths and attributes are shorter. */
const MAX_TAG_LENGTH = 4096;

/** `<file path="a" mark="1f">` or `</file 1f>`; without its mark the mark is null. */
export interface OwnTag {
  readonly kind: 'opens' | 'closes';
  readonly name: string;
  readonly mark: string | null;
  readonly end: number;
}

/**
 * One of our own fence tags at a `<`, an opening one only with its mark; `'partial'` while its end may still arrive.
 */
export function ownTagAt(text: string, position: number): OwnTag | 'partial' | null {
  const tag = tagAt(text, position);
  return tag === null || tag === 'partial' || tag.kind === 'closes' || tag.mark !== null ? tag : null;
}

/** Quote marks, a bullet or a number before an opening tag on its line. */
const lineHead = /(?:[ \t>*+-]|\d{1,3}[.)]){0,12}/y;

/** An opening tag of ours at the start of a line whose mark was lost (rule: echoed-fence). */
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
  if (attributes.endsWith('/')) return null; // opens nothing
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

/** `` `<file mark="1f">` `` in inline code only speaks of the tag. */
export function isMentioned(text: string, start: number, end: number): boolean {
  return text.charAt(start - 1) === '`' && text.charAt(end) === '`';
}

/** The fences of ours that a text has opened, and the one it is in. */
export class EchoedFences {
  readonly #opened = new Set<string>();
  #inside: OwnTag | null = null;

  get isInside(): boolean {
    return this.#inside !== null;
  }

  /** Inside a fence whose opening tag has lost its mark. */
  get isInsideUnmarked(): boolean {
    return this.#inside?.mark === null;
  }

  /** Takes a tag into account; the closer of a fence that was never opened is `'stray'`. */
  enter(tag: OwnTag): 'quotes' | 'stray' | 'text' {
    const { kind, mark } = tag;
    if (kind === 'opens') {
      if (mark !== null) this.#opened.add(mark);
      this.#inside ??= tag;
      return 'quotes';
    }
    if (this.#isClosedBy(tag)) this.#inside = null;
    return mark === null || this.#opened.has(mark) ? 'text' : 'stray';
  }

  /** Whether a closer has the mark of the open fence, or the tag's name if the fence lost its mark. */
  #isClosedBy({ name, mark }: OwnTag): boolean {
    if (this.#inside === null) return false;
    return this.#inside.mark === null ? this.#inside.name === name : this.#inside.mark === mark;
  }
}

/** Finds closing tags of ours that were never opened; they are cut from the fields of the result. */
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
