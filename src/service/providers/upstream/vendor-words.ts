import type { Secret } from '../secret.js';
import type { VendorMessage } from '../vendor.js';

/** Maximum length in UTF-16 units of the vendor's message that is returned to the caller. */
const MAX_SHOWN_LENGTH = 500;
/** Maximum length of a vendor's message that is read; the rest is ignored. */
const MAX_READ_LENGTH = 2 * 1024;

/** Matches URLs, and ids that reveal an account: of organisations, projects, workspaces and users, and keys. */
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
  // Both texts are checked: the parts that cleaning removes may contain a part of the key, or may separate two
  // parts of it.
  const isHinted = secrets.some((secret) => secret.isHintedAtIn(read) || secret.isHintedAtIn(cleaned));
  if (cleaned === '' || isHinted) return null;
  return cleaned.length <= MAX_SHOWN_LENGTH
    ? cleaned
    : `${cleaned.slice(0, MAX_SHOWN_LENGTH - 1).toWellFormed()}…`;
}

/**
 * Joins the lines of a text. The Unicode category `Cf` contains invisible characters that reorder or hide text,
 * such as direction marks and zero-width spaces.
 */
const oneLine = (text: string): string =>
  text
    .toWellFormed()
    .replace(/\p{Cf}/gu, '')
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim();
