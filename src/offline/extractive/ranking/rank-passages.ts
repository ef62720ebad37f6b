import MiniSearch from 'minisearch';
import type { Evidence } from '../evidence.js';
import { isName, isSpecific, type SearchTerm } from '../question/search-terms.js';
import { singular, stemOf, wordsIn } from '../question/words.js';
import { comment, definition, type Passage, splitPassages } from './split-passages.js';

export interface RankedPassage extends Passage {
  readonly score: number;
  /** Weighted share of the question's terms that the passage contains, from 0 to 1. */
  readonly coverage: number;
  /** The terms that occur in the passage, with the words that matched them. */
  readonly matched: ReadonlyMap<SearchTerm, readonly string[]>;
}

/** The parts of a passage, such as path and body, to which BM25 gives different weights. */
interface Fields {
  readonly id: number;
  readonly name: string;
  readonly path: string;
  readonly heading: string;
  readonly symbols: string;
  readonly comments: string;
  readonly body: string;
}

const boost = { name: 2.5, path: 1, heading: 2.5, symbols: 2.5, comments: 1.5, body: 1 };
/**
 * Share of a word's weight that its synonym gets: `beside` if the word itself occurs somewhere, `instead` if it
 * does not.
 */
const SYNONYM_SHARE = { beside: 0.35, instead: 0.7 };
const MAX_PASSAGES = 4_000;

/**
 * Splits all known lines into passages. Returns the passages that match, the best first, together with files of which
 * only the name is known. The score is BM25 over path, headings, names, comments and body, multiplied by the
 * passage's coverage and a factor for the kind of file. Passages with equal scores are ordered by path and line.
 */
export function rankPassages(
  { files, paths }: Evidence,
  task: string,
  terms: readonly SearchTerm[],
): RankedPassage[] {
  const seen = [...files].flatMap(([path, texts]) => splitPassages(path, texts));
  const nameOnly = paths.filter((path) => !files.has(path)).map((path) => ({ path, lines: [], heading: '' }));
  const passages = [...seen, ...nameOnly].slice(0, MAX_PASSAGES);
  const matches = matchTerms(passages, terms);
  const factorOf = factorsFor(task, terms);
  const all = sum(terms.map(worthOf));
  const ranked = passages.flatMap((passage, id) => {
    const own = matches[id] ?? new Map<SearchTerm, Match>();
    if (own.size === 0) return [];
    const coverage = sum([...own].map(([term, { share }]) => worthOf(term) * share)) / all;
    const score = sum([...own.values()].map((match) => match.score)) * coverage * factorOf(passage);
    const matched = new Map([...own].map(([term, { words }]) => [term, words]));
    return [{ ...passage, score, coverage, matched }];
  });
  return ranked.sort((a, b) => b.score - a.score || byCodeUnits(a.path, b.path) || firstOf(a) - firstOf(b));
}

/** Compares paths in an order that does not depend on the machine's locale. */
export const byCodeUnits = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);

/** Passages whose coverage is below this share of the maximum coverage are ignored. */
const MIN_COVERAGE_SHARE = 0.5;

/** Returns the passages whose coverage comes close enough to the maximum. */
export function bestCovering(passages: readonly RankedPassage[]): RankedPassage[] {
  const max = Math.max(0, ...passages.map(({ coverage }) => coverage));
  return passages.filter(({ coverage }) => coverage >= max * MIN_COVERAGE_SHARE);
}

const firstOf = ({ lines }: Passage): number => lines[0]?.line ?? 0;
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** Returns the weight of a term in scores: high for a name, low for a word that occurs in every question. */
const worthOf = (term: SearchTerm): number => {
  if (isName(term)) return 3;
  if (!isSpecific(term)) return 0.2;
  return term.isLiteral ? 2 : 1;
};

interface Match {
  readonly score: number;
  readonly share: number;
  readonly words: readonly string[];
}

