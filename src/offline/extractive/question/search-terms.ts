import { synonymsOf } from './synonyms.js';
import { stopWords, weakWords } from './word-lists.js';
import { singular, stemOf } from './words.js';

/** Something to search for: how it is written in the task, and how it may be found. */
export interface SearchTerm {
  /** As it is searched first. */
  readonly text: string;
  /** What counts as a match in a line, lower case; a stem of `text`. */
  readonly stem: string;
  /** How telling it is: names weigh more than words, long words more than short ones. */
  readonly weight: number;
  /** Stems of what else it may be called. */
  readonly synonyms: readonly string[];
  /** Found only as it stands: names, quotations, proper nouns, and scripts without spaces between words. */
  readonly isLiteral: boolean;
  /** How the task spells it, where that was taken for a slip. */
  readonly written?: string;
}

/** Of a task that is a whole document, the beginning tells. */
const MAX_TASK_LENGTH = 4000;
const MAX_TERMS = 12;

/** What to search for, the most telling first; every term once. Paths that the task names are no terms. */
export function searchTerms(task: string): SearchTerm[] {
  const text = namedPaths(task)
    .reduce((rest, path) => rest.replaceAll(path, ' '), task.slice(0, MAX_TASK_LENGTH))
    .replace(readme, ' ');
  const names = [...quoted(text), ...identifiers(text)];
  const known = new Set(names.map((each) => each.toLowerCase()));
  const byStem = new Map<string, SearchTerm>();
  for (const term of [...names.map(name), ...words(text, known)]) {
    if (!byStem.has(term.stem)) byStem.set(term.stem, term);
  }
  const terms = [...byStem.values()].sort((a, b) => b.weight - a.weight).slice(0, MAX_TERMS);
  return terms.map((term) => ({ ...term, synonyms: term.synonyms.filter((stem) => !byStem.has(stem)) }));
}

/** Nothing telling is in the task: it asks about the whole. */
export const asksForOverview = (terms: readonly SearchTerm[]): boolean =>
  terms.every(({ weight }) => weight <= 1);

/** The files themselves are asked for. */
export const asksForListing = (task: string): boolean =>
  /\b(?:list|which|what|show)\b.{0,40}\b(?:files|folders|tree|structure)\b/iu.test(task);

/** Endings of file names; `order.status` is none. After a slash any ending will do. */
const extensions =
  'bash bat c cc cfg cjs clj conf cpp cs css csv cts dart env erl ex exs go gradle graphql h hpp hs htm html ini ipynb java ' +
  'js json jsonc jsx kt less lock lua m md mdx mjs mts php pl proto ps1 py r rb rs rst scala scss sh sql svelte swift tf ' +
  'toml ts tsx txt vue xml yaml yml zig';

const pathPattern = new RegExp(
  `(?<![\\w/.:-])@?((?:[\\w.-]+/)+[\\w.-]*\\w|[\\w-]+(?:\\.[\\w-]+)*\\.(?:${extensions.replaceAll(' ', '|')}))(?![\\w/(])`,
  'gu',
);

/** The one file that everybody names without its ending. */
const readme = /(?<![\w/.-])read-?me(?![\w/-]|\.\w)/giu;

/** Paths that the task names: with a slash and an ending, or with an ending that files have; and the readme. */
export function namedPaths(task: string): string[] {
  const text = task.slice(0, MAX_TASK_LENGTH);
  const found = [...text.matchAll(pathPattern)].map(([, path = '']) => path);
  const files = found.filter((path) => /\.[A-Za-z]\w*$/u.test(path));
  return [...new Set(text.search(readme) >= 0 ? [...files, 'README.md'] : files)];
}

const quoted = (task: string): string[] =>
  [
    ...task.matchAll(
      /"([^"\n]{2,80})"|`([^`\n]{2,80})`|“([^”\n]{2,80})”|(?<!\p{L})'([^'\n]{2,80})'(?!\p{L})/gu,
    ),
  ].map(([, ...groups]) => groups.find((group) => group !== undefined) ?? '');

/** camelCase, snake_case, kebab-case with digits, SCREAMING_CASE, dotted and scoped names. */
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

/** Says what is looked for; other words fit nearly every question. */
export const isTelling = ({ weight }: SearchTerm): boolean => weight > 1;

/** True for an identifier or a quotation: it is searched as it stands, and one hit is telling enough. */
export const isName = ({ weight }: SearchTerm): boolean => weight > NAME_WEIGHT;

function words(task: string, known: ReadonlySet<string>): SearchTerm[] {
  const segments = [...new Intl.Segmenter(undefined, { granularity: 'word' }).segment(task)];
  const areNounsCapitalized = german.test(task);
  return segments.flatMap(({ segment, index, isWordLike }): SearchTerm[] => {
    const word = segment.toLowerCase();
    if (!isWordLike || word.length < 2 || stopWords.has(word) || known.has(word)) return [];
    const text = singular(word);
    const weight = weakWords.has(word) || weakWords.has(text) ? 1 : 1 + word.length;
    const isProper = !areNounsCapitalized && index > 0 && /^\p{Lu}\p{Ll}/u.test(segment);
    if (isProper || /\p{Lo}/u.test(text))
      return [{ text, stem: text, weight, synonyms: [], isLiteral: true }];
    return [{ text, stem: stemOf(text), weight, synonyms: synonymsOf(text), isLiteral: false }];
  });
}

/** Words that no English sentence has: in German every noun has a capital letter. */
const german = /\b(?:der|das|ist|sind|wie|wird|werden|wo|eine?|beim|mit|und|für|gibt|nicht)\b/iu;
