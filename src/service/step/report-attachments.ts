import type { ReportItem } from '../../contract/context-report.js';
import type { Turn } from '../../contract/history.js';
import type { Unit } from '../../conversation/units.js';
import { attachmentsIn } from './history/attachments.js';
import type { Form } from './history/fold-history.js';

/**
 * Returns a report row for each attachment of a unit (rule: attachments). A unit in full form leaves out its first
 * `leftOut` attachments; other forms leave out all.
 */
export function attachmentItems(unit: Unit, form: Form, leftOut: number): ReportItem[] {
  let place = 0;
  return attachmentsIn(unit).flatMap(({ all, index, leftOut: unseen }) =>
    all.map(({ tokens }, at): ReportItem => {
      const isUnseen = at < unseen;
      const isLeftOut = isUnseen || form !== 'full' || place < leftOut;
      place += 1;
      const reason = isUnseen ? NOT_SEEN : isLeftOut ? reasons[form] : null;
      return row(`${index}.${at}`, { tokens, reason });
    }),
  );
}

/** Returns a report row for each attachment of a turn whose role allows no attachments. */
export function ignoredItems(history: readonly Turn[]): ReportItem[] {
  return history.flatMap(({ role, attachments = [] }, index) =>
    role === 'assistant'
      ? attachments.map((_, at) => row(`${index}.${at}`, { tokens: 0, reason: IGNORED }))
      : [],
  );
}

const NOT_SEEN = 'the model cannot see';
const IGNORED = 'attachments of an assistant turn are not sent';

const reasons = {
  full: 'attachments are cut first, and the newest stay',
  masked: 'its turn was masked',
  dropped: 'its turn was dropped',
} as const;

const row = (id: string, { tokens, reason }: { tokens: number; reason: string | null }): ReportItem => ({
  kind: 'attachment',
  id,
  status: reason === null ? 'included' : 'dropped',
  tokens: reason === null ? tokens : 0,
  original_tokens: tokens,
  lines: null,
  reason,
});
