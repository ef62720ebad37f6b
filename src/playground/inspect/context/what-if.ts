import type { ContextReport, ReportItem } from '../../../sdk/index.js';
import { plural } from '../../text/figures.js';

/** The effect of another budget on one item. */
export interface Change {
  readonly item: ReportItem;
  readonly before: number;
  readonly after: number;
  readonly what: 'left out' | 'shown less fully' | 'shown more fully' | 'included';
}

type Items = Pick<ContextReport, 'items'>;

/**
 * Compares the items that both reports list, losses first. A summary report lists only items that were not fully
 * included.
 */
export function changesBetween(before: Items, after: Items): readonly Change[] {
  const former = new Map(before.items.map((item) => [keyOf(item), item]));
  return after.items
    .flatMap((item): Change[] => {
      const was = former.get(keyOf(item));
      if (!was || isAlike(was, item)) return [];
      return [{ item, before: was.tokens, after: item.tokens, what: whatBecame(was, item) }];
    })
    .sort((a, b) => order.indexOf(a.what) - order.indexOf(b.what));
}

const order: readonly Change['what'][] = ['left out', 'shown less fully', 'shown more fully', 'included'];

function whatBecame(was: ReportItem, is: ReportItem): Change['what'] {
  if (is.tokens === 0) return 'left out';
  if (was.tokens === 0) return 'included';
  return is.tokens < was.tokens ? 'shown less fully' : 'shown more fully';
}

const isAlike = (a: ReportItem, b: ReportItem): boolean => a.tokens === b.tokens;

const keyOf = ({ kind, id }: ReportItem): string => `${kind} ${id}`;

/** Summarizes the changes in one sentence, for screen readers. */
export function changesInWords(changes: readonly Change[]): string {
  if (changes.length === 0) return 'Nothing would change.';
  const counted = order.flatMap((what) => {
    const items = changes.filter((change) => change.what === what).map(({ item }) => item);
    const noun = items.some(({ kind }) => kind === 'turn' || kind === 'tool') ? 'item' : 'file';
    return items.length === 0 ? [] : [`${plural(items.length, noun)} would be ${what}`];
  });
  return `${counted.join(', ')}.`;
}
