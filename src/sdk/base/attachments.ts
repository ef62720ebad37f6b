import type { Attachment } from '../../contract/attachment.js';
import type { TurnInput } from '../../contract/history.js';
import type { StepRequestInput } from '../../contract/step-request.js';
import { isBase64 } from '../../conversation/is-base64.js';
import { isObject } from '../../conversation/is-object.js';

export type { Attachment };

/** A file by its media type: `image/png`, `image/jpeg`, `image/webp`, `image/gif` or `application/pdf`. */
const types: ReadonlySet<unknown> = new Set([
  'image/png',
  'image/jpeg',
  'image/webp',
  'image/gif',
  'application/pdf',
] satisfies Attachment['media_type'][]);

/** Whether a value is a file that the service takes as an attachment. */
export const isAttachment = (value: unknown): value is Attachment =>
  isObject(value) &&
  types.has(value['media_type']) &&
  typeof value['data'] === 'string' &&
  isBase64(value['data']);

/** Maximum size of a request: the default of the service's `MAX_BODY_BYTES`. */
const MAX_BODY_BYTES = 4 * 2 ** 20;

/** Part of the limit that is left once attachments are removed, so that the prompt's beginning then stays the same. */
const KEPT_PART = 0.5;

/**
 * Replaces the oldest attachments of the history by a line of text before a request would pass the size that the service
 * accepts (rule: attachment-limit). Returns the same history if it need not.
 */
export function withinBodyLimit(request: StepRequestInput): readonly TurnInput[] {
  const history = request.conversation_history;
  if (!history.some(({ attachments }) => attachments?.length)) return history;
  let bytes = new TextEncoder().encode(JSON.stringify(request)).length;
  if (bytes <= MAX_BODY_BYTES) return history;
  return history.map((turn) => {
    const { attachments } = turn;
    if (!attachments?.length || bytes <= MAX_BODY_BYTES * KEPT_PART) return turn;
    bytes -= attachments.reduce((sum, { data }) => sum + data.length, 0);
    return withPlaceholder(turn);
  });
}

function withPlaceholder({ attachments, ...turn }: TurnInput): TurnInput {
  const left = attachments?.length ?? 0;
  const note = `[${left} ${left === 1 ? 'attachment' : 'attachments'} left out: the history grew too large]`;
  return { ...turn, content: turn.content === '' ? note : `${turn.content}\n${note}` };
}
