import type { SearchTerm } from './search-terms.js';
import { singular, stemOf, wordsIn } from './words.js';

/** Minimum length of a word to correct. Shorter words are one typing error away from too many other words. */
const MIN_LETTERS = 5;

const mayBeMisspelt = ({ stem, synonyms, isLiteral }: SearchTerm): boolean =>
  !isLiteral && synonyms.length === 0 && stem.length >= MIN_LETTERS && /^[a-zäöüß]+$/u.test(stem);

/**
 * Returns regular expressions for the word with one typing error after its first letter; an empty list for a name.
 */
export const misspellings = (term: SearchTerm): string[] =>
  mayBeMisspelt(term)
    ? Array.from(
        { length: term.stem.length - 2 },
        (_, at) => `${term.stem.slice(0, at + 1)}\\w{1,3}${term.stem.slice(at + 3)}`,
      )
    : [];

/**
 * Replaces each term that does not occur in the texts by the most frequent word of the texts that is one typing
 * error away.
 */
export function correctSpelling(terms: readonly SearchTerm[], texts: Iterable<string>): SearchTerm[] {
  const suspects = new Set(terms.filter(mayBeMisspelt));
  if (suspects.size === 0) return [...terms];
  const counts = new Map<string, number>();
  for (const text of texts) {
    for (const word of wordsIn(text)) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  const byCount = [...counts.keys()].sort((a, b) => (counts.get(b) ?? 0) - (counts.get(a) ?? 0));
  return terms.map((term) => (suspects.has(term) ? corrected(term, byCount) : term));
}

function corrected(term: SearchTerm, words: readonly string[]): SearchTerm {
  if (words.some((word) => word.startsWith(term.stem))) return term;
  const intended = words.find((word) => isOneSlipAway(term.stem, stemOf(singular(word))));
  return intended === undefined
    ? term
    : { ...term, text: intended, stem: stemOf(singular(intended)), written: term.text };
}

/**
 * Returns whether two words differ by one typing error: one letter is added, missing or wrong, or two adjacent
 * ones are swapped. The first letter must be the same.
 */
function isOneSlipAway(a: string, b: string): boolean {
  if (a === b || a[0] !== b[0] || Math.abs(a.length - b.length) > 1) return false;
  let start = 0;
  while (start < a.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  const [left, right] = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
  return (
    Math.max(left.length, right.length) <= 1 || (left.length === 2 && left === [...right].reverse().join(''))
  );
}
