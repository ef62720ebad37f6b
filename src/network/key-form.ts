/** Matches placeholders for a key: those in vendors' examples, and those that clients send when no key is needed. */
const placeholder =
  /^(?:sk-)?(?:x{8,}|\*{8,}|\.{8,}|<.*>|\[.*\]|\{.*\}|your[-_]?(?:[a-z]+[-_]?)*key(?:[-_]?here)?|(?:insert|paste|replace|change)[-_]?(?:me|with|your).*|placeholder|api[-_]key|no[-_]key(?:[-_](?:required|needed))?|not[-_](?:needed|required))$/i;

const MIN_LENGTH = 8;
const MAX_LENGTH = 8_192;
const wellFormed = new RegExp(`^[\\x21-\\x7e]{${MIN_LENGTH},${MAX_LENGTH}}$`);

/** Returns whether a header can carry the text as a key. A placeholder can be carried, too. */
export const isWellFormedKey = (text: string): boolean => wellFormed.test(text);

/**
 * Returns why a text cannot be a model key (rule: key-form), as the end of a sentence that begins with the name of
 * its variable; undefined if it can be one. The text itself is not in the sentence.
 */
export function keyProblem(text: string): string | undefined {
  const [character] = /[^\x21-\x7e]/u.exec(text) ?? [];
  if (character !== undefined) return `contains ${nameOf(character)}, which no key contains`;
  if (placeholder.test(text)) return 'is a placeholder, not a key';
  if (text.length < MIN_LENGTH) return `is shorter than ${MIN_LENGTH} characters, so it is not a key`;
  return text.length > MAX_LENGTH ? `is longer than ${MAX_LENGTH} characters, so it is not a key` : undefined;
}

function nameOf(character: string): string {
  if (character === ' ') return 'a space';
  if (character === '\n' || character === '\r') return 'a line end';
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return `the character U+${code}${/[\p{C}\p{Z}]/u.test(character) ? ' (invisible)' : ''}`;
}
