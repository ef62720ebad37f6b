import { countLines, countNewlines, LineIndex, type LineRange } from '../lines.js';
import { cutLines } from './cut-lines.js';
import {
  type CutSource,
  type CutText,
  describeGap,
  type FittedText,
  fitText,
  type NumberedSource,
  numberLines,
  type TokenLimit,
  wholeText,
} from './cut-source.js';
import { largestFitting } from './largest-fitting.js';

/**
 * Cuts a text to some of its lines and as many adjacent ones as fit, the same number of characters before and after;
 * a line at each cut says what is missing. If not even the lines themselves fit, cuts them like any other text.
 */
export async function cutAround(
  source: CutSource,
  lines: LineRange,
  { limit, counter }: TokenLimit,
): Promise<FittedText | undefined> {
  const numbered = numberLines(source);
  const { text, firstLine } = numbered;
  const tryCut = (cut: CutText) => fitText(numbered, cut, { limit, counter });
  const whole = await tryCut(wholeText(numbered));
  if (whole) return whole;
  const index = new LineIndex(text);
  const start = index.startOf(lines.first - firstLine + 1);
  const end = index.startOf(lines.last - firstLine + 2);
  const reach = Math.max(start, text.length - end);
  const window = await largestFitting(reach, limit, (budget) =>
    tryCut(keepWindow(numbered, widen(text, { start, end }, budget))),
  );
  const selected = { ...source, text: text.slice(start, end), lineCount: undefined, firstLine: lines.first };
  return window ?? cutLines(selected, limit, counter);
}

interface Offsets {
  readonly start: number;
  readonly end: number;
}

/** Adds whole lines on both sides, at most `by` characters on each. */
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
