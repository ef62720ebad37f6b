import type { TokenCounter } from '../../tokens/token-counter.js';
import { countLines, countNewlines, type LineRange } from '../lines.js';
import { largestFitting } from './largest-fitting.js';

export interface CutSource {
  readonly text: string;
  /** The number of the text's first line; 1 by default. */
  readonly firstLine?: number | undefined;
  /** Lines of the whole that the text may be a part of; by default it is no part. */
  readonly totalLines?: number | 'unknown' | undefined;
  /** Says how to ask for missing lines, such as `41-210`. */
  readonly howToAsk?: ((lines: string) => string) | undefined;
  /** What is sent for a cut, and so what is counted; its text by default. */
  readonly render?: ((cut: CutText) => string) | undefined;
}

export interface CutText {
  readonly text: string;
  /** True where something is missing. */
  readonly cut: boolean;
  /** The lines that are wholly there. */
  readonly wholeLines: readonly LineRange[];
  /** The lines of which at least a part is there. */
  readonly lines: readonly LineRange[];
}

export interface FittedText extends CutText {
  readonly rendered: string;
  /** Of what is rendered. */
  readonly tokens: number;
}

/**
 * Cuts a text to a token limit (rule: cut-by-lines): head and tail stay, and between them one line names what is missing
 * and how to ask for it. Blank lines stay; only a line too long for half of what is kept is cut inside, between
 * code points. Depends on nothing but the source and the limit. Undefined if not even the marker fits.
 */
export async function cutLines(
  source: CutSource,
  limit: number,
  counter: TokenCounter,
): Promise<FittedText | undefined> {
  const measure = (cut: CutText) => fitText(source, cut, { limit, counter });
  const whole = await measure(wholeText(source));
  return whole ?? largestFitting(source.text.length, limit, (budget) => measure(keepEnds(source, budget)));
}

/** A cut of a source as it is sent; undefined if that is above the limit. */
export async function fitText(
  { render }: CutSource,
  cut: CutText,
  { limit, counter }: { limit: number; counter: TokenCounter },
): Promise<FittedText | undefined> {
  const rendered = render?.(cut) ?? cut.text;
  const tokens = await counter.countWithin(rendered, limit);
  return tokens === undefined ? undefined : { ...cut, rendered, tokens };
}

/** Whether nothing is left but the marker. */
export function showsNothing({ cut, lines }: CutText): boolean {
  return cut && lines.length === 0;
}

/** A source with nothing cut away. */
export function wholeText({ text, firstLine = 1 }: CutSource): CutText {
  const lines = text === '' ? [] : [{ first: firstLine, last: firstLine + countLines(text) - 1 }];
  return { text, cut: false, wholeLines: lines, lines };
}

/** Half of the budget, in characters, for the head and half for the tail. */
function keepEnds(source: CutSource, budget: number): CutText {
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

/** The source without its characters from `headEnd` to `tailStart`, and a line that says so. */
function cutOut(source: CutSource, headEnd: number, tailStart: number): CutText {
  const { text, firstLine = 1 } = source;
  if (headEnd >= tailStart) return wholeText(source);
  const gap = findGap(source, headEnd, tailStart);
  const head = text.slice(0, headEnd) + (gap.insideFirst ? '\n' : '');
  const last = firstLine + countLines(text) - 1;
  const around = (before: number, after: number): LineRange[] =>
    [
      { first: firstLine, last: before },
      { first: after, last },
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

/** The lines a gap touches, and whether it leaves a part of its first and of its last one. */
interface Gap extends LineRange {
  readonly insideFirst: boolean;
  readonly insideLast: boolean;
  readonly characters: number;
}

function findGap({ text, firstLine = 1 }: CutSource, headEnd: number, tailStart: number): Gap {
  const toTheEnd = tailStart >= text.length;
  const insideLast = !toTheEnd && text[tailStart - 1] !== '\n';
  const linesBeforeTail = toTheEnd ? countLines(text) : countNewlines(text.slice(0, tailStart));
  return {
    first: firstLine + countNewlines(text.slice(0, headEnd)),
    last: firstLine + linesBeforeTail - (insideLast ? 0 : 1),
    insideFirst: headEnd > 0 && text[headEnd - 1] !== '\n',
    insideLast,
    characters: tailStart - headEnd,
  };
}

/** The line that stands where something is missing. */
export function describeGap(source: CutSource, gap: LineRange & Partial<Gap>): string {
  const { text, firstLine = 1, totalLines = firstLine + countLines(text) - 1, howToAsk } = source;
  const lines = gap.first === gap.last ? `${gap.first}` : `${gap.first}-${gap.last}`;
  const named = `line${gap.first === gap.last ? '' : 's'} ${lines}`;
  const counted = totalLines === 'unknown' ? named : `${named} of ${totalLines}`;
  const parts = gap.insideFirst || gap.insideLast ? `${gap.characters} characters of ${counted}` : counted;
  return `[${parts} left out${howToAsk ? `; ${howToAsk(lines)}` : ''}]`;
}

function joinTouching([head, tail, ...none]: LineRange[]): LineRange[] {
  if (!head || !tail) return [head, tail, ...none].filter((range) => range !== undefined);
  return head.last + 1 >= tail.first ? [{ first: head.first, last: tail.last }] : [head, tail];
}
