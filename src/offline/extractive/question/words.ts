/**
 * Returns the words of a text in lower case. Splits identifiers such as `rateLimit`, `RATE_LIMIT` and
 * `rate-limit`.
 */
export const wordsIn = (text: string): string[] =>
  (text.match(/\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{M}]+|[\p{Lo}\p{Lm}]+|\p{N}+/gu) ?? []).map((word) =>
    word.toLowerCase(),
  );

/** Removes the ending of an English plural, so that one search finds both singular and plural. */
export const singular = (word: string): string =>
  word
    .replace(/(?<=\w{2})ies$/u, 'y')
    .replace(/(?<=\w{2}(?:x|ch|sh|ss))es$/u, '')
    .replace(/(?<=\w{2}[^su])s$/u, '');

/** Keywords that occur in nearly every source file. They match only as whole words, not by their stems. */
const keywords = new Set('return import export default extend await class catch throw process'.split(' '));

/**
 * Removes endings, so that `expires`, `expired` and `expiry` have the same stem, and so do `stopped` and `stop`.
 * Leaves short words unchanged.
 */
export function stemOf(word: string): string {
  const stem = word
    .replace(/(?<=\w{4})(?:ations?|ating|ated|ates?|ings?|edly|ed|es|ers?|ions?|ment|y|e|s)$/u, '')
    .replace(/(?<=\w{2})([bdgmnprt])\1$/u, '$1');
  return keywords.has(stem) ? word : stem;
}

/** Words without a meaning of their own in a few languages: articles, pronouns, question words. */
export const stopWords = new Set(
  `a about above after again all also am an and any anybody anyone are as at be because been before being between both
  but by can could did do does doing done down during each else ever every few find for from get gets give given go
  had has have having he her here hers him his how i if in into is it its just let may me might more most much must my no
  nor not now of off on once one only or other our out over own please same shall she should show so some such tell
  than that the their them then there these they this those through to too under until up us use used uses using very
  was way we were what when where which while who whom whose why will with within without would yes you your
  explain describe list give say know look want need see somebody something someone whether goes going itself it's doesn't e.g i.e etc
  aber als alle allen am an auch auf aus bei beim bin bis dabei damit dann da das dass dem den der des die dies dieser ein eine einem einen einer es für
  geht gehen gehalten gemacht gibt haben hat ich ihr ihre im in ist kann lang lange man mit nach nicht oder passiert passieren geschieht funktioniert sich sie sind so um und viel viele von was wann warum welche welcher wer
  werden wie wieder wird wo woher wofür
  zeigt zeigen zu zum zur
  au aux avec ce ces comment cette dans de des du elle en est et il ils je la le les leur mais où ou par pas pour
  pourquoi quand que quel quelle qui sa se ses son sont sur un une
  como con cual cuando de del donde el ella en es esta este la las lo los para pero por porque que se sin son su sus
  un una uno y`.split(/\s+/u),
);

/** Words that occur in nearly every question about code. They are searched last, with a low weight. */
export const weakWords = new Set(
  `app application begin calculate calculated change class code codebase come computed config define defined directory
  exactly file files folder function functions handle handled happen happens implement implemented kind last line lines
  live long made make many method module name number package part place program project repo repository return returned
  overview run set show software source start stored structure summarise summarize summary take text thing tree type
  value variable work works`.split(/\s+/u),
);
