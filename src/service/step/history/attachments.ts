import type { Turn } from '../../../contract/history.js';
import type { Warning } from '../../../contract/step.js';
import {
  type Attachments,
  observationsOf,
  type Unit,
  type UnitAttachment,
} from '../../../conversation/units.js';
import { countAttachment } from '../../../tokens/attachments/count-attachment.js';
import type { ModelProfile } from '../provider.js';

/**
 * Estimates the tokens of each attachment for a model. A model that cannot see gets no attachments
 * (rule: attachments).
 */
export function weighAttachments(units: readonly Unit[], vision: ModelProfile['vision']): Unit[] {
  return units.map((unit) =>
    mapAttachments(unit, ({ all }) => {
      if (vision === 'none') return { all, leftOut: all.length };
      return { all: all.map((each) => ({ ...each, ...countAttachment(each, vision) })), leftOut: 0 };
    }),
  );
}

/** Returns warnings about attachments that the model does not get, except those omitted because of the budget. */
export function attachmentWarnings(history: readonly Turn[], vision: ModelProfile['vision']): Warning[] {
  const ofTurns = history.flatMap((turn) => (turn.attachments?.length ? [turn.role] : []));
  const ignored = ofTurns.includes('assistant')
    ? [warning('attachments_ignored', 'Attachments of assistant turns are not sent: no vendor takes them.')]
    : [];
  const isUnseen = vision === 'none' && ofTurns.some((role) => role !== 'assistant');
  return isUnseen ? [...ignored, warning('attachments_not_seen', NOT_SEEN)] : ignored;
}

const NOT_SEEN =
  'The model cannot see: it got placeholders in place of the attachments. Choose another model, or set vision in UPSTREAMS if the model can.';

const warning = (code: string, message: string): Warning => ({ code, message });

/** Marks the first `count` attachments of a unit as left out. */
export function leaveOut(unit: Unit, count: number): Unit {
  let left = count;
  return mapAttachments(unit, ({ all }) => {
    const leftOut = Math.min(left, all.length);
    left -= leftOut;
    return { all, leftOut };
  });
}

/** Marks all attachments of a unit as left out. */
export const withoutAttachments = (unit: Unit): Unit => leaveOut(unit, Number.POSITIVE_INFINITY);

/** Returns the attachments of each turn of a unit, with the index of the turn in the history. */
export function attachmentsIn(unit: Unit): (Attachments & { readonly index: number })[] {
  const holders = unit.type === 'user' ? [unit] : observationsOf(unit);
  return holders.flatMap(({ index, attachments }) => (attachments ? [{ index, ...attachments }] : []));
}

/** Returns the attachments of a turn that the model sees. */
export const shownOf = (attachments: Attachments | undefined): readonly UnitAttachment[] =>
  attachments ? attachments.all.slice(attachments.leftOut) : [];

/** Returns the placeholder text for the attachments that are left out; empty if there are none. */
export function leftOutNote({ all, leftOut }: Attachments): string {
  return leftOut === 0 ? '' : `[${listed(all.slice(0, leftOut))} left out: you cannot see this]\n`;
}

/**
 * Returns a line that names the attachments of a tool result, because some vendors require them apart from the
 * result's text.
 */
export function shownNote(attachments: Attachments): string {
  const shown = shownOf(attachments);
  return shown.length === 0 ? '' : `[${listed(shown)} attached to this result]\n`;
}

/** Lists the media types with their counts, such as `2 × image/png, 1 × application/pdf`. */
export function listed(attachments: readonly Pick<UnitAttachment, 'media_type'>[]): string {
  const counts = new Map<string, number>();
  for (const { media_type } of attachments) counts.set(media_type, (counts.get(media_type) ?? 0) + 1);
  return [...counts].map(([type, count]) => `${count} × ${type}`).join(', ');
}

/** Replaces the attachments of a unit, in the order of its turns. Returns the same unit if it has none. */
function mapAttachments(unit: Unit, map: (attachments: Attachments) => Attachments): Unit {
  if (attachmentsIn(unit).length === 0) return unit;
  const replaced = <Holder extends { readonly attachments?: Attachments }>(holder: Holder): Holder =>
    holder.attachments ? { ...holder, attachments: map(holder.attachments) } : holder;
  if (unit.type === 'user') return replaced(unit);
  if (unit.type === 'stray_observation') return { ...unit, observation: replaced(unit.observation) };
  if (unit.type !== 'action') return unit;
  const calls = unit.calls.map((call) =>
    call.observation ? { ...call, observation: replaced(call.observation) } : call,
  );
  return { ...unit, calls };
}
