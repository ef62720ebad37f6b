import type { Attachment } from '../../contract/attachment.js';
import type { TurnInput } from '../../contract/history.js';
import type { StepRequestInput } from '../../contract/step-request.js';
import { isBase64 } from '../../conversation/is-base64.js';
import { isObject } from '../../conversation/is-object.js';

export type { Attachment };

/** Media types that the service accepts in attachments. */
const types: ReadonlySet<unknown> = new Set([
  'image/png',
  'image/jpeg',
  'image/webp',
  'image/gif',
  'application/pdf',
] satisfies Attachment['media_type'][]);

/** Returns true for a file that the service accepts as an attachment. */
export const isAttachment = (value: unknown): value is Attachment =>
  isObject(value) &&
  types.has(value['media_type']) &&
  typeof value['data'] === 'string' &&
  isBase64(value['data']);

/**
 * By media type: returns true if a file begins with the bytes that identify the type. A PDF may have other bytes before
 * them.
 */
const signatures: readonly (readonly [Attachment['media_type'], (start: string) => boolean])[] = [
  ['image/png', (start) => start.startsWith('\x89PNG\r\n\x1a\n')],
  ['image/jpeg', (start) => start.startsWith('\xff\xd8\xff')],
  ['image/webp', (start) => start.startsWith('RIFF') && start.startsWith('WEBP', 8)],
  ['image/gif', (start) => start.startsWith('GIF8')],
  ['application/pdf', (start) => start.includes('%PDF-')],
];
const MAX_SIGNATURE_BYTES = 1_024;

/** Maximum number of bytes in one call of `String.fromCharCode`, which fails with too many arguments. */
const SLICE_BYTES = 8_192;

/**
 * Returns the bytes of a PNG, JPEG, WebP, GIF or PDF file as an attachment; undefined for any other file. Recognizes
 * the type by the first bytes, not by a file name, because vendors refuse an image whose type is wrong.
 */
export function toAttachment(bytes: Uint8Array): Attachment | undefined {
  const start = String.fromCharCode(...bytes.subarray(0, MAX_SIGNATURE_BYTES));
  const media_type = signatures.find(([, matches]) => matches(start))?.[0];
  if (!media_type) return undefined;
  let binary = '';
  for (let from = 0; from < bytes.length; from += SLICE_BYTES)
    binary += String.fromCharCode(...bytes.subarray(from, from + SLICE_BYTES));
  return { media_type, data: btoa(binary) };
}

/** Maximum size of a file. The base64 form of a larger file would exceed the maximum size of a request. */
export const MAX_ATTACHMENT_BYTES = 3_000_000;

/** Maximum size of a request: the default of the service's `MAX_BODY_BYTES`. */
const MAX_BODY_BYTES = 4 * 2 ** 20;

/**
 * If attachments must be removed, the request is shortened to this fraction of the limit. The next steps then need not
 * remove any, so that the beginning of the prompt stays the same.
 */
const KEPT_PART = 0.5;

/**
 * Replaces the oldest attachments of the history by a line of text if the request would exceed the size that the
 * service accepts (rule: attachment-limit). Returns the history unchanged if the request fits.
 */
export function withinBodyLimit(request: StepRequestInput): readonly TurnInput[] {
  const history = request.conversation_history;
  if (!history.some(({ attachments }) => attachments?.length)) return history;
  const bytes = new TextEncoder().encode(JSON.stringify(request)).length;
  return bytes <= MAX_BODY_BYTES
    ? history
    : withoutOldest(history, bytes - MAX_BODY_BYTES * KEPT_PART, 'the history grew too large');
}

/** Maximum length of the base64 of attachments in one list of a saved run. */
const MAX_SAVED_CHARS = MAX_BODY_BYTES;

/** Returns whether a saved run keeps all of these attachments (rule: saved-attachments). */
export const isWithinSavedLimit = (attachments: readonly Attachment[]): boolean =>
  charsOf(attachments) <= MAX_SAVED_CHARS;

/** Replaces the oldest attachments of turns by a line of text until the others fit into the limit of a saved run. */
export function withinSavedLimit<Kept extends TurnInput>(turns: readonly Kept[]): readonly Kept[] {
  const excess = charsOf(turns.flatMap(({ attachments }) => attachments ?? [])) - MAX_SAVED_CHARS;
  return excess <= 0 ? turns : withoutOldest(turns, excess, 'the saved run grew too large');
}

/** Replaces the oldest attachments until the turns are shorter by at least `excess` characters. */
function withoutOldest<Kept extends TurnInput>(
  turns: readonly Kept[],
  excess: number,
  reason: string,
): readonly Kept[] {
  let left = excess;
  return turns.map((turn) => {
    const { attachments } = turn;
    if (!attachments?.length || left <= 0) return turn;
    left -= charsOf(attachments);
    return withPlaceholder(turn, reason);
  });
}

const charsOf = (attachments: readonly Attachment[]): number =>
  attachments.reduce((sum, { data }) => sum + data.length, 0);

function withPlaceholder<Kept extends TurnInput>(turn: Kept, reason: string): Kept {
  const left = turn.attachments?.length ?? 0;
  const note = `[${left} ${left === 1 ? 'attachment' : 'attachments'} left out: ${reason}]`;
  return {
    ...turn,
    attachments: undefined,
    content: turn.content === '' ? note : `${turn.content}\n${note}`,
  };
}
