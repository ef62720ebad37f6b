import { synonymsOf } from './synonyms.js';
import { singular, stemOf, stopWords, weakWords } from './words.js';

/** A name or a word to search for. */
export interface SearchTerm {
  /** The spelling that is searched for first. */
  readonly text: string;
  /** Stem of `text` in lower case. A line that contains it matches. */
  readonly stem: string;
  /** Weight in the score: higher for names than for words, and for long words than for short ones. */
  readonly weight: number;
  /** Stems of words with the same meaning as this one. */
  readonly synonyms: readonly string[];
  /**
   * True if the term must occur exactly as written: names, quotations, proper nouns, and words of scripts without
   * spaces.
   */
  readonly isLiteral: boolean;
  /** The spelling in the task, if that was corrected. */
  readonly written?: string;
}

/** Maximum length of a task that is read. Of a long document, the beginning is enough. */
const MAX_TASK_LENGTH = 4000;
const MAX_TERMS = 12;

/** Returns the distinct terms of the task, those with the highest weight first. Paths in the task are not terms. */
export function searchTerms(task: string): SearchTerm[] {
  const text = namedPaths(task)
    .reduce((rest, path) => rest.replaceAll(path, ' '), withoutOuterQuotes(task.slice(0, MAX_TASK_LENGTH)))
    .replace(readme, ' ');
  const names = [...quoted(text), ...identifiers(text)];
  const nameWords = new Set(names.map((each) => each.toLowerCase()));
  const byStem = new Map<string, SearchTerm>();
  for (const term of [...names.map(name), ...words(text, nameWords)]) {
    if (!byStem.has(term.stem)) byStem.set(term.stem, term);
  }
  const terms = [...byStem.values()].sort((a, b) => b.weight - a.weight).slice(0, MAX_TERMS);
  return terms.map((term) => ({ ...term, synonyms: term.synonyms.filter((stem) => !byStem.has(stem)) }));
}

/** Returns whether the task contains no specific term, and so asks about the whole project. */
export const asksForOverview = (terms: readonly SearchTerm[]): boolean =>
  terms.every(({ weight }) => weight <= 1);

/** Returns whether the task asks which files exist. */
export const asksForListing = (task: string): boolean =>
  /\b(?:list|which|what|show)\b.{0,40}\b(?:files|folders|tree|structure)\b/iu.test(task);

/**
 * File name extensions that identify a word as a path; `order.status`, for example, is not a file. In a word with
 * a slash, any extension is accepted.
 */
const extensions =
  'bash bat c cc cfg cjs clj conf cpp cs css csv cts dart env erl ex exs go gradle graphql h hpp hs htm html ini ipynb java ' +
  'js json jsonc jsx kt less lock lua m md mdx mjs mts php pl proto ps1 py r rb rs rst scala scss sh sql svelte swift tf ' +
  'toml ts tsx txt vue xml yaml yml zig';

const pathPattern = new RegExp(
  `(?<![\\w/.:-])@?((?:[\\w.-]+/)+[\\w.-]*\\w|[\\w-]+(?:\\.[\\w-]+)*\\.(?:${extensions.replaceAll(' ', '|')}))(?![\\w/(])`,
  'gu',
);

/** Matches "readme", which people write without its extension. */
const readme = /(?<![\w/.-])read-?me(?![\w/-]|\.\w)/giu;

/**
 * Returns the paths in the task: words with a slash and an extension, words with a known extension, and the
 * readme.
 */
export function namedPaths(task: string): string[] {
  const text = task.slice(0, MAX_TASK_LENGTH);
  const found = [...text.matchAll(pathPattern)].map(([, path = '']) => path);
  const files = found.filter((path) => /\.[A-Za-z]\w*$/u.test(path));
  return [...new Set(text.search(readme) >= 0 ? [...files, 'README.md'] : files)];
}

/** Some agents put the whole task into quotes; then the quotes do not mark a name. */
const withoutOuterQuotes = (task: string): string => /^\s*"([^"]*\s[^"]*)"\s*$/u.exec(task)?.[1] ?? task;

const quoted = (task: string): string[] =>
  [
    ...task.matchAll(
      /"([^"\n]{2,80})"|`([^`\n]{2,80})`|“([^”\n]{2,80})”|(?<!\p{L})'([^'\n]{2,80})'(?!\p{L})/gu,
    ),
  ].map(([, ...groups]) => groups.find((group) => group !== undefined) ?? '');

/** Returns the identifiers in the task: in camelCase, snake_case or SCREAMING_CASE, and dotted and scoped names. */
const identifiers = (task: string): string[] =>
  (task.match(/[A-Za-z_$][\w$]*(?:(?:\.|::|->)[A-Za-z_$][\w$]*)*/gu) ?? []).filter((word) =>
    /[a-z][A-Z]|_[A-Za-z]|\w{2}\.\w{2}|::|->|^[A-Z][A-Z\d]{2,}$/u.test(word),
  );

const NAME_WEIGHT = 100;

const name = (text: string): SearchTerm => ({
  text,
  stem: text.toLowerCase(),
  weight: NAME_WEIGHT + text.length,
  synonyms: [],
  isLiteral: true,
});

/** Returns whether a term is specific. Other terms occur in nearly every question. */
export const isSpecific = ({ weight }: SearchTerm): boolean => weight > 1;

/**
 * Returns whether a term is an identifier or a quotation. Such a term is searched exactly as written, so one hit
 * is enough.
 */
export const isName = ({ weight }: SearchTerm): boolean => weight > NAME_WEIGHT;

function words(task: string, nameWords: ReadonlySet<string>): SearchTerm[] {
  const segments = [...new Intl.Segmenter(undefined, { granularity: 'word' }).segment(task)];
  const areNounsCapitalized = german.test(task);
  return segments.flatMap(({ segment, index, isWordLike }): SearchTerm[] => {
    const word = segment.toLowerCase();
    if (!isWordLike || word.length < 2 || stopWords.has(word) || nameWords.has(word)) return [];
    const text = singular(word);
    const weight = weakWords.has(word) || weakWords.has(text) ? 1 : 1 + word.length;
    const isProper = !areNounsCapitalized && index > 0 && /^\p{Lu}\p{Ll}/u.test(segment);
    if (isProper || /\p{Lo}/u.test(text))
      return [{ text, stem: text, weight, synonyms: [], isLiteral: true }];
    return [{ text, stem: stemOf(text), weight, synonyms: synonymsOf(text), isLiteral: false }];
  });
}

/**
 * Matches common German words. In a German text, a capital letter does not indicate a proper noun, because all
 * nouns have one.
 */
const german = /\b(?:der|das|ist|sind|wie|wird|werden|wo|eine?|beim|mit|und|für|gibt|nicht)\b/iu;
