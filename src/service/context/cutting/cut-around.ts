import type { TokenCounter } from '../../../tokens/token-counter.js';
import { countLines, countNewlines, type LineRange, offsetAfterLines } from '../lines.js';
import { cutLines, fitWhole } from './cut-lines.js';
import {
  type CutSource,
  type CutText,
  describeGap,
  type FittedText,
  fitText,
  lastLineOf,
  rememberedCut,
} from './cut-source.js';
import { largestFitting } from './largest-fitting.js';

/**
 * Cuts a text to some lines and as many of their neighbours as fit, the same before and after; a line at each cut
 * says what is missing. If not even the lines themselves fit, they are cut like any other text.
 */
export async function cutAround(
  source: CutSource,
  lines: LineRange,
  { limit, counter }: { limit: number; counter: TokenCounter },
): Promise<FittedText | undefined> {
  const whole = await fitWhole(source, limit, counter);
  if (whole) return whole;
  const { text, firstLine = 1 } = source;
  const start = offsetAfterLines(text, lines.first - firstLine, 0);
  const end = offsetAfterLines(text, lines.last - lines.first + 1, start);
  const reach = Math.max(start, text.length - end);
  const selection = `${lines.first}-${lines.last}`;
  const probe = (budget: number) => {
    const cut = keepWindow(source, widen(text, { start, end }, budget));
    return fitText(source, cut, { name: `${budget} around ${selection}`, limit, counter });
  };
  const what = `${selection} in ${limit}`;
  const budget = await rememberedCut(source, { what, counter }, () => largestFitting(reach, limit, probe));
  const selected = { ...source, text: text.slice(start, end), lineCount: undefined, firstLine: lines.first };
  return (await probe(budget)) ?? cutLines(selected, limit, counter);
}

interface Offsets {
  readonly start: number;
  readonly end: number;
}

/** By at most so many characters on each side, to whole lines. */
function widen(text: string, { start, end }: Offsets, by: number): Offsets {
  const from = start - by;
  const to = end + by;
  const newline = from <= 0 ? -1 : text.indexOf('\n', from - 1);
  return {
    start: from <= 0 ? 0 : Math.min(start, newline + 1),
    end: to >= text.length ? text.length : Math.max(end, text.lastIndexOf('\n', to - 1) + 1),
  };
}

function keepWindow(source: CutSource, { start, end }: Offsets): CutText {
  const { text, firstLine = 1 } = source;
  const kept = text.slice(start, end);
  const first = firstLine + countNewlines(text.slice(0, start));
  const lines = { first, last: first + countLines(kept) - 1 };
  const after = { first: lines.last + 1, last: lastLineOf(source) };
  const above = start > 0 ? `${describeGap(source, { first: firstLine, last: first - 1 })}\n` : '';
  const below = end < text.length ? `${describeGap(source, after)}\n` : '';
  return {
    text: above + kept + below,
    cut: start > 0 || end < text.length,
    wholeLines: [lines],
    lines: [lines],
  };
}
