import { eventLoopShare } from '../../../event-loop/event-loop-share.js';
import { type DigestedText, digestOf, digestOfBoth } from '../../../tokens/text-memo.js';
import type { TokenCounter } from '../../../tokens/token-counter.js';
import { countLines, type LineRange } from '../lines.js';
import { madeOnce } from '../made-once.js';

export interface CutSource {
  readonly text: string;
  /** Of the text, if it has been taken already. */
  readonly digest?: string | undefined;
  /** Of the text, if they have been counted. */
  readonly lineCount?: number | undefined;
  /** The number of the text's first line; 1 by default. */
  readonly firstLine?: number | undefined;
  /** Lines of the whole that the text may be a part of; by default it is no part. */
  readonly totalLines?: number | 'unknown' | undefined;
  /** Says how to ask for missing lines, such as `41-210`. */
  readonly howToAsk?: ((lines: string) => string) | undefined;
  /** What is sent for a cut, and so what is counted; its text by default. The key names the cut, if it has a name. */
  readonly render?:
    | ((cut: CutText, key?: string) => string | DigestedText | Promise<DigestedText>)
    | undefined;
  /** All that `howToAsk` and `render` depend on. If one of them is there and this is not, no cut is remembered. */
  readonly rendering?: string | undefined;
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

/** A cut of a source as it is sent; undefined if that is above the limit. `name` tells it from the source's other cuts. */
export async function fitText(
  source: CutSource,
  cut: CutText,
  { name, limit, counter }: { name: string; limit: number; counter: TokenCounter },
): Promise<FittedText | undefined> {
  const key = nameOf(source, name);
  const made = source.render?.(cut, key) ?? { text: cut.text, digest: key };
  const shown = made instanceof Promise ? await made : made;
  const rendered = typeof shown === 'string' ? { text: shown } : shown;
  const tokens = counter.recall([rendered]) ?? (await counter.countWithin(rendered, limit));
  return tokens === undefined || tokens > limit
    ? undefined
    : Object.assign({}, cut, { rendered: rendered.text, tokens });
}

/** Whether nothing is left but the marker. */
export function showsNothing({ cut, lines }: CutText): boolean {
  return cut && lines.length === 0;
}

/** A source with nothing cut away. */
export function wholeText(source: CutSource): CutText {
  const { text, firstLine = 1 } = source;
  const lines = text === '' ? [] : [{ first: firstLine, last: lastLineOf(source) }];
  return { text, cut: false, wholeLines: lines, lines };
}

const lineCountOf = madeOnce(({ text, lineCount }: CutSource) => lineCount ?? countLines(text));

export function lastLineOf(source: CutSource): number {
  return (source.firstLine ?? 1) + lineCountOf(source) - 1;
}

/** The lines a gap touches, and whether it leaves a part of its first and of its last one. */
export interface Gap extends LineRange {
  readonly insideFirst: boolean;
  readonly insideLast: boolean;
  readonly characters: number;
}

/** The line that stands where something is missing. */
export function describeGap(source: CutSource, gap: LineRange & Partial<Gap>): string {
  const { totalLines = lastLineOf(source), howToAsk } = source;
  const lines = gap.first === gap.last ? `${gap.first}` : `${gap.first}-${gap.last}`;
  const named = `line${gap.first === gap.last ? '' : 's'} ${lines}`;
  const counted = totalLines === 'unknown' ? named : `${named} of ${totalLines}`;
  const parts = gap.insideFirst || gap.insideLast ? `${gap.characters} characters of ${counted}` : counted;
  return `[${parts} left out${howToAsk ? `; ${howToAsk(lines)}` : ''}]`;
}

/** A text of fewer UTF-16 units is cut about as soon as it is digested. */
export const MEMORABLE = 512;
/** What digesting a unit books of the event loop. */
const DIGESTING = 1 / 32;

/** The number that `find` comes to for a source, or came to in an earlier step; `what` tells what it is. */
export async function rememberedCut(
  source: CutSource,
  { what, counter }: { what: string; counter: TokenCounter },
  find: () => Promise<number>,
): Promise<number> {
  const name = nameOf(source, what);
  if (name === undefined) return find();
  const pause = eventLoopShare.take(source.text.length * DIGESTING);
  if (pause) await pause;
  return counter.remembered(name, find);
}

/** Undefined for what is not worth a name, and for what has none. */
function nameOf(source: CutSource, what: string): string | undefined {
  const { text, howToAsk, render, rendering } = source;
  const isNamed = rendering !== undefined || (!howToAsk && !render);
  return isNamed && text.length >= MEMORABLE ? `${keyOf(source)} ${what}` : undefined;
}

/** Names all that a cut depends on but its limit. */
export const keyOf = madeOnce(({ text, digest, firstLine, totalLines, rendering }: CutSource) => {
  const setting = `${firstLine} ${totalLines} ${rendering}\n`;
  return digest === undefined ? digestOfBoth(setting, text) : digestOf(setting + digest);
});
