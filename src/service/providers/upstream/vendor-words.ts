import type { Secret } from '../secret.js';

/** UTF-16 units of what is shown, and of what is looked at. */
const LONGEST = 500;
const LONGEST_READ = 2 * 1024;

/** Addresses, and what tells whose account it is: ids of organisations, projects, workspaces and users, other keys. */
const PRIVATE =
  /[a-z][a-z\d+.-]*:\/\/\S+|\bwww\.\S+|\b(?:org|organization|proj|projects?|wrkspc|workspace|user|acct|account|sk|pk)[-_/](?=[\w*-]*[\d*])[\w*-]{6,}|\b[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}\b/giu;

/** What a vendor says of a request it refused. */
export interface VendorMessage {
  readonly message: string;
  /** The field of the request it is about, if the vendor names one apart from the message. */
  readonly parameter: string | undefined;
}

/**
 * The vendor's words as the caller may see them (rule: vendor-words): one line without control characters, addresses
 * and account ids, at most 500 characters. Null if nothing is left, and if they hold six characters of the key.
 */
export function cleanVendorWords(
  { message, parameter }: VendorMessage,
  key: Secret | undefined,
): string | null {
  const named = parameter && !message.includes(parameter) ? `${message} (${parameter})` : message;
  const read = named.slice(0, LONGEST_READ);
  const cleaned = oneLine(oneLine(read).replace(PRIVATE, '[removed]'));
  // Looked for before and after: what is removed may hold a part of the key, or keep two parts of it apart.
  if (cleaned === '' || key?.isHintedAtIn(read) || key?.isHintedAtIn(cleaned)) return null;
  return cleaned.length <= LONGEST ? cleaned : `${cleaned.slice(0, LONGEST - 1).toWellFormed()}…`;
}

/** `Cf` are the marks that turn or hide text: directions, zero widths. */
const oneLine = (text: string): string =>
  text
    .toWellFormed()
    .replace(/\p{Cf}/gu, '')
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim();
