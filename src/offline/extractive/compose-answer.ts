import type { ProposedCall } from './choose-tools.js';
import { asksForListing, asksForOverview, isName, isSpecific } from './question/search-terms.js';
import { singular, stemOf, wordsIn } from './question/words.js';
import { bestCovering, isSignpost, type RankedPassage } from './ranking/rank-passages.js';
import type { NumberedLine } from './ranking/split-passages.js';
import { absentTerms, missingFiles, quoteTerms, type SearchState } from './search-state.js';

/** The searcher's next call or its answer, with a thought. */
export type NextStep =
  | { readonly thought: string; readonly call: ProposedCall; readonly answer?: never }
  | { readonly thought: string; readonly answer: string; readonly call?: never };

const MAX_QUOTES = 4;
const MAX_LISTED = 40;
const MAX_BEGINNING = 28;
/** A passage is quoted only if its score is at least this share of the best one. */
const MIN_SCORE_SHARE = 0.1;
/** A passage is treated as an answer only if it contains at least this share of the question's terms. */
const MIN_COVERAGE = 0.45;

const ORIGIN = 'Search results only; no language model was used. For an answer in words, choose a model.';

/** Answers with quotations of the best passages. Each has its path, line numbers and the terms that matched. */
export function composeAnswer(state: SearchState): NextStep {
  const { prompt, evidence, terms } = state;
  const admissions = [...admitNoChange(state), ...admitFailures(state), ...admitMissing(state)];
  if (asksForListing(prompt.task) && asksForOverview(terms) && evidence.paths.length > 0) {
    return {
      thought: 'The task asks for a listing, so I answer with the paths that I have found.',
      answer: listPaths(evidence.paths),
    };
  }
  const passages = choosePassages(state);
  if (passages.length > 0) {
    return {
      thought: 'I have seen the passages that match best, and quote them.',
      answer: [...admissions, introduction(state), ...passages.map(quote), ORIGIN].join('\n\n'),
    };
  }
  const beginnings = asksForOverview(terms) || isGivenWithoutTools(state) ? quoteBeginnings(state) : [];
  if (beginnings.length > 0) {
    return {
      thought: 'I quote the beginnings of the files that I have read.',
      answer: [...admissions, ...beginnings, ORIGIN].join('\n\n'),
    };
  }
  return {
    thought: 'I have found nothing that I could quote.',
    answer: [...admissions, admitNothing(state)].join('\n\n'),
  };
}

const isGivenWithoutTools = ({ prompt }: SearchState): boolean => prompt.tools.length === 0;

/** Matches a task that asks for a change, such as "Please rename the function" or "Benenne … um". */
const asksForChange =
  /^\W*(?:please |bitte |can you |could you |kannst du )?(?:now )?(?:add|append|change|convert|correct|create|delete|edit|extract|fix|implement|insert|make|migrate|move|optimi[sz]e|refactor|remove|rename|replace|rewrite|simplify|split|translate|update|upgrade|write|ändere|benenne|ergänze|ersetze|erstelle|füge|implementiere|korrigiere|lösche|schreibe?|verschiebe)\b/iu;

/** Returns a sentence for a task that asks for a change, which a search cannot make. */
function admitNoChange({ prompt }: SearchState): string[] {
  if (!asksForChange.test(prompt.task)) return [];
  const writers = prompt.tools
    .map(({ name }) => name)
    .filter((name) => /edit|write|replace|patch/iu.test(name));
  const means = writers.length > 0 ? ` with the tools offered here (${writers.join(', ')})` : '';
  return [
    `I cannot write or change anything: I am a search, not a language model. A language model can${means}; choose one and ask again.`,
  ];
}

/** Returns a sentence about searches that failed, because the answer may then lack what the files say. */
function admitFailures({ evidence: { failures } }: SearchState): string[] {
  const [first] = failures;
  if (!first) return [];
  const names = [...new Set(failures.map(({ name }) => name))].join(' and ');
  const reason = clipLine(first.observation.trim().split('\n', 1)[0] ?? '', []);
  return [`I could not look through all files, because ${names} failed: ${reason}`];
}

/**
 * Returns a sentence about files that the task names but that could not be read, because the quotations then come
 * from other files.
 */
const admitMissing = (state: SearchState): string[] =>
  missingFiles(state).map((path) => `I could not read ${path}.`);

function introduction(state: SearchState): string {
  const specific = state.terms.filter(isSpecific);
  const absent = absentTerms(state);
  const missing = absent.length > 0 ? ` Nothing was found for ${quoteTerms(absent)}.` : '';
  return `These passages match best (${quoteTerms(specific)}):${missing}`;
}

/** Chooses the best passages that contain enough of the question's terms, at most two from one file. */
function choosePassages({ ranked, terms }: SearchState): RankedPassage[] {
  if (asksForOverview(terms)) return [];
  const quotable = ranked.filter(({ lines }) => lines.length > 0);
  const limit = (quotable[0]?.score ?? 0) * MIN_SCORE_SHARE;
  const chosen: RankedPassage[] = [];
  for (const passage of bestCovering(quotable)) {
    const same = chosen.filter(({ path }) => path === passage.path);
    if (passage.score >= limit && saysEnough(passage) && same.length < 2) chosen.push(passage);
    if (chosen.length === MAX_QUOTES) break;
  }
  return chosen;
}

/**
 * Returns whether a passage answers the question. If the question names an identifier, it is enough that the passage
 * contains one.
 */
const saysEnough = ({ coverage, matched }: RankedPassage): boolean =>
  coverage >= MIN_COVERAGE || [...matched.keys()].some(isName);

