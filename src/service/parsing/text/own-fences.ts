import { isOneOf } from './characters.js';

/**
 * The tags in which the service shows a model its data. A model that echoes one with its mark quotes what
 * it was shown (rule: echoed-fence).
 */
const ownTags = ['file', 'folder', 'pinned', 'excerpt', 'focus', 'left_out', 'observation', 'tasks'] as const;

/** A longer tag is not ours: paths and attributes are shorter, and looking for its end must stay cheap. */
const LONGEST_TAG = 4096;

/** `<file path="a" mark="1f">` or `</file 1f>`. */
export interface OwnTag {
  readonly kind: 'opens' | 'closes';
  readonly mark: string;
  readonly end: number;
}

/** One of our own fence tags at a `<`; `'partial'` while its end may still arrive. */
export function ownTagAt(text: string, position: number): OwnTag | 'partial' | null {
  const closes = text.charAt(position + 1) === '/';
  const name = position + (closes ? 2 : 1);
  const tag = ownTags.find((each) => text.startsWith(each, name));
  if (!tag) return couldBecomeTag(text.slice(name, name + LONGEST_NAME)) ? 'partial' : null;
  const nameEnd = name + tag.length;
  if (nameEnd >= text.length) return 'partial';
  if (!isOneOf(' \t', text, nameEnd)) return null;
  const written = text.slice(nameEnd, nameEnd + LONGEST_TAG);
  const end = written.search(/[<>\n]/);
  if (end < 0) return written.length < LONGEST_TAG ? 'partial' : null;
  if (written.charAt(end) !== '>') return null;
  const mark = closes ? closingMark(written.slice(0, end)) : openingMark(written.slice(0, end));
  return mark === null ? null : { kind: closes ? 'closes' : 'opens', mark, end: nameEnd + end + 1 };
}

const LONGEST_NAME = Math.max(...ownTags.map((tag) => tag.length));

function couldBecomeTag(written: string): boolean {
  return ownTags.some((tag) => tag.length > written.length && tag.startsWith(written));
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

/** Which of our fences a text has opened, and the one it is in. */
export class EchoedFences {
  readonly #opened = new Set<string>();
  #inside: string | null = null;

  get isInside(): boolean {
    return this.#inside !== null;
  }

  /** Takes a tag into account; the closer of a fence that was never opened is `'stray'`. */
  enter({ kind, mark }: OwnTag): 'quotes' | 'stray' | 'text' {
    if (kind === 'opens') {
      this.#opened.add(mark);
      this.#inside ??= mark;
      return 'quotes';
    }
    if (mark === this.#inside) this.#inside = null;
    return this.#opened.has(mark) ? 'text' : 'stray';
  }
}

/** Closing tags of ours without an opening one: they are cut from what is shown. */
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
