import type { ReportFolder, ReportItem } from '../../../contract/context-report.js';
import { yieldIfBusy } from '../../../event-loop/yield-if-busy.js';
import type { TokenCounter } from '../../../tokens/token-counter.js';
import { type ContextGroup, type GatheredContext, type Priority, priorities } from '../context-item.js';
import { cutLines } from '../cutting/cut-lines.js';
import { type FittedText, showsNothing } from '../cutting/cut-source.js';
import { once } from '../once.js';
import { Coverage } from './coverage.js';
import { type FocusToFit, planFocus } from './fit-focus.js';
import { fitLeftOut } from './left-out.js';
import { cutSourceOf, type Piece, type PlacedItem, piecesOf, wholePiece } from './pieces.js';
import { reportItems } from './report-items.js';
import { shareFairly, shareInGroups, shareInTurn } from './share-out.js';
import { PieceSizes } from './sizes.js';

/** The context part of a prompt. */
export interface FittedContext {
  /** Fences, each ending in a newline, in a stable order. */
  readonly blocks: readonly string[];
  /** Tokens of all blocks together, at most the limit. */
  readonly tokens: number;
  /** One row for everything that was requested, except the focus file. */
  readonly items: readonly ReportItem[];
  readonly folders: readonly ReportFolder[];
  /** The focus file, or its lines that the context does not contain, for the tail; undefined without a focus file. */
  readonly focus: FocusToFit | undefined;
}

/** Share of the limit reserved for the lines that name dropped items, if not everything fits. */
const LEFT_OUT_SHARE = 0.05;

const sharing = {
  explicit: shareFairly,
  pinned: shareFairly,
  vector: shareInTurn,
} satisfies Record<Priority, typeof shareFairly>;

/**
 * Fills a token limit by priority (rule: priorities), fairly within each priority, and without sending a line
 * twice. Cuts long items by lines, and names dropped items at the end if there is room. The result depends only on
 * the items and the limit, so the context stays the same, byte for byte, in all steps that request the same items.
 */
export async function fitContext(
  gathered: GatheredContext,
  limit: number,
  counter: TokenCounter,
): Promise<FittedContext> {
  const sizes = new PieceSizes(Math.max(limit, 0), counter);
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
  const leftOut = await fitLeftOut(outcomes, limit - tokensOf(outcomes), counter);
  const blocks = outcomes.flatMap(({ placed }) => placed.map(({ rendered }) => rendered));
  if (leftOut !== undefined) blocks.push(leftOut);
  return {
    blocks,
    tokens: await counter.countMessages([{ texts: [blocks], framing: 0 }]),
    items: [...(await reportItems(outcomes, sizes)), ...gathered.missing],
    folders: countFolders(gathered, shown),
    focus: gathered.focus && planFocus(gathered.focus, shown),
  };
}

interface Filling {
  readonly share: typeof shareFairly;
  readonly room: number;
  readonly shown: Coverage;
  readonly sizes: PieceSizes;
  readonly counter: TokenCounter;
}

async function fillRoom(groups: readonly ContextGroup[], filling: Filling): Promise<PlacedItem[]> {
  const { share, room, shown, sizes, counter } = filling;
  if (groups.length === 0) return [];
  const items = groups.flatMap((group) => group.items);
  const piecesByItem = await piecesOf(items, shown);
  const pieces = groups.map((group) => group.items.flatMap((item) => piecesByItem.get(item) ?? []));
  const wanted: number[][] = [];
  for (const some of pieces) wanted.push(await sizes.ofEach(some));
  const shares = shareInGroups(wanted, share, room).flat();
  const placed = new Map<Piece, FittedText>();
  for (const [index, piece] of pieces.flat().entries()) {
    await yieldIfBusy();
    const limit = shares[index] ?? 0;
    if (limit <= 0) continue;
    const whole = sizes.rendered(piece);
    const cut = whole && whole.tokens <= limit ? whole : await cutLines(cutSourceOf(piece), limit, counter);
    if (cut && !showsNothing(cut)) placed.set(piece, cut);
  }
  for (const [piece, cut] of placed) {
    shown.add(piece.item.origin, piece.firstLine === undefined ? [] : cut.wholeLines, cut.text);
  }
  return items.map((item) => {
    const own = piecesByItem.get(item) ?? [];
    return { item, pieces: own, placed: own.flatMap((piece) => placed.get(piece) ?? []) };
  });
}

function tokensOf(outcomes: readonly PlacedItem[]): number {
  const placed = outcomes.flatMap((each) => each.placed);
  return placed.reduce((sum, { tokens }) => sum + tokens, 0);
}

function countFolders({ folders }: GatheredContext, shown: Coverage): ReportFolder[] {
  const countShown = once((origins: readonly string[]) => origins.filter((each) => shown.has(each)).length);
  return folders.map(({ path, origins }) => ({ path, files: origins.length, included: countShown(origins) }));
}
