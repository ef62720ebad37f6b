import { namesCall, searchCall, takesExpressions, takesFolder } from './choose-tools.js';
import { hitsOf } from './evidence.js';
import type { OfferedTool } from './prompt/read-tools.js';
import { asksForOverview, isName, type SearchTerm } from './question/search-terms.js';
import { misspellings } from './question/spelling.js';
import {
  namesPattern,
  singlePattern,
  slipPattern,
  togetherPattern,
  widenedPattern,
} from './search-patterns.js';
import {
  absentTerms,
  isNamedRead,
  type Proposal,
  quoteTerms,
  type SearchState,
  specificTerms,
} from './search-state.js';

const MAX_SEARCHES = 5;
/** Number of hits below which the searcher continues to search. */
const FEW_HITS = 12;

/** Returns the searches that may still help, in order; an empty list once enough has been found. */
export function searches(state: SearchState): Proposal[] {
  const { prompt, tools, terms } = state;
  const tried = prompt.calls.filter(({ name }) => name === tools.search?.name).length;
  if (!tools.search || tried >= MAX_SEARCHES || asksForOverview(terms) || isNamedEnough(state)) return [];
  return takesExpressions(tools.search)
    ? searchExpressions(state, tools.search)
    : searchWords(state, tools.search);
}

/** Returns whether the file that the task names was read and contains something to quote. */
const isNamedEnough = (state: SearchState): boolean => isNamedRead(state) && state.ranked.length > 0;

/** Proposes searches for lines that contain several terms, then for misspelt terms, then with wider patterns. */
function searchExpressions(state: SearchState, search: OfferedTool): Proposal[] {
  const specific = specificTerms(state);
  const names = specific.filter(isName);
  const wanted = names.length > 0 ? names : specific;
  const together = wanted.length > 1 ? `lines that have two of ${quoteTerms(wanted)}` : quoteTerms(wanted);
  const begin = describeSlips(wanted);
  const first = { thought: `${begin} for ${together}.`, call: searchCall(search, togetherPattern(wanted)) };
  return [first, ...searchSlips(state, search), ...searchFurther(state, search, wanted)];
}

function describeSlips(terms: readonly SearchTerm[]): string {
  const slips = terms.flatMap(({ text, written }) => (written ? [`"${written}" as "${text}"`] : []));
  return slips.length > 0 ? `I read ${slips.join(' and ')}, and search` : 'I search';
}

function searchSlips(state: SearchState, search: OfferedTool): Proposal[] {
  const absent = absentTerms(state).filter((term) => misspellings(term).length > 0);
  if (absent.length === 0) return [];
  const thought = `I have not seen ${quoteTerms(absent)}; I search for what may be misspelt.`;
  return [{ thought, call: searchCall(search, slipPattern(absent)) }];
}

/**
 * Proposes further searches. If an earlier one found more than it returned, these search the folders of sources
 * and documents one by one; otherwise they search for synonyms and, if there are few hits, for each word alone.
 */
function searchFurther(state: SearchState, search: OfferedTool, wanted: readonly SearchTerm[]): Proposal[] {
  const first = togetherPattern(wanted);
  if (isCutAt(state, first)) return [...searchNames(state), ...searchFolders(state, search, first)];
  const widened = widenedPattern(wanted);
  const wider = {
    thought: 'I search for words of the same meaning, too.',
    call: searchCall(search, widened),
  };
  if (isCutAt(state, widened)) return [...searchNames(state), ...searchFolders(state, search, widened)];
  const single = {
    thought: 'I search for each of the words by itself.',
    call: searchCall(search, singlePattern(wanted)),
  };
  return [...(widened === first ? [] : [wider]), ...(hitsOf(state.evidence) < FEW_HITS ? [single] : [])];
}

const isCutAt = ({ evidence }: SearchState, pattern: string): boolean =>
  evidence.searches.some(({ args, isCut }) => isCut && Object.values(args).includes(pattern));

/** Proposes to list files whose names contain a term. */
function searchNames(state: SearchState): Proposal[] {
  const { list } = state.tools;
  const glob = namesPattern(specificTerms(state));
  const call = list && glob !== undefined ? namesCall(list, glob) : undefined;
  return call
    ? [{ thought: 'There is more than was shown; I look for files with a fitting name.', call }]
    : [];
}

const mainFolder = /^(?:src|lib|app|apps|packages|source|cmd|internal|server|pkg|docs?)\//u;

function searchFolders(state: SearchState, search: OfferedTool, pattern: string): Proposal[] {
  if (!takesFolder(search)) return [];
  const paths = [...state.evidence.paths, ...state.evidence.files.keys()];
  const folders = new Set(paths.flatMap((path) => mainFolder.exec(path)?.[0].slice(0, -1) ?? []));
  return [...folders]
    .sort((a, b) => Number(a.startsWith('doc')) - Number(b.startsWith('doc')))
    .map((folder) => ({ thought: `I search ${folder} alone.`, call: searchCall(search, pattern, folder) }));
}

/**
 * Proposes searches with a tool that accepts only plain words: one word after the other, then their stems, until
 * two searches have found something.
 */
function searchWords(state: SearchState, search: OfferedTool): Proposal[] {
  const specific = specificTerms(state);
  const { searches } = state.evidence;
  const patterns = searches.filter(({ hits }) => hits > 0).flatMap(({ args }) => Object.values(args));
  const isNameFound = specific.some((term) => isName(term) && patterns.includes(term.text));
  if (patterns.length >= 2 || isNameFound || searches.length >= MAX_WORDS) return [];
  const words = specific.filter((term) => !isName(term));
  const others =
    patterns.length > 0 ? [] : words.flatMap(({ stem, synonyms }) => [stem, ...synonyms.slice(0, 1)]);
  const begin = beginOf(patterns.length, searches.length);
  return [...new Set([...specific.map(({ text }) => text), ...others])].map((text) => ({
    thought: `${begin} "${text}"; I search for it.`,
    call: searchCall(search, text),
  }));
}

const MAX_WORDS = 3;

function beginOf(found: number, tried: number): string {
  if (found > 0) return 'To narrow it down I add';
  return tried > 0 ? 'Nothing found; I try' : 'The most telling term is';
}