function matchTerms(passages: readonly Passage[], terms: readonly SearchTerm[]): Map<SearchTerm, Match>[] {
  const index = indexOf(passages);
  const found = passages.map(() => new Map<SearchTerm, Match>());
  const keep = (id: number, term: SearchTerm, match: Match): void => {
    const own = found[id];
    if (own && (own.get(term)?.score ?? 0) < match.score) own.set(term, match);
  };
  const search = (term: SearchTerm, stem: string, share: number): number => {
    const results = index.search(stem, { prefix: stem.length > 3 });
    for (const { id, score, terms: words } of results) {
      keep(id, term, { score: score * share * worthOf(term), share, words });
    }
    return results.length;
  };
  const searchPhrase = (term: SearchTerm, phrase: string, share: number): void => {
    for (const id of idsWith(passages, phrase)) {
      keep(id, term, { score: PHRASE_SCORE * share * worthOf(term), share, words: [phrase] });
    }
  };
  for (const term of terms.filter(({ isLiteral }) => isLiteral)) {
    for (const [id, match] of literalMatches(passages, term)) keep(id, term, match);
  }
  for (const term of terms.filter(({ isLiteral }) => !isLiteral)) {
    const share = search(term, term.stem, 1) > 0 ? SYNONYM_SHARE.beside : SYNONYM_SHARE.instead;
    for (const synonym of term.synonyms)
      (synonym.includes(' ') ? searchPhrase : search)(term, synonym, share);
  }
  return found;
}

/** Score of a phrase, about that of a word in a short passage. */
const PHRASE_SCORE = 6;

function idsWith(passages: readonly Passage[], phrase: string): number[] {
  return passages.flatMap(({ lines }, id) =>
    lines.some(({ text }) => text.toLowerCase().includes(phrase)) ? [id] : [],
  );
}

const LITERAL_SCORE = 12;

function literalMatches(passages: readonly Passage[], term: SearchTerm): [number, Match][] {
  const wanted = term.text.toLowerCase();
  return passages.flatMap(({ lines }, id): [number, Match][] => {
    const own = lines.filter(({ text }) => text.toLowerCase().includes(wanted));
    if (own.length === 0) return [];
    const score = LITERAL_SCORE * (own.some(({ text }) => definition.test(text)) ? 1.5 : 1);
    return [[id, { score: score * worthOf(term), share: 1, words: [wanted] }]];
  });
}

function indexOf(passages: readonly Passage[]): MiniSearch<Fields> {
  const index = new MiniSearch<Fields>({
    fields: Object.keys(boost),
    tokenize: wordsIn,
    processTerm: (word) => stemOf(singular(word)),
    searchOptions: {
      boost,
      tokenize: (stem) => [stem],
      processTerm: (stem) => stem,
      bm25: { k: 1.2, b: 0.4, d: 0.2 },
      weights: { prefix: 0.5, fuzzy: 0 },
    },
  });
  index.addAll(passages.map(fieldsOf));
  return index;
}

