import { yieldIfBusy } from '../../../event-loop/yield-if-busy.js';
import type { ContextItem } from '../context-item.js';
import type { CutSource, CutText, FittedText } from '../cutting/cut-source.js';
import { fence, inlinePath } from '../fence.js';
import { formatLines, LineIndex, type LineRange } from '../lines.js';
import type { Coverage } from './coverage.js';

/** A range of an item's lines that the prompt does not contain yet. Most items have one slice. */
export interface Slice {
  readonly item: ContextItem;
  readonly text: string;
  readonly lineCount: number;
  readonly firstLine: number | undefined;
}

/** An item with its slices (none for a duplicate), and the fitted texts of the slices that are sent. */
export interface PlacedItem {
  readonly item: ContextItem;
  readonly slices: readonly Slice[];
  readonly placed: readonly FittedText[];
}

const precedence = { lines: 0, file: 1, folder: 2 } as const;

const precedenceOf = ({ requestedAs = 'file' }: ContextItem): number => precedence[requestedAs];

/**
 * Divides items into slices of the lines to send. Omits lines that the prompt already contains, and lines that
 * another item contains which takes precedence: line ranges before files, files before folders, then in the order of
 * the request (rule: no-line-twice).
 */
export async function slicesOf(
  items: readonly ContextItem[],
  covered: Coverage,
): Promise<Map<ContextItem, readonly Slice[]>> {
  const requested = covered.copy();
  const slices = new Map<ContextItem, readonly Slice[]>();
  for (const item of items.toSorted((a, b) => precedenceOf(a) - precedenceOf(b))) {
    await yieldIfBusy();
    slices.set(item, await missingSlices(item, requested));
    requested.add(item.origin, linesOf(item), item.text);
  }
  return slices;
}

async function missingSlices(item: ContextItem, covered: Coverage): Promise<Slice[]> {
  const { origin, text, firstLine } = item;
  const whole = wholeSlice(item);
  const [range] = linesOf(item);
  if (!range || firstLine === undefined) return (await covered.contains(origin, text)) ? [] : [whole];
  const missing = covered.missing(origin, range);
  if (missing.length === 1 && missing[0]?.first === range.first && missing[0].last === range.last)
    return [whole];
  const index = new LineIndex(text);
  return missing.map((lines) => {
    const own = { first: lines.first - firstLine + 1, last: lines.last - firstLine + 1 };
    const lineCount = lines.last - lines.first + 1;
    return { item, text: index.slice(own), lineCount, firstLine: lines.first };
  });
}

export function wholeSlice(item: ContextItem): Slice {
  return { item, text: item.text, lineCount: item.lineCount, firstLine: item.firstLine };
}

/** Returns the range of a text's lines as a list; empty if the line numbers are unknown or there are no lines. */
export function linesOf({ lineCount, firstLine }: Slice | ContextItem): LineRange[] {
  if (firstLine === undefined || lineCount === 0) return [];
  return [{ first: firstLine, last: firstLine + lineCount - 1 }];
}

/** Returns the source for cutting and rendering a slice. */
export function cutSourceOf({ item, text, lineCount, firstLine }: Slice): CutSource {
  const { path, tag } = item;
  return {
    text,
    lineCount,
    firstLine,
    totalLines: item.totalLines ?? 'unknown',
    howToAsk: path === undefined ? undefined : (lines) => askFor(path, lines),
    render: (cut) => fence({ tag, attributes: attributesOf(item, cut), text: cut.text }),
  };
}

function attributesOf(item: ContextItem, cut: CutText): Readonly<Record<string, string | undefined>> {
  const isNumbered = item.firstLine !== undefined && (item.path !== undefined || cut.cut);
  if (!isNumbered) return item.attributes;
  const lines = formatLines(cut.lines);
  const total = item.totalLines === undefined ? '' : ` of ${item.totalLines}`;
  return { ...item.attributes, lines: lines === null ? undefined : `${lines}${total}` };
}

function askFor(path: string, lines: string): string {
  return `ask for them by path and line range, such as ${inlinePath(path)}:${lines}`;
}
