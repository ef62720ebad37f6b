/** A range of a text and its replacement. */
interface ChangedSpan {
  /** Start and exclusive end, in UTF-16 code units. */
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Finds the smallest replacement that turns one text into the other, so that cursors and folds elsewhere survive. */
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

/** Reports whether an index would split a surrogate pair or a CRLF. */
function splits(text: string, at: number): boolean {
  const pair = text.slice(at - 1, at + 1);
  return at > 0 && (pair === '\r\n' || /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(pair));
}