function fieldsOf({ path, lines, heading }: Passage, id: number): Fields {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const texts = lines.map(({ text }) => text);
  const isProse = /\.mdx?$/u.test(name);
  const comments = texts.filter((text) => isProse || comment.test(text));
  const symbols = texts.flatMap((text) =>
    definition.test(text) ? (/\w+(?=\s*[=(<{:])/u.exec(text)?.[0] ?? '') : '',
  );
  return {
    id,
    name: name.replace(/\.\w+$/u, ''),
    path: path.slice(0, -name.length),
    heading,
    symbols: symbols.join(' '),
    comments: comments.join(' '),
    body: texts.filter((text) => !comments.includes(text)).join(' '),
  };
}

/** Score factors for a passage of which 0 lines (first entry) or 1 line (second entry) are known. */
const FEW_LINES: readonly number[] = [0.7, 0.7];

const asksForNumber =
  /\bhow (?:long|many|much|often|old|big|large)\b|\bwhen\b|\bwhat (?:percentage|number|limit|port|size)\b|\blimits?\b|\bmaximum\b|\bwie (?:lange|viele?|oft|groß)\b|\bwann\b/iu;

/** Matches a question about a place in the code. The answer to another question is more likely in the documents. */
const asksForPlace =
  /\bwhere\b|\bwo\b|\b(?:implement|defin|declar|call)\w*\b|\b(?:function|method|class|module|file|code)\b/iu;
/** Score factor of documents for a question that does not ask for a place in the code. */
const DOCUMENT_FACTOR = 1.8;
/** Score factor of a passage that only names other passages: a table of contents, or a heading by itself. */
const SIGNPOST_FACTOR = 0.3;

/** Returns whether a file is a text for people. */
export const isDocument = (path: string): boolean => /\.(?:md|mdx|rst|adoc|txt)$/iu.test(path);
/** Returns whether a line of a document is blank, a heading, or an entry of a table of contents. */
export const isSignpost = (text: string): boolean =>
  /^\s*(?:#{1,6}\s.*|(?:[-*+]|\d+\.)\s*\[[^\]]*\]\([^)]*\)\s*)?$/u.test(text);

/**
 * Returns a function that computes a passage's score factor from its file and its lines. If the task asks for a
 * number, passages with a number score higher. The numbers 0 and 1 are ignored, because they occur in too many lines.
 */
function factorsFor(task: string, terms: readonly SearchTerm[]): (passage: Passage) => number {
  const stems = terms.flatMap(({ stem, synonyms }) => [stem, ...synonyms]);
  const hasTerm = (text: string): boolean => stems.some((stem) => text.toLowerCase().includes(stem));
  const wantsNumber = asksForNumber.test(task);
  const wantsTests = /\btest/iu.test(task);
  const documents = asksForPlace.test(task) ? 1 : DOCUMENT_FACTOR;
  return ({ path, lines }) => {
    const number =
      wantsNumber && lines.some(({ text }) => /(?<![\p{L}\d_])(?:\d{2}|[2-9])/u.test(text) && hasTerm(text))
        ? 2
        : 1;
    const alone = FEW_LINES[lines.length] ?? 1;
    const imports =
      lines.length > 0 &&
      lines.every(({ text }) => /^\s*(?:import|from|require|using|#include|\}\s*from)\b/u.test(text))
        ? 0.3
        : 1;
    const kind = kinds.find(({ path: pattern }) => pattern.test(path));
    const form = isDocument(path)
      ? documents * (lines.length > 0 && lines.every(({ text }) => isSignpost(text)) ? SIGNPOST_FACTOR : 1)
      : 1;
    return form * number * alone * imports * (kind && !(wantsTests && kind.isTest) ? kind.factor : 1);
  };
}

/**
 * Kinds of files that describe the project only indirectly, such as tests, with their score factors. The first kind
 * that matches a path applies.
 */
const kinds = [
  { path: /(?:^|\/)(?:change-?log|history|news|release-?notes)\b/iu, factor: 0.35 },
  { path: /(?:^|\/)readme\b/iu, factor: 0.6 },
  { path: /(?:^|[/._-])(?:tests?|spec|fixtures?|golden|__tests__)(?:[/._-]|$)/iu, factor: 0.4, isTest: true },
  {
    path: /(?:^|\/)(?:bench|benchmarks?|deploy|examples?|recordings|trials|scripts|vendor)\//iu,
    factor: 0.5,
  },
  { path: /(?:\.lock|-lock\.\w+|\.min\.\w+|\.map|\.snap|\.cast|\.d\.ts|openapi\.\w+)$/iu, factor: 0.3 },
  { path: /\.(?:json|ya?ml|toml|css|svg|html)$/iu, factor: 0.6 },
] satisfies readonly { path: RegExp; factor: number; isTest?: boolean }[];
