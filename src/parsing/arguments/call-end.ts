import { isKeyCharacter, lineEnd, skipBlanks, skipSpace } from '../text/characters.js';
import { isFenceAt } from '../text/markdown.js';
import { matchMarker } from '../text/markers.js';
import { endsReply } from '../text/trailing.js';

/**
 * Whether a call lacks its `)` after a complete literal: the text ends, or a label, fence or blank line follows. False
 * if the next text may be a further argument.
 */
export function closeIsMissing(text: string, valueEnd: number): boolean {
  if (endsReply(text, valueEnd) === false) return false;
  const next = skipSpace(text, lineEnd(text, valueEnd));
  if (next >= text.length) return true;
  const lineStart = text.lastIndexOf('\n', next) + 1;
  const marker = matchMarker(text, lineStart);
  if ((marker && marker !== 'partial') || isFenceAt(text, next)) return true;
  const blankLine = text.slice(lineEnd(text, valueEnd), next).split('\n').length > 2;
  return blankLine && !looksLikeArgument(text, next);
}

function looksLikeArgument(text: string, position: number): boolean {
  if ('"\'`)]},'.includes(text.charAt(position))) return true;
  let end = position;
  while (isKeyCharacter(text.charCodeAt(end))) end += 1;
  const separator = text.charAt(skipBlanks(text, end));
  return separator === '=' || separator === ':';
}

/** Whether a later line, before the next label, also ends like a call, so that it is ambiguous where this call ends. */
export function closesAgain(text: string, from: number): boolean {
  for (let line = from + 1; line < text.length; line = lineEnd(text, line) + 1) {
    const marker = matchMarker(text, line);
    if (marker && marker !== 'partial') return false;
    let end = lineEnd(text, line);
    while (end > line && ' \t\r;`'.includes(text.charAt(end - 1))) end -= 1;
    if (text.charAt(end - 1) === ')' && '"\'”’'.includes(text.charAt(end - 2))) return true;
  }
  return false;
}
