import { countLines, countNewlines, type LineRange } from '../lines.js';
import {
  type CutSource,
  type CutText,
  describeGap,
  type FittedText,
  fitText,
  fitWhole,
  type Gap,
  type NumberedSource,
  numberLines,
  type TokenLimit,
  wholeText,
} from './cut-source.js';
import { largestFitting } from './largest-fitting.js';

/**
 * Cuts a text to a token limit (rule: cut-by-lines). Keeps its head and its tail, including blank lines. One marker
 * line between them describes the omitted lines and how to request them. A line is cut inside, between code points,
 * only if it is too long for half of the budget. The result depends only on the source and the limit. Returns
 * undefined if not even the marker line fits.
 */
export async function cutLines(source: CutSource, limit: TokenLimit): Promise<FittedText | undefined> {
  const whole = await fitWhole(source, limit);
  if (whole) return whole;
  const numbered = numberLines(source);
  return largestFitting(source.text.length, limit.tokens, (budget) =>
    fitText(source, keepEnds(numbered, budget), limit),
  );
}

/** Keeps the head and the tail, each with half of the budget in characters. */
function keepEnds(source: NumberedSource, budget: number): CutText {
  const { text } = source;
  const headEnd = endOfHead(text, Math.ceil(budget / 2));
  const tailStart = Math.max(headEnd, startOfTail(text, text.length - Math.floor(budget / 2)));
  return cutOut(source, headEnd, tailStart);
}

function endOfHead(text: string, end: number): number {
  const lineEnd = text.lastIndexOf('\n', end - 1) + 1;
  if (end > 0 && lineEnd >= end / 2) return lineEnd;
  return splitsCodePoint(text, end) ? end - 1 : end;
}

function startOfTail(text: string, start: number): number {
  const newline = text.indexOf('\n', start - 1);
  const lineStart = newline === -1 ? text.length : newline + 1;
  if (text.length - lineStart >= (text.length - start) / 2) return lineStart;
  return splitsCodePoint(text, start) ? start + 1 : start;
}

function splitsCodePoint(text: string, at: number): boolean {
  return at > 0 && /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(at - 1, at + 1));
}

/** Replaces the characters from `headEnd` to `tailStart` by a marker line. */
function cutOut(source: NumberedSource, headEnd: number, tailStart: number): CutText {
  const { text, firstLine, lastLine } = source;
  if (headEnd >= tailStart) return wholeText(source);
  const gap = findGap(source, headEnd, tailStart);
  const head = text.slice(0, headEnd) + (gap.insideFirst ? '\n' : '');
  const around = (before: number, after: number): LineRange[] =>
    [
      { first: firstLine, last: before },
      { first: after, last: lastLine },
    ].filter((range) => range.first <= range.last);
  return {
    text: `${head}${describeGap(source, gap)}\n${text.slice(tailStart)}`,
    cut: true,
    wholeLines: around(gap.first - 1, gap.last + 1),
    lines: joinTouching(
      around(gap.insideFirst ? gap.first : gap.first - 1, gap.insideLast ? gap.last : gap.last + 1),
    ),
  };
}

function findGap({ text, firstLine, lastLine }: NumberedSource, headEnd: number, tailStart: number): Gap {
  const insideLast = tailStart < text.length && text[tailStart - 1] !== '\n';
  const lastBeforeTail = lastLine - countLines(text.slice(tailStart));
  return {
    first: firstLine + countNewlines(text.slice(0, headEnd)),
    last: lastBeforeTail + (insideLast ? 1 : 0),
    insideFirst: headEnd > 0 && text[headEnd - 1] !== '\n',
    insideLast,
    characters: tailStart - headEnd,
  };
}

function joinTouching(ranges: LineRange[]): LineRange[] {
  const [head, tail] = ranges;
  if (!head || !tail || head.last + 1 < tail.first) return ranges;
  return [{ first: head.first, last: tail.last }];
}
