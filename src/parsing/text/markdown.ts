import { isOneOf, isRestBlank, skipDigits, skipRun } from './characters.js';
import { skipTokensInLine } from './chat-tokens.js';

const MAX_LIST_DIGITS = 9;

/** Returns the backticks or tildes of a fence line; `''` if the line is no fence. */
export function fenceRun(text: string, first: number, end: number): string {
  const mark = text.charAt(first);
  if (mark !== '`' && mark !== '~') return '';
  const after = skipRun(text, first, mark);
  if (after - first < 3) return '';
  // A line of inline code such as ```x``` is not a fence.
  const info = mark === '`' ? text.indexOf('`', after) : -1;
  return info >= 0 && info < end ? '' : text.slice(first, after);
}

/** Returns whether three backticks or tildes are at `position`, as at the beginning of a fence. */
export function isFenceAt(text: string, position: number): boolean {
  return text.startsWith('```', position) || text.startsWith('~~~', position);
}

/** Maximum number of signs that are skipped before a call. */
const MAX_SIGNS = 40;
const sign = /[^\p{L}\p{N}_\n"'“‘|[{]/u;

/** Skips signs such as `→`, `$` or `**` before a call; not quote marks, since a quoted call is only mentioned. */
export function skipDecoration(text: string, position: number): number {
  let at = position;
  while (at - position < MAX_SIGNS && sign.test(text.charAt(at))) at += 1;
  return at;
}

/** Whether a line is a fence line with only backticks or tildes, and chat tokens, so that it can close a code fence. */
export function isBareFence(text: string, first: number, end: number): boolean {
  const run = fenceRun(text, first, end);
  return run !== '' && isRestBlank(text, skipTokensInLine(text, first + run.length), end);
}

/**
 * Whether a line closes a code fence: it has at least as many of the same backticks or tildes, and nothing else but
 * chat tokens.
 */
export function closesFence(
  open: string | null,
  run: string,
  { text, first, end }: { text: string; first: number; end: number },
): boolean {
  if (open === null || run.length < open.length || run[0] !== open[0]) return false;
  return isRestBlank(text, skipTokensInLine(text, first + run.length), end);
}

/**
 * Returns the end of a list bullet (`-`, `*`, `+`, `1.` or `1)`) that white space or the text's end follows; `first` if
 * there is none.
 */
export function bulletEnd(text: string, first: number): number {
  const at = skipDigits(text, first, MAX_LIST_DIGITS);
  const isBullet = isOneOf(at > first ? '.)' : '-*+', text, at);
  const ends = at + 1 >= text.length || isOneOf(' \t\n\r', text, at + 1);
  return isBullet && ends ? at + 1 : first;
}
