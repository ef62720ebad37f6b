import { isOneOf, isRestBlank } from './characters.js';
import { EchoedFences, ownTagAt } from './own-fences.js';

/**
 * Matches the opening tag of an element that shows text, such as `<pre>` or `<example>`, or the beginning of an HTML
 * comment (rule: shown-element). Group `name` is the name of the element; a comment has none.
 */
const opener =
  /<(?:!--|(?<name>pre|code|tt|q|samp|kbd|xmp|listing|blockquote|textarea|template|details|(?:examples?|samples?)(?:[_-]\w{0,20})?)(?:\s[^<>]{0,200})?>)/iy;
/** Matches the beginning of an opening tag that is still arriving. */
const begun = /<(?:!-?|[a-z]\w{0,8}[\w-]{0,20}|[a-z]\w{0,8}[\w-]{0,20}\s[^<>]{0,200})$/iy;

/** The opening tag of an element that shows text. */
interface ShownElement {
  readonly end: number;
  /** Sticky pattern of the closing tag. */
  readonly close: RegExp;
}

/**
 * Returns the opening tag, at a `<`, of an element that shows text; `'partial'` if the rest of the tag may still
 * arrive.
 */
export function shownElementAt(text: string, position: number): ShownElement | 'partial' | null {
  if (text.charAt(position) !== '<') return null;
  opener.lastIndex = position;
  const found = opener.exec(text);
  if (!found) {
    begun.lastIndex = position;
    return begun.test(text) ? 'partial' : null;
  }
  const name = found.groups?.['name'];
  const close = name === undefined ? /-->/y : new RegExp(`</${name}\\s{0,4}>`, 'iy');
  return { end: opener.lastIndex, close };
}

/**
 * Whether the text only mentions the tag: words follow it on its line. (The caller tests whether it is in the middle of
 * a line.)
 */
export const isNamedInText = (text: string, { end }: ShownElement, lineStop: number): boolean =>
  !isRestBlank(text, end, lineStop) && !isOneOf('<[`', text, end);

/**
 * Returns the end of the text inside an element, and the end of its closing tag; null if it is never closed. A closing
 * tag inside one of the service's data tags (such as `<file>`) is quoted, and does not close the element.
 */
export function shownText(
  text: string,
  { end, close }: ShownElement,
): readonly [inside: number, after: number] | null {
  const fences = new EchoedFences();
  const stop = /<|-->/g;
  stop.lastIndex = end;
  for (let found = stop.exec(text); found; found = stop.exec(text)) {
    const at = found.index;
    close.lastIndex = at;
    if (!fences.isInside && close.test(text)) return [at, close.lastIndex];
    const tag = text.charAt(at) === '<' ? ownTagAt(text, at) : null;
    if (tag !== null && tag !== 'partial') fences.enter(tag);
  }
  return null;
}
