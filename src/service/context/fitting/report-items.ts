import type { ReportItem } from '../../../contract/context-report.js';
import { formatLines } from '../lines.js';
import type { SliceSizes } from './sizes.js';
import { type PlacedItem, wholeSlice } from './slices.js';

const reasons = {
  included: null,
  truncated: 'cut to its share of the budget',
  dropped: 'no room in the budget',
  duplicate: 'the same lines as another item',
} as const;

/** Returns the report rows for the items that were found, in their order. */
export async function reportItems(outcomes: readonly PlacedItem[], sizes: SliceSizes): Promise<ReportItem[]> {
  const rows: ReportItem[] = [];
  for (const outcome of outcomes) {
    const { item } = outcome;
    const originalTokens = item.note === undefined ? await sizes.forReport(wholeSlice(item)) : null;
    rows.push(reportItem(outcome, originalTokens));
  }
  return rows;
}

function reportItem(outcome: PlacedItem, originalTokens: number | null): ReportItem {
  const { item, placed } = outcome;
  const status = statusOf(outcome);
  const isNumbered = item.firstLine !== undefined && item.tag !== 'folder';
  return {
    kind: item.kind,
    id: item.id,
    status,
    tokens: placed.reduce((sum, { tokens }) => sum + tokens, 0),
    original_tokens: originalTokens,
    lines: isNumbered ? formatLines(placed.flatMap(({ lines }) => lines)) : null,
    reason: [reasons[status], ...notes(outcome)].filter((each) => each !== null).join('; ') || null,
  };
}

function statusOf({ item, slices, placed }: PlacedItem): keyof typeof reasons {
  if (slices.length === 0) return 'duplicate';
  if (placed.length === 0) return 'dropped';
  const isWhole = placed.length === slices.length && placed.every(({ cut }) => !cut);
  return isWhole && item.note === undefined ? 'included' : 'truncated';
}

function notes({ item, slices }: PlacedItem): string[] {
  const isShared = slices.length > 0 && !slices.some((slice) => slice.text === item.text);
  return [...(isShared ? ['its other lines belong to another item'] : []), ...(item.note ? [item.note] : [])];
}
