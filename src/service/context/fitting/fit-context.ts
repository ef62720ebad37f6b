import type { ReportFolder, ReportItem } from '../../../contract/context-report.js';
import { eventLoopShare } from '../../../event-loop/event-loop-share.js';
import type { TokenCounter } from '../../../tokens/token-counter.js';
import { type ContextGroup, type GatheredContext, type Priority, priorities } from '../context-item.js';
import { cutLines, renderWhole } from '../cutting/cut-lines.js';
import { type FittedText, showsNothing } from '../cutting/cut-source.js';
import { Coverage } from './coverage.js';
import { type FocusToFit, planFocus } from './fit-focus.js';
import { fitLeftOut } from './left-out.js';
import {
  cutSourceOf,
  type Piece,
  type PlacedItem,
  type PlacedPiece,
  piecesOf,
  wholePiece,
} from './pieces.js';
import { reportItems } from './report-items.js';
import { shareFairly, shareInGroups, shareInTurn } from './share-out.js';
import { type Sizes, sizesWithin } from './sizes.js';

/** The context part of a prompt. */
export interface FittedContext {
  /** Each one fence, ending in a newline; in a stable order. */
  readonly blocks: readonly string[];
  /** Of all blocks joined; never above the limit. */
  readonly tokens: number;
  /** A row for everything that was asked for, the focus file apart. */
  readonly items: readonly ReportItem[];
  readonly folders: readonly ReportFolder[];
  /** What is left to show of the focus file, for the tail. */
  readonly focus: FocusToFit | undefined;
}

/** Of the limit, if not everything fits: for the lines that name what was dropped. */
const LEFT_OUT_SHARE = 0.05;

const sharing = {
  explicit: shareFairly,
  pinned: shareFairly,
  vector: shareInTurn,
} satisfies Record<Priority, typeof shareFairly>;

/**
 * Fills a limit of tokens by priority (rule: priorities): fairly among the things asked for with one priority, and without
 * sending a line twice; long items are cut by lines, and what is dropped is named at the end if that fits.
 * Depends on nothing but the items and the limit, so the context is the same, byte for byte, in all steps that ask
 * for the same.
 */
export async function fitContext(
  gathered: GatheredContext,
  limit: number,
  counter: TokenCounter,
): Promise<FittedContext> {
  if (gathered.groups.length === 0) return nothingAsked(gathered);
  const sizes = sizesWithin(Math.max(limit, 0), counter);
  const shown = new Coverage();
  const all = await sizes.ofEach(gathered.groups.flatMap(({ items }) => items.map(wholePiece)));
  const total = all.reduce((sum, size) => sum + size, 0);
  let room = total <= limit ? limit : Math.floor(limit * (1 - LEFT_OUT_SHARE));
  let outcomes: PlacedItem[] = [];
  for (const priority of priorities) {
    const groups = gathered.groups.filter(({ kind }) => kind === priority);
    const filled = await fillRoom(groups, { share: sharing[priority], room, shown, sizes, counter });
    outcomes = outcomes.concat(filled);
    room -= tokensOf(filled);
  }
  const blocks = outcomes.flatMap(({ placed }) => placed.map(({ cut }) => cut.rendered));
  const leftOut = await fitLeftOut(outcomes, limit - tokensOf(outcomes), counter);
  if (leftOut !== undefined) blocks.push(leftOut);
  return {
    blocks,
    tokens: await counter.count(blocks.join('')),
    items: [...(await reportItems(outcomes, sizes)), ...gathered.missing],
    folders: await countFolders(gathered, shown),
    focus: gathered.focus && planFocus(gathered.focus, shown),
  };
}

function nothingAsked({ missing, focus }: GatheredContext): FittedContext {
  const toFit = focus && ({ focus, show: 'file' } as const);
  return { blocks: [], tokens: 0, items: missing, folders: [], focus: toFit };
}

interface Filling {
  readonly share: typeof shareFairly;
  readonly room: number;
  readonly shown: Coverage;
  readonly sizes: Sizes;
  readonly counter: TokenCounter;
}

async function fillRoom(groups: readonly ContextGroup[], filling: Filling): Promise<PlacedItem[]> {
  const { share, room, shown, sizes } = filling;
  if (groups.length === 0) return [];
  const items = groups.flatMap((group) => group.items);
  const piecesByItem = await piecesOf(items, shown);
  const pieces = groups.map((group) => group.items.flatMap((item) => piecesByItem.get(item) ?? []));
  const wanted: number[][] = [];
  for (const some of pieces) wanted.push(await sizes.ofEach(some));
  const shares = shareInGroups(wanted, share, room).flat();
  const whole = wanted.flat();
  const placed = new Map<Piece, PlacedPiece>();
  for (const [index, piece] of pieces.flat().entries()) {
    const made = fitPiece(piece, { whole: whole[index] ?? 0, share: shares[index] ?? 0 }, filling);
    const cut = made instanceof Promise ? await made : made;
    if (cut && !showsNothing(cut)) placed.set(piece, { piece, cut });
  }
  for (const { piece, cut } of placed.values()) {
    shown.add(piece.item.origin, piece.firstLine === undefined ? [] : cut.wholeLines, cut.text);
  }
  return items.map((item) => {
    const own = piecesByItem.get(item) ?? [];
    return { item, pieces: own, placed: own.flatMap((piece) => placed.get(piece) ?? []) };
  });
}

/** Undefined where the share is too small to show any of it. */
function fitPiece(
  piece: Piece,
  { whole, share }: { readonly whole: number; readonly share: number },
  { sizes, counter }: Filling,
): FittedText | Promise<FittedText | undefined> | undefined {
  if (share <= 0) return undefined;
  const source = cutSourceOf(piece);
  if (whole > share) return cutLines(source, share, counter);
  return sizes.renderedWhole(piece) ?? renderWhole(source, share, counter);
}

function tokensOf(outcomes: readonly PlacedItem[]): number {
  let tokens = 0;
  for (const { placed } of outcomes) for (const { cut } of placed) tokens += cut.tokens;
  return tokens;
}

async function countFolders({ folders }: GatheredContext, shown: Coverage): Promise<ReportFolder[]> {
  const rows: ReportFolder[] = [];
  const known = new Map<readonly string[], number>(); // folders in each other may share their files
  for (const { path, origins } of folders) {
    await eventLoopShare.take(origins.length);
    const included = known.get(origins) ?? countShown(origins, shown);
    known.set(origins, included);
    rows.push({ path, files: origins.length, included });
  }
  return rows;
}

function countShown(origins: readonly string[], shown: Coverage): number {
  let count = 0;
  for (const origin of origins) if (shown.has(origin)) count += 1;
  return count;
}
