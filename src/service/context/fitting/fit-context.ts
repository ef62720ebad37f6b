import type { ReportFolder, ReportItem } from '../../../contract/context-report.js';
import type { TokenCounter } from '../../../tokens/token-counter.js';
import { type ContextGroup, type GatheredContext, type Priority, priorities } from '../context-item.js';
import { cutLines } from '../cutting/cut-lines.js';
import { type FittedText, hasOnlyMarker } from '../cutting/cut-source.js';
import { once } from '../once.js';
import { Coverage } from './coverage.js';
import { type FocusToFit, planFocus } from './fit-focus.js';
import { fitLeftOut } from './left-out.js';
import { reportItems } from './report-items.js';
import { shareFairly, shareFirstWhole, shareInGroups, shareInTurn } from './share-out.js';
import { SliceSizes } from './sizes.js';
import { cutSourceOf, type PlacedItem, type Slice, slicesOf, wholeSlice } from './slices.js';

/** The context part of a prompt. */
export interface FittedContext {
  /** Fences, each ending in a newline, in a stable order. */
  readonly blocks: readonly string[];
  /** Tokens of all blocks together, at most the limit. */
  readonly tokens: number;
  /** One report row for each requested item except the focus file. */
  readonly items: readonly ReportItem[];
  readonly folders: readonly ReportFolder[];
  /**
   * The focus file for the tail, or those of its lines that the context does not contain; undefined without a focus
   * file.
   */
  readonly focus: FocusToFit | undefined;
}

/** Share of the limit that is reserved for the list of dropped items, if not everything fits. */
const LEFT_OUT_SHARE = 0.05;

const sharing = {
  explicit: shareFirstWhole,
  pinned: shareFairly,
  vector: shareInTurn,
} satisfies Record<Priority, typeof shareFairly>;

/**
 * Fills a token limit by priority (rule: priorities). Divides the tokens fairly within each priority, except that the
 * first explicit path may take up to half of them (rule: first-path-whole). Sends no line twice, cuts long items by
 * lines, and lists dropped items at the end if they fit. The result depends only on the items and the limit, so the
 * context stays the same, byte for byte, in all steps that request the same items.
 */
export async function fitContext(
  gathered: GatheredContext,
  limit: number,
  counter: TokenCounter,
): Promise<FittedContext> {
  const sizes = new SliceSizes(Math.max(limit, 0), counter);
  const covered = new Coverage();
  const all = await sizes.ofEach(gathered.groups.flatMap(({ items }) => items.map(wholeSlice)));
  const total = all.reduce((sum, size) => sum + size, 0);
  let room = total <= limit ? limit : Math.floor(limit * (1 - LEFT_OUT_SHARE));
  let outcomes: PlacedItem[] = [];
  for (const priority of priorities) {
    const groups = gathered.groups.filter(({ kind }) => kind === priority);
    const filled = await fillRoom(groups, { divide: sharing[priority], room, covered, sizes, counter });
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
    folders: countFolders(gathered, covered),
    focus: gathered.focus && planFocus(gathered.focus, covered),
  };
}

interface Filling {
  readonly divide: typeof shareFairly;
  readonly room: number;
  readonly covered: Coverage;
  readonly sizes: SliceSizes;
  readonly counter: TokenCounter;
}

async function fillRoom(groups: readonly ContextGroup[], filling: Filling): Promise<PlacedItem[]> {
  const { divide, room, covered, sizes, counter } = filling;
  if (groups.length === 0) return [];
  const items = groups.flatMap((group) => group.items);
  const slicesByItem = await slicesOf(items, covered);
  const slices = groups.map((group) => group.items.flatMap((item) => slicesByItem.get(item) ?? []));
  const wanted: number[][] = [];
  for (const some of slices) wanted.push(await sizes.ofEach(some));
  const shares = shareInGroups(wanted, divide, room).flat();
  const placed = new Map<Slice, FittedText>();
  for (const [index, slice] of slices.flat().entries()) {
    const tokens = shares[index] ?? 0;
    if (tokens <= 0) continue;
    const whole = sizes.rendered(slice);
    const cut =
      whole && whole.tokens <= tokens ? whole : await cutLines(cutSourceOf(slice), { tokens, counter });
    if (cut && !hasOnlyMarker(cut)) placed.set(slice, cut);
  }
  for (const [slice, cut] of placed) {
    covered.add(slice.item.origin, slice.firstLine === undefined ? [] : cut.wholeLines, cut.text);
  }
  return items.map((item) => {
    const own = slicesByItem.get(item) ?? [];
    return { item, slices: own, placed: own.flatMap((slice) => placed.get(slice) ?? []) };
  });
}

function tokensOf(outcomes: readonly PlacedItem[]): number {
  const placed = outcomes.flatMap((each) => each.placed);
  return placed.reduce((sum, { tokens }) => sum + tokens, 0);
}

function countFolders({ folders }: GatheredContext, covered: Coverage): ReportFolder[] {
  const countCovered = once(
    (origins: readonly string[]) => origins.filter((each) => covered.has(each)).length,
  );
  return folders.map(({ path, origins }) => ({
    path,
    files: origins.length,
    included: countCovered(origins),
  }));
}
