import type { ProposedCall } from './choose-tools.js';
import { asksForListing, asksForOverview, isName, isTelling } from './question/search-terms.js';
import { chooseExcerpt, type Excerpt } from './ranking/choose-excerpt.js';
import { coveringMost, type RankedPassage } from './ranking/rank-passages.js';
import { missingFiles, quoteTerms, type SearchState, unseenTerms } from './search-state.js';

/** What the model does next, with the thought that leads to it. */
export type NextStep =
  | { readonly thought: string; readonly call: ProposedCall; readonly answer?: never }
  | { readonly thought: string; readonly answer: string; readonly call?: never };

const MAX_QUOTES = 4;
const MAX_LISTED = 40;
const MAX_BEGINNING = 28;
/** A passage this much weaker than the best one is not quoted. */
const WORTH_QUOTING = 0.1;
/** Of what the question says, the part that a passage must have to be called an answer. */
const LEAST_COVERAGE = 0.45;

const ORIGIN =
  'Found by a search, not written by a language model: nobody has judged what it means. For an answer in words, choose a model.';

/** Answers by quoting: the best passages, each with path, line numbers and why. */
export function composeAnswer(state: SearchState): NextStep {
  const { prompt, evidence, terms } = state;
  if (asksForListing(prompt.task) && asksForOverview(terms) && evidence.paths.length > 0) {
    return { thought: 'The listing is what was asked for.', answer: listPaths(evidence.paths) };
  }
  const passages = choosePassages(state);
  if (passages.length > 0) {
    return {
      thought: 'I have seen the passages that match best, and quote them.',
      answer: [...admitMissing(state), introduction(state), ...passages.map(quote), ORIGIN].join('\n\n'),
    };
  }
  const beginnings = asksForOverview(terms) || isGivenWithoutTools(state) ? quoteBeginnings(state) : [];
  if (beginnings.length > 0) {
    return {
      thought: 'I quote how the files begin that I have read.',
      answer: [...admitMissing(state), ...beginnings, ORIGIN].join('\n\n'),
    };
  }
  return {
    thought: 'I have found nothing that I could quote.',
    answer: [...admitMissing(state), admitNothing(state)].join('\n\n'),
  };
}

const isGivenWithoutTools = ({ prompt }: SearchState): boolean => prompt.tools.length === 0;

/** What is quoted then is of other files. */
const admitMissing = (state: SearchState): string[] =>
  missingFiles(state).map((path) => `I could not read ${path}.`);

function introduction(state: SearchState): string {
  const telling = state.terms.filter(isTelling);
  const unseen = unseenTerms(state);
  const missing = unseen.length > 0 ? ` Nothing was found for ${quoteTerms(unseen)}.` : '';
  return `These passages match best (${quoteTerms(telling)}):${missing}`;
}

/** The best passages, at most two from one file, if they say enough of what was asked. */
function choosePassages({ ranked, terms }: SearchState): RankedPassage[] {
  if (asksForOverview(terms)) return [];
  const shown = ranked.filter(({ lines }) => lines.length > 0);
  const limit = (shown[0]?.score ?? 0) * WORTH_QUOTING;
  const chosen: RankedPassage[] = [];
  for (const passage of coveringMost(shown)) {
    const same = chosen.filter(({ path }) => path === passage.path);
    if (passage.score >= limit && saysEnough(passage) && same.length < 2) chosen.push(passage);
    if (chosen.length === MAX_QUOTES) break;
  }
  return chosen;
}

/** A name that was asked for is telling enough by itself. */
const saysEnough = ({ coverage, matched }: RankedPassage): boolean =>
  coverage >= LEAST_COVERAGE || [...matched.keys()].some(isName);

function quote(passage: RankedPassage): string {
  const { path, matched } = passage;
  const { line, lines } = chooseExcerpt(passage);
  const words = [...new Set([...matched].filter(([term]) => isTelling(term)).map(([term]) => term.text))];
  const why = words.length > 0 ? ` · ${words.join(', ')}` : '';
  return `${path}:${line}${why}\n\n${numbered(lines)}`;
}

function numbered(lines: Excerpt['lines']): string {
  const width = String(lines.at(-1)?.line ?? 0).length;
  return lines
    .map(({ line, text }) => `    ${String(line).padStart(width)}  ${shorten(text)}`.trimEnd())
    .join('\n');
}

const shorten = (text: string): string => (text.length > 160 ? `${text.slice(0, 159)}…` : text);

const listPaths = (paths: readonly string[]): string =>
  [
    `${paths.length} files:`,
    ...paths.slice(0, MAX_LISTED).map((path) => `- ${path}`),
    ...(paths.length > MAX_LISTED ? [`… and ${paths.length - MAX_LISTED} more`] : []),
  ].join('\n');

/** For a question about the whole: the first lines of what was read, the introduction first. */
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
  const unseen = unseenTerms(state);
  const wanted = unseen.length > 0 ? unseen : terms;
  const found =
    wanted.length > 0 ? `I found nothing for ${quoteTerms(wanted)}.` : 'I found no term to search for.';
  const without =
    prompt.tools.length === 0 ? ' No tool is offered, and no file that came along matches.' : '';
  const files = evidence.paths.length > 0 ? `\n\n${listPaths(evidence.paths)}` : '';
  return `${found}${without} I am an extractive searcher, not a language model: words as they stand in the files may help.${files}`;
}
