import type { OfferedTools } from '../arguments/offered-tool.js';
import { isOneOf, matchEnd } from '../text/characters.js';

/** Matches signs and words with which models join calls on one line. */
const joint = /[ \t]{0,4}(?:[,;|+]|&{1,2}|->|→)?[ \t]{0,4}(?:(?:and then|and|then)[ \t]{1,4})?/iy;

/** Returns the start of a call that is joined to the one before `position`, as in `f(); g()`; null if there is none. */
export function joinedCallAt(text: string, position: number, tools: OfferedTools): number | null {
  const start = matchEnd(joint, text, position) ?? position;
  if (text.slice(position, start).trim() === '') return null;
  const nameEnd = tools.nameEnd(text, start);
  return tools.find(text.slice(start, nameEnd)) && isOneOf('([{', text, nameEnd) ? start : null;
}
