import type { Secret } from '../secret.js';
import type { VendorMessage } from '../vendor.js';

/** Maximum length of the returned message, in UTF-16 units. */
const MAX_SHOWN_LENGTH = 500;
/** Maximum length of the message that is read. */
const MAX_READ_LENGTH = 2 * 1024;

/** URLs, and ids that reveal an account: of organisations, projects, workspaces and users, and other keys. */
const PRIVATE =
  /[a-z][a-z\d+.-]*:\/\/\S+|\bwww\.\S+|\b(?:org|organization|proj|projects?|wrkspc|workspace|user|acct|account|sk|pk)[-_/](?=[\w*-]*[\d*])[\w*-]{6,}|\b[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}\b/giu;

/**
 * Returns the vendor's message as the caller may see it (rule: vendor-words): one line without control characters,
 * URLs and account ids, at most 500 characters. Returns null if it is empty or contains 8 consecutive characters
 * of a secret.
 */
export function cleanVendorWords(
  { message, parameter }: VendorMessage,
  secrets: readonly Secret[],
): string | null {
  const named = parameter && !message.includes(parameter) ? `${message} (${parameter})` : message;
  const read = named.slice(0, MAX_READ_LENGTH);
  const cleaned = oneLine(oneLine(read).replace(PRIVATE, '[removed]'));
  // Checks both texts: the removed parts may contain a part of the key, or separate two parts of it.
  const isHinted = secrets.some((secret) => secret.isHintedAtIn(read) || secret.isHintedAtIn(cleaned));
  if (cleaned === '' || isHinted) return null;
  return cleaned.length <= MAX_SHOWN_LENGTH
    ? cleaned
    : `${cleaned.slice(0, MAX_SHOWN_LENGTH - 1).toWellFormed()}…`;
}

/** Joins lines. The category `Cf` contains marks that reorder or hide text: directions, zero widths. */
const oneLine = (text: string): string =>
  text
    .toWellFormed()
    .replace(/\p{Cf}/gu, '')
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim();
