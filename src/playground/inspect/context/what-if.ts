import type { ContextReport, ReportItem } from '../../../sdk/index.js';

/** The effect of another budget on one item. */
export interface Change {
  readonly item: ReportItem;
  readonly before: number;
  readonly after: number;
  readonly what: 'falls out' | 'comes in' | 'is shorter' | 'is longer';
}

type Items = Pick<ContextReport, 'items'>;

/** Compares two reports, losses first. A summary lists only items that were not fully included. */
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

const order: readonly Change['what'][] = ['falls out', 'is shorter', 'is longer', 'comes in'];

function whatBecame(was: ReportItem, is: ReportItem): Change['what'] {
  if (is.tokens === 0) return 'falls out';
  if (was.tokens === 0) return 'comes in';
  return is.tokens < was.tokens ? 'is shorter' : 'is longer';
}

const isAlike = (a: ReportItem, b: ReportItem): boolean => a.tokens === b.tokens;

const keyOf = ({ kind, id }: ReportItem): string => `${kind} ${id}`;

/** Summarizes the changes in one sentence, for screen readers. */
export function changesInWords(changes: readonly Change[]): string {
  if (changes.length === 0) return 'Nothing would change.';
  const counted = order.flatMap((what) => {
    const count = changes.filter((change) => change.what === what).length;
    return count === 0 ? [] : [`${count} ${verbs[what][count === 1 ? 0 : 1]}`];
  });
  return `${counted.join(', ')}.`;
}

const verbs: Readonly<Record<Change['what'], readonly [one: string, more: string]>> = {
  'falls out': ['falls out', 'fall out'],
  'is shorter': ['is shorter', 'are shorter'],
  'is longer': ['is longer', 'are longer'],
  'comes in': ['comes in', 'come in'],
};
