/** The words of a text, lower case: identifiers are taken apart (`rateLimit`, `RATE_LIMIT`, `rate-limit`). */
export const wordsIn = (text: string): string[] =>
  (text.match(/\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{M}]+|[\p{Lo}\p{Lm}]+|\p{N}+/gu) ?? []).map((word) =>
    word.toLowerCase(),
  );

/** A plural is searched without its ending, which finds both. */
export const singular = (word: string): string =>
  word
    .replace(/(?<=\w{2})ies$/u, 'y')
    .replace(/(?<=\w{2}(?:x|ch|sh|ss))es$/u, '')
    .replace(/(?<=\w{2}[^su])s$/u, '');

/** Stems that stand in every file of code; the word itself is matched instead. */
const keywords = new Set('return import export default extend await class catch throw process'.split(' '));

/** Enough of a stem that `expires`, `expired` and `expiry` meet, and `stopped` and `stop`. Short words stay as they are. */
export function stemOf(word: string): string {
  const stem = word
    .replace(/(?<=\w{4})(?:ations?|ating|ated|ates?|ings?|edly|ed|es|ers?|ions?|ment|y|e|s)$/u, '')
    .replace(/(?<=\w{2})([bdgmnprt])\1$/u, '$1');
  return keywords.has(stem) ? word : stem;
}
