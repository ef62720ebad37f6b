import { eventLoopShare } from '../../../event-loop/event-loop-share.js';
import type { ContextItem } from '../context-item.js';
import type { CutSource, CutText, FittedText } from '../cutting/cut-source.js';
import { type Block, fenceInShares, inlinePath } from '../fence.js';
import { formatLines, LineIndex, type LineRange } from '../lines.js';
import { madeOnce } from '../made-once.js';
import type { Coverage } from './coverage.js';

/** A run of an item's lines that is not in the prompt yet; most items are one piece. */
export interface Piece {
  readonly item: ContextItem;
  readonly text: string;
  readonly lineCount: number;
  readonly firstLine: number | undefined;
}

/** A piece as it stands in the prompt. */
export interface PlacedPiece {
  readonly piece: Piece;
  readonly cut: FittedText;
}

/** What became of an item: its pieces (none for a duplicate), and those that found room. */
export interface PlacedItem {
  readonly item: ContextItem;
  readonly pieces: readonly Piece[];
  readonly placed: readonly PlacedPiece[];
}

/** What an item books of the event loop, and a character of it: its lines are counted. */
const ITEM_WORK = 64;
const READING = 1 / 64;

const precedence = { lines: 0, file: 1, folder: 2 } satisfies Record<ContextItem['askedAs'], number>;

/** What of the items is not shown yet, nor asked for by one that asks for less, or that asked before. */
export async function piecesOf(
  items: readonly ContextItem[],
  shown: Coverage,
): Promise<Map<ContextItem, readonly Piece[]>> {
  const asked = shown.copy();
  const pieces = new Map<ContextItem, readonly Piece[]>();
  for (const item of items.toSorted((a, b) => precedence[a.askedAs] - precedence[b.askedAs])) {
    const pause = eventLoopShare.take(ITEM_WORK + item.text.length * READING);
    if (pause) await pause;
    const cut = cutPieces(item, asked);
    pieces.set(item, cut instanceof Promise ? await cut : cut);
    asked.add(item.origin, linesOf(item), item.text);
  }
  return pieces;
}

/** The whole of an item. */
export const wholePiece = madeOnce(
  (item: ContextItem): Piece => ({
    item,
    text: item.text,
    lineCount: item.lineCount,
    firstLine: item.firstLine,
  }),
);

/** The item's lines; none if their numbers are unknown, or if it is empty. */
export function linesOf({ lineCount, firstLine }: Piece | ContextItem): LineRange[] {
  if (firstLine === undefined || lineCount === 0) return [];
  return [{ first: firstLine, last: firstLine + lineCount - 1 }];
}

function cutPieces(item: ContextItem, shown: Coverage): Piece[] | Promise<Piece[]> {
  const { origin, text, firstLine } = item;
  const whole = wholePiece(item);
  const [range] = linesOf(item);
  if (!range || firstLine === undefined)
    return shown.contains(origin, text).then((isShown) => (isShown ? [] : [whole]));
  const missing = shown.missing(origin, range);
  if (missing.length === 1 && missing[0]?.first === range.first && missing[0].last === range.last)
    return [whole];
  const index = new LineIndex(text);
  return missing.map((lines) => {
    const own = { first: lines.first - firstLine + 1, last: lines.last - firstLine + 1 };
    const lineCount = lines.last - lines.first + 1;
    return { item, text: index.slice(own), lineCount, firstLine: lines.first };
  });
}

/** How a piece is cut, and how it stands in the prompt. */
export const cutSourceOf = madeOnce(({ item, text, lineCount, firstLine }: Piece): CutSource => {
  const { path, tag, attributes } = item;
  return {
    text,
    digest: text === item.text ? item.digest : undefined,
    lineCount,
    firstLine,
    totalLines: item.totalLines ?? 'unknown',
    howToAsk: path === undefined ? undefined : (lines) => askFor(path, lines),
    render: (cut, key) => renderCut(item, cut, key),
    // The path is shown as it stands in the attributes.
    rendering: JSON.stringify([tag, attributes, path !== undefined, item.firstLine === undefined]),
  };
});

/** The fence of an item, or of a part of it. */
function renderCut(item: ContextItem, cut: CutText, key?: string): Block | Promise<Block> {
  return fenceInShares({ tag: item.tag, attributes: attributesOf(item, cut), text: cut.text }, key);
}

function attributesOf(item: ContextItem, cut: CutText): Readonly<Record<string, string | undefined>> {
  const numbered = item.firstLine !== undefined && (item.path !== undefined || cut.cut);
  if (!numbered) return item.attributes;
  const lines = formatLines(cut.lines);
  const total = item.totalLines === undefined ? '' : ` of ${item.totalLines}`;
  return { ...item.attributes, lines: lines === null ? undefined : `${lines}${total}` };
}

function askFor(path: string, lines: string): string {
  return `ask for them by path and line range, such as ${inlinePath(path)}:${lines}`;
}
