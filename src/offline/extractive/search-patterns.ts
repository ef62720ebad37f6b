import { isName, type SearchTerm } from './question/search-terms.js';
import { misspellings } from './question/spelling.js';

/** Terms that are searched together: each pair of them is two branches of the expression. */
const MAX_TOGETHER = 4;
/** Terms that stood nowhere and are searched once more. */
const MAX_UNSEEN = 3;

const escapeForRegExp = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/gu, '\\$&');

/** A short stem stands inside too many other words: it must begin one. */
function startOfWord(stem: string): string {
  const escaped = escapeForRegExp(stem);
  return stem.length <= 4 && /^\w/u.test(stem) ? `(?:\\b|_)${escaped}` : escaped;
}

const anyOf = (branches: readonly string[]): string =>
  branches.length === 1 ? (branches[0] ?? '') : `(?:${branches.join('|')})`;

const plain = (term: SearchTerm): string =>
  isName(term) ? escapeForRegExp(term.text) : startOfWord(term.stem);
const widened = (term: SearchTerm): string => anyOf([plain(term), ...term.synonyms.map(startOfWord)]);

/** Lines that have two of the terms, or the term if there is only one. */
function together(terms: readonly SearchTerm[], written: (term: SearchTerm) => string): string {
  const parts = terms.slice(0, MAX_TOGETHER).map(written);
  const pairs = parts.flatMap((a, index) =>
    parts.slice(index + 1).flatMap((b) => [`${a}.*${b}`, `${b}.*${a}`]),
  );
  return (pairs.length > 0 ? pairs : parts).join('|');
}

export const togetherPattern = (terms: readonly SearchTerm[]): string => together(terms, plain);

/** With words of the same meaning. */
export const widenedPattern = (terms: readonly SearchTerm[]): string => together(terms, widened);

/** Lines that have any of the terms. */
export const singlePattern = (terms: readonly SearchTerm[]): string =>
  terms.slice(0, MAX_TOGETHER).map(plain).join('|');

/** What a term may have been meant to be, if it was written with a slip. */
export const slipPattern = (terms: readonly SearchTerm[]): string =>
  terms.slice(0, MAX_UNSEEN).flatMap(misspellings).join('|');

/** Files and folders that are called by one of the terms. */
export const namesPattern = (terms: readonly SearchTerm[]): string | undefined => {
  const stems = terms
    .slice(0, MAX_TOGETHER)
    .map(({ stem }) => stem)
    .filter((stem) => /^[\w-]{3,}$/u.test(stem));
  const [only] = stems;
  if (only === undefined) return undefined;
  return stems.length === 1 ? `*${only}*` : `*{${stems.join(',')}}*`;
};