function quote(passage: RankedPassage): string {
  const { path, matched } = passage;
  const { line, lines } = chooseExcerpt(passage);
  const words = [...new Set([...matched].filter(([term]) => isSpecific(term)).map(([term]) => term.text))];
  const why = words.length > 0 ? ` · ${words.join(', ')}` : '';
  return `${path}:${line}${why}\n\n${numbered(lines, { line, matched })}`;
}

/** The line of an excerpt that matches best, and the words to look for in a long line. */
interface BestMatch {
  readonly line: number;
  readonly matched: RankedPassage['matched'];
}

/** Formats lines with their numbers. Marks the line that matches best with `>`. */
function numbered(lines: Excerpt['lines'], best?: BestMatch): string {
  const width = String(lines.at(-1)?.line ?? 0).length;
  const words = [...(best?.matched.values() ?? [])].flat();
  return lines
    .map(({ line, text }) => {
      const mark = line === best?.line ? '>' : ' ';
      return `    ${mark} ${String(line).padStart(width)}  ${clipLine(text, words)}`.trimEnd();
    })
    .join('\n');
}

/** Maximum number of characters of a quoted line. */
const MAX_LINE = 160;
/** Number of characters that are kept before the first word that matches, if a line is cut at its beginning. */
const BEFORE_MATCH = 40;

/** Shortens a long line to the part with the first word that matches. */
function clipLine(text: string, words: readonly string[]): string {
  if (text.length <= MAX_LINE) return text;
  const lower = text.toLowerCase();
  const places = words.map((word) => lower.indexOf(word)).filter((place) => place >= 0);
  const first = Math.min(...places, text.length);
  const start = first >= MAX_LINE && places.length > 0 ? first - BEFORE_MATCH : 0;
  const end = start + MAX_LINE - 1;
  return `${start > 0 ? '…' : ''}${text.slice(start, end)}${end < text.length ? '…' : ''}`;
}

const listPaths = (paths: readonly string[]): string =>
  [
    `${paths.length} files:`,
    ...paths.slice(0, MAX_LISTED).map((path) => `- ${path}`),
    ...(paths.length > MAX_LISTED ? [`… and ${paths.length - MAX_LISTED} more`] : []),
  ].join('\n');

/** Quotes the first lines of the files that were read, for a question about the whole project. */
function quoteBeginnings({ evidence }: SearchState): string[] {
  const files = [...evidence.read].flatMap((path) => {
    const texts = evidence.files.get(path);
    return texts && texts.size > 0 ? [{ path, texts }] : [];
  });
  const height = Math.floor(MAX_BEGINNING / Math.min(2, files.length));
  return files.slice(0, 2).map(({ path, texts }) => {
    const lines = [...texts].map(([line, text]) => ({ line, text })).sort((a, b) => a.line - b.line);
    return `${path}:${lines[0]?.line ?? 1}\n\n${numbered(lines.slice(0, height))}`;
  });
}

function admitNothing(state: SearchState): string {
  const { prompt, evidence, terms } = state;
  const absent = absentTerms(state);
  const wanted = absent.length > 0 ? absent : terms;
  const isSearched = evidence.searches.length > 0 || evidence.failures.length === 0;
  const nothing = isSearched ? 'I found nothing for' : 'I do not know whether there is anything for';
  const found = wanted.length > 0 ? `${nothing} ${quoteTerms(wanted)}.` : 'I found no term to search for.';
  const without =
    prompt.tools.length === 0 ? ' No tool is offered, and no file that came along matches.' : '';
  const files = evidence.paths.length > 0 ? `\n\n${listPaths(evidence.paths)}` : '';
  return `${found}${without} I am an extractive searcher, not a language model: words as they stand in the files may help.${files}`;
}

interface Excerpt {
  /** Number of the line in which most terms occur. */
  readonly line: number;
  readonly lines: readonly NumberedLine[];
}

const MAX_EXCERPT_LINES = 12;
/** Factor for the score of a heading's line, because a heading only announces the content of the lines below it. */
const SIGNPOST_WEIGHT = 0.4;

/** Returns the part of a passage that contains the most terms of the question; the whole passage if it is short. */
function chooseExcerpt({ lines, matched }: RankedPassage): Excerpt {
  const weights = lines.map(({ text }) => weigh(text, matched) * (isSignpost(text) ? SIGNPOST_WEIGHT : 1));
  const best = weights.indexOf(Math.max(...weights));
  const start = lines.length <= MAX_EXCERPT_LINES ? 0 : bestWindow(weights, best);
  return { line: lines[best]?.line ?? 1, lines: lines.slice(start, start + MAX_EXCERPT_LINES) };
}

/** Counts the terms that occur in a line. */
function weigh(text: string, matched: RankedPassage['matched']): number {
  const stems = wordsIn(text).map((word) => stemOf(singular(word)));
  const lower = text.toLowerCase();
  return [...matched.values()].filter((words) =>
    words.some((word) => stems.includes(word) || (lower.includes(word) && word.includes(' '))),
  ).length;
}

/**
 * Returns the index at which the best excerpt begins: of the excerpts that contain the given line, the one with the
 * most terms.
 */
function bestWindow(weights: readonly number[], line: number): number {
  const last = Math.min(line, weights.length - MAX_EXCERPT_LINES);
  let best = last;
  let bestSum = -1;
  for (let start = Math.max(0, line - MAX_EXCERPT_LINES + 1); start <= last; start += 1) {
    const sum = weights.slice(start, start + MAX_EXCERPT_LINES).reduce((total, weight) => total + weight, 0);
    if (sum > bestSum) [best, bestSum] = [start, sum];
  }
  return best;
}
