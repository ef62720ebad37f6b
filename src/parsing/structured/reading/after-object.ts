import { type Discarded, describeDiscarded } from '../../discarded.js';
import { skipSpace } from '../../text/characters.js';
import { imaginesTurn, readTokens } from '../../text/chat-tokens.js';
import { matchMarker } from '../../text/markers.js';
import { ObjectScanner } from '../scanning/object-scanner.js';

/**
 * Returns the position of the first prose after an object that ends at `from`. Such prose shows that the object is only
 * an example. Returns null if nothing follows except the closing code fence, closing tags, further objects, chat tokens
 * or another role's turn. If the object has prose before it (`isIntroduced`), a further object with an answer is
 * treated as prose (rule: object-reply).
 */
export function proseAfter(
  text: string,
  from: number,
  { isIntroduced }: { readonly isIntroduced: boolean },
): number | null {
  for (let at = from; ; ) {
    const { turn, end } = readTokens(text, at, imaginesTurn);
    if (turn !== null) return null;
    at = skipMarks(text, end);
    if (at >= text.length || matchMarker(text, at)) return null;
    if (text.charAt(at) !== '{') return at;
    const next = scanObject(text, at);
    if (next.end === null) return null;
    if (isIntroduced && next.strings.get('final_answer')?.trim()) return at;
    at += next.end;
  }
}

/**
 * Counts the characters after an object by kind. If the model wrote another role's turn there, everything from that
 * turn on has the kind `stop` (rule: chat-tokens).
 */
export function discardedAfter(text: string, from: number): Discarded[] {
  const { turn, end, chars } = readTokens(text, from, imaginesTurn);
  if (turn !== null) {
    const before = describeDiscarded(text.slice(0, turn), from);
    return [...before, { kind: 'stop', chars: text.length - turn }];
  }
  if (skipSpace(text, end) >= text.length) return [{ kind: 'stop', chars }];
  return describeDiscarded(text, from);
}

function skipMarks(text: string, from: number): number {
  for (let at = skipSpace(text, from); ; at = skipSpace(text, mark.lastIndex)) {
    mark.lastIndex = at;
    if (!mark.test(text)) return at;
  }
}

/** Matches text without content: a code fence, a closing bracket or tag, a horizontal rule, or invisible characters. */
const mark =
  /`{3,}[ \t]{0,16}(?:json)?[ \t]{0,16}(?:\r?\n|$)|`{3,}(?=<)|[}\]);,\u200b\ufeff]|-{3,}(?=\s|$)|<\/(?:tool_call|action|json)>/iy;

function scanObject(text: string, start: number): ObjectScanner {
  const scanner = new ObjectScanner();
  scanner.push(text.slice(start));
  return scanner;
}
