import type { ReportItem } from '../../../contract/context-report.js';
import { eventLoopShare } from '../../../event-loop/event-loop-share.js';
import { formatLines } from '../lines.js';
import { type PlacedItem, wholePiece } from './pieces.js';
import type { Sizes } from './sizes.js';

const reasons = {
  included: null,
  truncated: 'cut to its share of the budget',
  dropped: 'no room in the budget',
  duplicate: 'the same lines as another item',
} as const;

/** What making a row books of the event loop. */
const ROW_WORK = 64;

/** The rows of the report for what was found, in order. */
export async function reportItems(outcomes: readonly PlacedItem[], sizes: Sizes): Promise<ReportItem[]> {
  const rows: ReportItem[] = [];
  for (const outcome of outcomes) {
    const pause = eventLoopShare.take(ROW_WORK);
    if (pause) await pause;
    const { item } = outcome;
    const original = item.note === undefined ? sizes.ofAll(wholePiece(item)) : null;
    rows.push(reportItem(outcome, original instanceof Promise ? await original : original));
  }
  return rows;
}

function reportItem(outcome: PlacedItem, originalTokens: number | null): ReportItem {
  const { item, placed } = outcome;
  const status = statusOf(outcome);
  const numbered = item.firstLine !== undefined && item.tag !== 'folder';
  return {
    kind: item.kind,
    id: item.id,
    status,
    tokens: placed.reduce((sum, { cut }) => sum + cut.tokens, 0),
    original_tokens: originalTokens,
    lines: numbered ? formatLines(placed.flatMap(({ cut }) => cut.lines)) : null,
    reason: [reasons[status], ...notes(outcome)].filter((each) => each !== null).join('; ') || null,
  };
}

function statusOf({ item, pieces, placed }: PlacedItem): keyof typeof reasons {
  if (pieces.length === 0) return 'duplicate';
  if (placed.length === 0) return 'dropped';
  const whole = placed.length === pieces.length && placed.every(({ cut }) => !cut.cut);
  return whole && item.note === undefined ? 'included' : 'truncated';
}

function notes({ item, pieces }: PlacedItem): string[] {
  const partly = pieces.length > 0 && !pieces.some((piece) => piece.text === item.text);
  return [...(partly ? ['its other lines belong to another item'] : []), ...(item.note ? [item.note] : [])];
}
