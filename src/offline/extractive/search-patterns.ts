import { isName, type SearchTerm } from './question/search-terms.js';
import { misspellings } from './question/spelling.js';

/**
 * Maximum number of terms that are searched together. Each pair of terms adds two branches to the regular
 * expression.
 */
const MAX_TOGETHER = 4;
/** Maximum number of terms that no search has found yet and that are searched again. */
const MAX_UNSEEN = 3;

const escapeForRegExp = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/gu, '\\$&');

/**
 * Returns a pattern that matches a short stem only at the beginning of a word, because a short stem occurs inside
 * too many other words.
 */
function startOfWord(stem: string): string {
  const escaped = escapeForRegExp(stem);
  return stem.length <= 4 && /^\w/u.test(stem) ? `(?:\\b|_)${escaped}` : escaped;
}

const anyOf = (branches: readonly string[]): string =>
  branches.length === 1 ? (branches[0] ?? '') : `(?:${branches.join('|')})`;

const plain = (term: SearchTerm): string =>
  isName(term) ? escapeForRegExp(term.text) : startOfWord(term.stem);
const widened = (term: SearchTerm): string => anyOf([plain(term), ...term.synonyms.map(startOfWord)]);

/** Returns a pattern for lines that contain two of the terms, or the term if there is only one. */
function together(terms: readonly SearchTerm[], written: (term: SearchTerm) => string): string {
  const parts = terms.slice(0, MAX_TOGETHER).map(written);
  const pairs = parts.flatMap((a, index) =>
    parts.slice(index + 1).flatMap((b) => [`${a}.*${b}`, `${b}.*${a}`]),
  );
  return (pairs.length > 0 ? pairs : parts).join('|');
}

export const togetherPattern = (terms: readonly SearchTerm[]): string => together(terms, plain);

/**
 * Returns a pattern for the same lines as `togetherPattern`, and for lines that contain synonyms of the terms
 * instead.
 */
export const widenedPattern = (terms: readonly SearchTerm[]): string => together(terms, widened);

/** Returns a pattern for lines that contain any of the terms. */
export const singlePattern = (terms: readonly SearchTerm[]): string =>
  terms.slice(0, MAX_TOGETHER).map(plain).join('|');

/** Returns a pattern for words that differ from a term by one typing error. */
export const slipPattern = (terms: readonly SearchTerm[]): string =>
  terms.slice(0, MAX_UNSEEN).flatMap(misspellings).join('|');

/** Returns a pattern for names of files and folders that contain one of the terms. */
export const namesPattern = (terms: readonly SearchTerm[]): string | undefined => {
  const stems = terms
    .slice(0, MAX_TOGETHER)
    .map(({ stem }) => stem)
    .filter((stem) => /^[\w-]{3,}$/u.test(stem));
  const [only] = stems;
  if (only === undefined) return undefined;
  return stems.length === 1 ? `*${only}*` : `*{${stems.join(',')}}*`;
};
