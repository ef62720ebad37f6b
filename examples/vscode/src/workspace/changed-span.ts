/** The part of a text that another replaces. */
interface ChangedSpan {
  /** In UTF-16 units, the end excluded. */
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The least that makes one text of the other: what they begin and end with alike stays, and cursors and folds with it. */
export function changedSpan(before: string, after: string): ChangedSpan {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start += 1;
  let common = 0;
  while (common < shorter - start && before.at(-1 - common) === after.at(-1 - common)) common += 1;
  if (splits(before, start)) start -= 1;
  if (splits(before, before.length - common)) common -= 1;
  const end = before.length - common;
  return { start, end, text: after.slice(start, after.length - common) };
}

/** Whether a place lies inside what must stay together: a surrogate pair, the two characters of a line break. */
function splits(text: string, at: number): boolean {
  const pair = text.slice(at - 1, at + 1);
  return at > 0 && (pair === '\r\n' || /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(pair));
}
