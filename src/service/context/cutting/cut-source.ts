import type { TokenCounter } from '../../../tokens/token-counter.js';
import { countLines, type LineRange } from '../lines.js';

/** A text to be cut, and how its cuts are rendered. */
export interface CutSource {
  readonly text: string;
  /** Lines of the text, if they are already counted. */
  readonly lineCount?: number | undefined;
  /** The number of the text's first line; 1 by default. */
  readonly firstLine?: number | undefined;
  /** Lines of the file that the text is a part of; by default, the text is all of it. */
  readonly totalLines?: number | 'unknown' | undefined;
  /** Says how to ask for missing lines, such as `41-210`. */
  readonly howToAsk?: ((lines: string) => string) | undefined;
  /** Renders a cut as it is sent, which is what is counted; by default, its text. */
  readonly render?: ((cut: CutText) => string) | undefined;
}

/** A source whose lines are counted. */
export interface NumberedSource extends CutSource {
  readonly firstLine: number;
  readonly lastLine: number;
}

export interface CutText {
  readonly text: string;
  /** True if something is missing. */
  readonly cut: boolean;
  /** The lines that are complete. */
  readonly wholeLines: readonly LineRange[];
  /** The lines of which at least a part is left. */
  readonly lines: readonly LineRange[];
}

export interface FittedText extends CutText {
  readonly rendered: string;
  /** Tokens of `rendered`. */
  readonly tokens: number;
}

/** A maximum number of tokens, and the counter that it refers to. */
export interface TokenLimit {
  readonly limit: number;
  readonly counter: TokenCounter;
}

export function numberLines(source: CutSource): NumberedSource {
  const { text, lineCount = countLines(text), firstLine = 1 } = source;
  return { ...source, firstLine, lastLine: firstLine + lineCount - 1 };
}

/** Renders a cut of a source; undefined if that exceeds the limit. */
export async function fitText(
  { render }: CutSource,
  cut: CutText,
  { limit, counter }: TokenLimit,
): Promise<FittedText | undefined> {
  const rendered = render?.(cut) ?? cut.text;
  const tokens = await counter.fits(rendered, limit);
  return tokens === undefined ? undefined : { ...cut, rendered, tokens };
}

/** The source with nothing cut away. */
export function wholeText({ text, firstLine, lastLine }: NumberedSource): CutText {
  const lines = text === '' ? [] : [{ first: firstLine, last: lastLine }];
  return { text, cut: false, wholeLines: lines, lines };
}

/** True if nothing but the marker of the cut is left. */
export function showsNothing({ cut, lines }: CutText): boolean {
  return cut && lines.length === 0;
}

/** The lines that a gap touches. */
export interface Gap extends LineRange {
  /** Whether a part of its first line, or of its last one, is left. */
  readonly insideFirst: boolean;
  readonly insideLast: boolean;
  readonly characters: number;
}

/** The marker that replaces missing text (rule: cut-by-lines). */
export function describeGap(source: NumberedSource, gap: LineRange & Partial<Gap>): string {
  const { totalLines = source.lastLine, howToAsk } = source;
  const lines = gap.first === gap.last ? `${gap.first}` : `${gap.first}-${gap.last}`;
  const named = `line${gap.first === gap.last ? '' : 's'} ${lines}`;
  const counted = totalLines === 'unknown' ? named : `${named} of ${totalLines}`;
  const parts = gap.insideFirst || gap.insideLast ? `${gap.characters} characters of ${counted}` : counted;
  return `[${parts} left out${howToAsk ? `; ${howToAsk(lines)}` : ''}]`;
}
