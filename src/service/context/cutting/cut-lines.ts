import type { TokenCounter } from '../../../tokens/token-counter.js';
import { countLines, countNewlines, type LineRange } from '../lines.js';
import {
  type CutSource,
  type CutText,
  describeGap,
  type FittedText,
  fitText,
  type Gap,
  lastLineOf,
  rememberedCut,
  wholeText,
} from './cut-source.js';
import { largestFitting } from './largest-fitting.js';

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
  return (await fitWhole(source, limit, counter)) ?? fitEnds(source, limit, counter);
}

/** The source with nothing cut away; undefined if that is above the limit. */
export async function fitWhole(
  source: CutSource,
  limit: number,
  counter: TokenCounter,
): Promise<FittedText | undefined> {
  if ((await tokensWithin(source, { limit, counter })) > limit) return undefined;
  return renderWhole(source, limit, counter);
}

/**
 * Tokens of a source with nothing cut away; infinite if they are above the limit. Rendered only if it is new, and then shown
 * to `keep`.
 */
export function tokensWithin(
  source: CutSource,
  { limit, counter, keep }: { limit: number; counter: TokenCounter; keep?: (whole: FittedText) => void },
): Promise<number> {
  return rememberedCut(source, { what: `whole ${limit}`, counter }, async () => {
    const whole = await renderWhole(source, limit, counter);
    if (whole) keep?.(whole);
    return whole?.tokens ?? Number.POSITIVE_INFINITY;
  });
}

/** The same as `fitWhole`, for a source that is rendered in any case. */
export function renderWhole(
  source: CutSource,
  limit: number,
  counter: TokenCounter,
): Promise<FittedText | undefined> {
  return fitText(source, wholeText(source), { name: 'whole', limit, counter });
}

async function fitEnds(
  source: CutSource,
  limit: number,
  counter: TokenCounter,
): Promise<FittedText | undefined> {
  let largest: { readonly budget: number; readonly fitted: FittedText } | undefined;
  const probe = async (budget: number) => {
    // What was found is what the search tried last of all that fits: it is not rendered again.
    if (largest?.budget === budget) return largest.fitted;
    const name = `${budget} of ends`;
    const fitted = await fitText(source, keepEnds(source, budget), { name, limit, counter });
    if (fitted) largest = { budget, fitted };
    return fitted;
  };
  const budget = await rememberedCut(source, { what: `ends ${limit}`, counter }, () =>
    largestFitting(source.text.length, limit, probe),
  );
  return probe(budget);
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
  const last = lastLineOf(source);
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

function findGap(source: CutSource, headEnd: number, tailStart: number): Gap {
  const { text, firstLine = 1 } = source;
  const insideLast = tailStart < text.length && text[tailStart - 1] !== '\n';
  const lastBeforeTail = lastLineOf(source) - countLines(text.slice(tailStart));
  return {
    first: firstLine + countNewlines(text.slice(0, headEnd)),
    last: lastBeforeTail + (insideLast ? 1 : 0),
    insideFirst: headEnd > 0 && text[headEnd - 1] !== '\n',
    insideLast,
    characters: tailStart - headEnd,
  };
}

function joinTouching([head, tail, ...none]: LineRange[]): LineRange[] {
  if (!head || !tail) return [head, tail, ...none].filter((range) => range !== undefined);
  return head.last + 1 >= tail.first ? [{ first: head.first, last: tail.last }] : [head, tail];
}
