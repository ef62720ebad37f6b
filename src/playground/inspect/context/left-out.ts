import type { ContextReport, ReportItem } from '../../../sdk/index.js';
import { tokens } from '../../text/figures.js';
import { wordFor } from '../../text/word-for.js';
import { pathOf } from './pin.js';

/** Items that were not included completely, all for the same reason. */
export interface LeftOut {
  /** The outcome for these items, in a word or two, such as `cut` or `left out`. */
  readonly what: string;
  /** The reason, in full sentences. */
  readonly why: string;
  readonly status: Fate;
  readonly items: readonly ReportItem[];
}

const fates = {
  truncated: 'cut',
  masked: 'reduced to one line',
  dropped: 'left out',
  duplicate: 'duplicate',
  unavailable: 'unavailable',
  deferred: 'deferred',
} as const;

type Fate = keyof typeof fates;

/** Explains the reasons in the report without technical terms. */
const sentences: ReadonlyMap<string, string> = new Map([
  ['no room in the budget', 'No room left: items requested earlier used the whole share for files.'],
  ['cut to its share of the budget', 'Only a part fits its share of the budget for files.'],
  ['the same lines as another item', 'Another item includes the same lines, and no line is sent twice.'],
  ['its other lines belong to another item', 'Another item includes its other lines.'],
  ['included in the context already', 'The context includes it already.'],
  ["no room in the prompt's tail", 'No room at the end of the prompt, where the open file goes.'],
  ['only lines that the context does not show', 'Only the lines that the context does not include already.'],
  ['cut to the lines around the focus', 'Only the lines around the focus fit.'],
  ['not found or not readable', 'It was not found, or it may not be read.'],
  ['a context source is out of order', 'A source of files failed.'],
  ['only the beginning was read: the file is too large', 'It is too large: only its beginning was read.'],
  [
    'one text took more than its part of the history',
    'This text was too long for the history, so its middle was cut out.',
  ],
  [
    'the history outgrew its share',
    'The history exceeded its share of the budget; the oldest turns are dropped first.',
  ],
]);

/**
 * Groups by reason all items that are not completely included, in the order of the report. `unsent` maps paths to
 * the reasons why the page itself did not send them.
 */
export function leftOut(
  { items }: Pick<ContextReport, 'items'>,
  unsent: ReadonlyMap<string, string> = new Map(),
): readonly LeftOut[] {
  const groups = new Map<string, LeftOut>();
  for (const item of items) {
    const { status } = item;
    if (status === 'included') continue;
    const why = (status === 'unavailable' && unsent.get(pathOf(item))) || reasonInWords(item);
    const group = groups.get(`${status} ${why}`) ?? { what: wordFor(fates, status), why, status, items: [] };
    groups.set(`${status} ${why}`, { ...group, items: [...group.items, item] });
  }
  return [...groups.values()];
}

function reasonInWords({ reason }: ReportItem): string {
  const notes = (reason ?? '').split('; ').filter((note) => note !== '');
  return notes.map((note) => sentences.get(note) ?? asSentence(note)).join(' ');
}

/** Formats a reason that this page does not know. */
const asSentence = (note: string): string => `${note.charAt(0).toUpperCase()}${note.slice(1)}.`;

/** Describes how much of an item was included; empty if unknown. */
export function sizeInWords({ tokens: shown, original_tokens: whole, lines, status }: ReportItem): string {
  const size =
    whole === null
      ? shown > 0 && `${tokens(shown)} tokens`
      : status === 'dropped' || status === 'duplicate'
        ? `would have taken ${tokens(whole)} tokens`
        : `${tokens(shown)} of ${tokens(whole)} tokens`;
  return [size, lines && linesInWords(lines)].filter(Boolean).join(', ');
}

/** Formats line numbers such as `10-40` or `7`. */
export const linesInWords = (lines: string): string =>
  lines.includes('-') || lines.includes(',') ? `lines ${lines}` : `line ${lines}`;

/**
 * Returns a readable name of an item. The id of a turn is its index in the history, counted from 0. The id of an
 * attachment begins with the index of its turn.
 */
export function nameOf({ kind, id }: Pick<ReportItem, 'kind' | 'id'>): string {
  if (kind === 'attachment') {
    const [turn, place] = id.split('.').map((index) => Number(index) + 1);
    return `Attachment ${place} of turn ${turn} of the history`;
  }
  if (kind === 'tool' && id === 'find_tools') return 'Tools to find';
  if (kind !== 'turn') return id;
  const places = id.split('+').map((place) => Number(place) + 1);
  const [first, last] = [places[0], places.at(-1)];
  return first === last ? `Turn ${first} of the history` : `Turns ${first} to ${last} of the history`;
}

export const kindNames: Readonly<Record<ReportItem['kind'], string>> = {
  explicit: 'tagged',
  pinned: 'pinned',
  vector: 'search result',
  implicit: 'focus',
  turn: 'history',
  attachment: 'attachment',
  tool: 'tool',
};
