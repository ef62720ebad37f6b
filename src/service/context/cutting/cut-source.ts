import type { TokenCounter } from '../../../tokens/token-counter.js';
import { countLines, type LineRange } from '../lines.js';

/** A text to be cut, with options for rendering the result. */
export interface CutSource {
  readonly text: string;
  /** Number of lines of the text, if already counted. */
  readonly lineCount?: number | undefined;
  /** Number of the text's first line; 1 by default. */
  readonly firstLine?: number | undefined;
  /** Number of lines of the file that contains the text; by default, the text is the whole file. */
  readonly totalLines?: number | 'unknown' | undefined;
  /** Returns a text that explains how to request the missing lines, given as `41-210`. */
  readonly howToAsk?: ((lines: string) => string) | undefined;
  /**
   * Renders the cut text as it is sent; its tokens are counted in this form. By default, the text is sent unchanged.
   */
  readonly render?: ((cut: CutText) => string) | undefined;
}

/** A source whose lines have been counted. */
export interface NumberedSource extends CutSource {
  readonly firstLine: number;
  readonly lastLine: number;
}

export interface CutText {
  readonly text: string;
  /** True if anything was omitted. */
  readonly cut: boolean;
  /** Ranges of the lines that are complete. */
  readonly wholeLines: readonly LineRange[];
  /** Ranges of the lines of which at least a part remains. */
  readonly lines: readonly LineRange[];
}

export interface FittedText extends CutText {
  readonly rendered: string;
  /** Token count of `rendered`. */
  readonly tokens: number;
}

/** A maximum number of tokens, and the counter that measures it. */
export interface TokenLimit {
  readonly tokens: number;
  readonly counter: TokenCounter;
}

export function numberLines(source: CutSource): NumberedSource {
  const { text, lineCount = countLines(text), firstLine = 1 } = source;
  return { ...source, firstLine, lastLine: firstLine + lineCount - 1 };
}

/** Renders a cut of a source. Returns undefined if the result exceeds the limit. */
export async function fitText(
  { render }: CutSource,
  cut: CutText,
  limit: TokenLimit,
): Promise<FittedText | undefined> {
  const rendered = render?.(cut) ?? cut.text;
  const tokens = await limit.counter.fits(rendered, limit.tokens);
  return tokens === undefined ? undefined : { ...cut, rendered, tokens };
}

/** Renders a source without cutting it. Returns undefined if the result exceeds the limit. */
export function fitWhole(source: CutSource, limit: TokenLimit): Promise<FittedText | undefined> {
  return fitText(source, wholeText(numberLines(source)), limit);
}

export function wholeText({ text, firstLine, lastLine }: NumberedSource): CutText {
  const lines = text === '' ? [] : [{ first: firstLine, last: lastLine }];
  return { text, cut: false, wholeLines: lines, lines };
}

/** Returns whether only the marker line is left of a text. */
export function hasOnlyMarker({ cut, lines }: CutText): boolean {
  return cut && lines.length === 0;
}

/** The lines that a cut omits, completely or in part. */
export interface Gap extends LineRange {
  /** True if a part of the gap's first line is kept; `insideLast` is the same for its last line. */
  readonly insideFirst: boolean;
  readonly insideLast: boolean;
  readonly characters: number;
}

/** Returns the marker line that replaces omitted text (rule: cut-by-lines). */
export function describeGap(source: NumberedSource, gap: LineRange & Partial<Gap>): string {
  const { totalLines = source.lastLine, howToAsk } = source;
  const lines = gap.first === gap.last ? `${gap.first}` : `${gap.first}-${gap.last}`;
  const named = `line${gap.first === gap.last ? '' : 's'} ${lines}`;
  const counted = totalLines === 'unknown' ? named : `${named} of ${totalLines}`;
  const parts = gap.insideFirst || gap.insideLast ? `${gap.characters} characters of ${counted}` : counted;
  return `[${parts} left out${howToAsk ? `; ${howToAsk(lines)}` : ''}]`;
}
