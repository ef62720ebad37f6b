/** Something to search for: how it is written in the task, and how it may be found. */
export interface SearchTerm {
  /** As it is searched first. */
  readonly text: string;
  /** What counts as a match in a line, lower case; a stem of `text`. */
  readonly stem: string;
  /** How telling it is: names weigh more than words, long words more than short ones. */
  readonly weight: number;
}

/** Words that say how something is asked, not what: articles, pronouns, question words, in a few languages. */
const stopWords = new Set(
  `a about above after again all also am an and any anybody anyone are as at be because been before being between both
  but by can could did do does doing done down during each else ever every few find for from get gets give given go
  had has have having he her here hers him his how i if in into is it its just let me might more most much must my no
  nor not now of off on once one only or other our out over own please same shall she should show so some such tell
  than that the their them then there these they this those through to too under until up us use used uses using very
  was way we were what when where which while who whom whose why will with within without would yes you your
  explain describe list give say know look want need e.g i.e etc
  aber als am an auch auf aus bei bin bis das dass dem den der des die dies dieser ein eine einem einen einer es für
  gibt hat ich im in ist kann lang lange man mit nach nicht oder sich sie sind so um und viel viele von was wann warum welche welcher wer
  werden wie wird wo zu zum zur
  au aux avec ce ces comment cette dans de des du elle en est et il ils je la le les leur mais où ou par pas pour
  pourquoi quand que quel quelle qui sa se ses son sont sur un une
  como con cual cuando de del donde el ella en es esta este la las lo los para pero por porque que se sin son su sus
  un una uno y`.split(/\s+/u),
);

/** Words that fit nearly every question about code: searched last, and worth little. */
const weakWords = new Set(
  `app application begin calculate calculated change class code codebase come computed config define defined directory
  exactly file files folder function functions handle handled happen happens implement implemented kind last line lines
  live long made make many method module name number package part place program project repo repository return returned
  overview run set show software source start stored structure summarise summarize summary take text thing tree type
  value variable work works`.split(/\s+/u),
);

/** Of a task that is a whole document, the beginning tells. */
const MAX_TASK_LENGTH = 4000;
const MAX_TERMS = 12;

/** What to search for, the most telling first; every term once. Paths that the task names are no terms. */
export function searchTerms(task: string): SearchTerm[] {
  const text = namedPaths(task).reduce(
    (rest, path) => rest.replaceAll(path, ' '),
    task.slice(0, MAX_TASK_LENGTH),
  );
  const names = [...quoted(text), ...identifiers(text)];
  const known = new Set(names.map((each) => each.toLowerCase()));
  const byStem = new Map<string, SearchTerm>();
  for (const term of [...names.map(name), ...words(text, known)]) {
    if (!byStem.has(term.stem)) byStem.set(term.stem, term);
  }
  return [...byStem.values()].sort((a, b) => b.weight - a.weight).slice(0, MAX_TERMS);
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

/** Paths that the task names: with a slash and an ending, or with an ending that files have. */
export function namedPaths(task: string): string[] {
  const found = [...task.slice(0, MAX_TASK_LENGTH).matchAll(pathPattern)].map(([, path = '']) => path);
  return [...new Set(found.filter((path) => /\.[A-Za-z]\w*$/u.test(path)))];
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
});

/** True for an identifier or a quotation: it is searched as it stands, and one hit is telling enough. */
export const isName = ({ weight }: SearchTerm): boolean => weight > NAME_WEIGHT;

function words(task: string, known: ReadonlySet<string>): SearchTerm[] {
  const segments = new Intl.Segmenter(undefined, { granularity: 'word' }).segment(task);
  return [...segments].flatMap(({ segment, isWordLike }) => {
    const word = segment.toLowerCase();
    if (!isWordLike || word.length < 2 || stopWords.has(word) || known.has(word)) return [];
    const text = singular(word);
    return [
      { text, stem: stemOf(text), weight: weakWords.has(word) || weakWords.has(text) ? 1 : 1 + word.length },
    ];
  });
}

/** A plural is searched without its ending, which finds both. */
const singular = (word: string): string =>
  word
    .replace(/(?<=\w{2})ies$/u, 'y')
    .replace(/(?<=\w{2}(?:x|ch|sh|ss))es$/u, '')
    .replace(/(?<=\w{2}[^su])s$/u, '');

/** Stems that stand in every file of code; the word itself is matched instead. */
const keywords = new Set('return import export default extend await class catch throw process'.split(' '));

/** Enough of a stem that `expires`, `expired` and `expiry` meet. Short words stay as they are. */
export function stemOf(word: string): string {
  const stem = word.replace(
    /(?<=\w{4})(?:ations?|ating|ated|ates?|ings?|edly|ed|es|ers?|ions?|ment|y|e|s)$/u,
    '',
  );
  return keywords.has(stem) ? word : stem;
}
