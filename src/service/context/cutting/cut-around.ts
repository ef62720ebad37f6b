import { countLines, countNewlines, LineIndex, type LineRange } from '../lines.js';
import { cutLines } from './cut-lines.js';
import {
  type CutSource,
  type CutText,
  describeGap,
  type FittedText,
  fitText,
  fitWhole,
  type NumberedSource,
  numberLines,
  type TokenLimit,
} from './cut-source.js';
import { largestFitting } from './largest-fitting.js';

/**
 * Keeps the given lines of a text and as many lines around them as fit, with equally many characters before and
 * after. A marker line at each cut describes the omitted text. If not even the given lines fit, cuts them as
 * `cutLines` does.
 */
export async function cutAround(
  source: CutSource,
  lines: LineRange,
  limit: TokenLimit,
): Promise<FittedText | undefined> {
  const whole = await fitWhole(source, limit);
  if (whole) return whole;
  const numbered = numberLines(source);
  const { text, firstLine } = numbered;
  const index = new LineIndex(text);
  const start = index.startOf(lines.first - firstLine + 1);
  const end = index.startOf(lines.last - firstLine + 2);
  const reach = Math.max(start, text.length - end);
  const window = await largestFitting(reach, limit.tokens, (budget) =>
    fitText(source, keepWindow(numbered, widen(text, { start, end }, budget)), limit),
  );
  const selected = { ...source, text: text.slice(start, end), lineCount: undefined, firstLine: lines.first };
  return window ?? cutLines(selected, limit);
}

interface Offsets {
  readonly start: number;
  readonly end: number;
}

/** Extends a range by complete lines, by at most `by` characters on each side. */
function widen(text: string, { start, end }: Offsets, by: number): Offsets {
  const from = start - by;
  const to = end + by;
  const newline = from <= 0 ? -1 : text.indexOf('\n', from - 1);
  return {
    start: from <= 0 ? 0 : Math.min(start, newline + 1),
    end: to >= text.length ? text.length : Math.max(end, text.lastIndexOf('\n', to - 1) + 1),
  };
}

function keepWindow(source: NumberedSource, { start, end }: Offsets): CutText {
  const { text, firstLine, lastLine } = source;
  const kept = text.slice(start, end);
  const first = firstLine + countNewlines(text.slice(0, start));
  const lines = { first, last: first + countLines(kept) - 1 };
  const before = { first: firstLine, last: first - 1 };
  const after = { first: lines.last + 1, last: lastLine };
  const above = start > 0 ? `${describeGap(source, before)}\n` : '';
  const below = end < text.length ? `${describeGap(source, after)}\n` : '';
  return {
    text: above + kept + below,
    cut: start > 0 || end < text.length,
    wholeLines: [lines],
    lines: [lines],
  };
}
