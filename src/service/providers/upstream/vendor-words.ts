import type { Secret } from '../secret.js';
import type { VendorMessage } from '../vendor.js';

/** Maximum length of the words that are shown, in UTF-16 units. */
const MAX_SHOWN_LENGTH = 500;
/** Maximum length of the words that are read. */
const MAX_READ_LENGTH = 2 * 1024;

/** Addresses, and ids that reveal an account: of organisations, projects, workspaces and users; other keys. */
const PRIVATE =
  /[a-z][a-z\d+.-]*:\/\/\S+|\bwww\.\S+|\b(?:org|organization|proj|projects?|wrkspc|workspace|user|acct|account|sk|pk)[-_/](?=[\w*-]*[\d*])[\w*-]{6,}|\b[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}\b/giu;

/**
 * Returns the vendor's words as the caller may see them (rule: vendor-words): one line without control characters,
 * addresses and account ids, at most 500 characters. Null if nothing is left, or if they hold 8 characters of the key.
 */
export function cleanVendorWords(
  { message, parameter }: VendorMessage,
  key: Secret | undefined,
): string | null {
  const named = parameter && !message.includes(parameter) ? `${message} (${parameter})` : message;
  const read = named.slice(0, MAX_READ_LENGTH);
  const cleaned = oneLine(oneLine(read).replace(PRIVATE, '[removed]'));
  // Checks both: the removed text may hold a part of the key, or keep two parts of it apart.
  if (cleaned === '' || key?.isHintedAtIn(read) || key?.isHintedAtIn(cleaned)) return null;
  return cleaned.length <= MAX_SHOWN_LENGTH
    ? cleaned
    : `${cleaned.slice(0, MAX_SHOWN_LENGTH - 1).toWellFormed()}…`;
}

/** `Cf` are the marks that turn or hide text: directions, zero widths. */
const oneLine = (text: string): string =>
  text
    .toWellFormed()
    .replace(/\p{Cf}/gu, '')
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim();
