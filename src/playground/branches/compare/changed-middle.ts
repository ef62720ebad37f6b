/** Two texts split into their common beginning, the differing middles, and their common end. */
export interface ChangedMiddle {
  readonly before: string;
  readonly left: string;
  readonly right: string;
  readonly after: string;
}

/** Finds the common beginning and end at word boundaries, so that no word is split. */
export function changedMiddle(left: string, right: string): ChangedMiddle {
  const shorter = Math.min(left.length, right.length);
  let start = 0;
  while (start < shorter && left[start] === right[start]) start += 1;
  if (!isSpace(left[start]) || !isSpace(right[start])) start = backToWord(left, start);
  let end = 0;
  while (end < shorter - start && left.at(-1 - end) === right.at(-1 - end)) end += 1;
  const [leftEnd, rightEnd] = [left.length - end, right.length - end];
  if (!isSpace(left[leftEnd - 1]) || !isSpace(right[rightEnd - 1])) {
    end = left.length - forwardToWord(left, leftEnd);
  }
  return {
    before: left.slice(0, start),
    left: left.slice(start, left.length - end),
    right: right.slice(start, right.length - end),
    after: left.slice(left.length - end),
  };
}

const isSpace = (character: string | undefined): boolean => character === undefined || /\s/.test(character);

function backToWord(text: string, at: number): number {
  let start = at;
  while (start > 0 && !isSpace(text[start - 1])) start -= 1;
  return start;
}

function forwardToWord(text: string, at: number): number {
  let end = at;
  while (end < text.length && !isSpace(text[end])) end += 1;
  return end;
}
