import { chooseTools, listCall, type ProposedCall, readCall, searchCall } from './choose-tools.js';
import { composeAnswer, type NextStep } from './compose-answer.js';
import { gatherEvidence, type SearchState } from './evidence.js';
import { rankFiles, rankLines } from './rank-lines.js';
import type { SeenPrompt } from './read-prompt.js';
import {
  asksForListing,
  asksForOverview,
  isName,
  namedPaths,
  type SearchTerm,
  searchTerms,
} from './search-terms.js';

type Proposal = { readonly thought: string; readonly call: ProposedCall };

/** After this many calls the answer is given with what is there. */
const MAX_CALLS = 5;
const MAX_SEARCHES = 3;
const MAX_FILES = 2;

/** Search, read, answer: the first proposal that has not been carried out yet, else the answer. */
export function nextStep(prompt: SeenPrompt): NextStep {
  const tools = chooseTools(prompt.tools);
  const terms = searchTerms(prompt.task);
  const state = { prompt, tools, terms, evidence: gatherEvidence(prompt, tools) };
  const proposal = prompt.mustAnswer || prompt.calls.length >= MAX_CALLS ? undefined : propose(state);
  return proposal ?? composeAnswer(state);
}

/** The ways to go on, in the order in which they are tried; a call that was made is not made again. */
function propose(state: SearchState): Proposal | undefined {
  const made = new Set(state.prompt.calls.map(({ name, args }) => keyOf({ name, args })));
  const ways = [readNamedFiles, search, readBestFiles, look, readListedFiles];
  for (const way of ways) {
    const fresh = way(state).find(({ call }) => !made.has(keyOf(call)));
    if (fresh) return fresh;
  }
  return undefined;
}

const keyOf = ({ name, args }: { name: string; args: Readonly<Record<string, unknown>> }): string =>
  JSON.stringify([name, Object.entries(args).sort(([a], [b]) => a.localeCompare(b))]);

/** Files that the task names are read first, unless they came along. */
function readNamedFiles({ prompt, tools: { read }, evidence }: SearchState): Proposal[] {
  if (!read) return [];
  const unread = namedPaths(prompt.task).filter((path) => !evidence.read.has(path));
  return unread.slice(0, MAX_FILES).map((path) => ({
    thought: `The task names ${path}; I read it.`,
    call: readCall(read, path),
  }));
}

/** One term after the other, until two have found something, or one that is a name. */
function search(state: SearchState): Proposal[] {
  const { prompt, tools, terms, evidence } = state;
  const tool = tools.search;
  const tried = prompt.calls.filter(({ name }) => name === tool?.name).length;
  if (!tool || tried >= MAX_SEARCHES || asksForOverview(terms) || hasFoundEnough(state)) return [];
  const found = evidence.foundBy.length > 0;
  const begin = found
    ? 'To narrow it down I add'
    : tried > 0
      ? 'Nothing found; I try'
      : 'The most telling term is';
  return wordings(state).map((text) => ({
    thought: `${begin} "${text}"; I search for it.`,
    call: searchCall(tool, text),
  }));
}

function hasFoundEnough(state: SearchState): boolean {
  const { prompt, terms, evidence } = state;
  const patterns = evidence.foundBy.flatMap(({ args }) => Object.values(args));
  if (patterns.length >= 2) return true;
  if (terms.some((term) => isName(term) && patterns.includes(term.text))) return true;
  return namedIsRead(state) && rankLines(evidence, prompt.task, terms).length > 0;
}

const namedIsRead = ({ prompt, evidence }: SearchState): boolean =>
  namedPaths(prompt.task).some((path) => evidence.read.has(path));

/** The terms as written; then, as long as nothing is found, their stems. */
function wordings({ terms, evidence }: SearchState): string[] {
  const telling = terms.filter(({ weight }) => weight > 1);
  const stems =
    evidence.foundBy.length > 0 ? [] : telling.filter((term) => !isName(term)).map(({ stem }) => stem);
  return [...new Set([...telling.map(({ text }) => text), ...stems])];
}

/** Around the best lines of the best files. */
function readBestFiles({ prompt, tools: { read }, terms, evidence }: SearchState): Proposal[] {
  if (!read || evidence.foundBy.length === 0) return [];
  const readAlready = prompt.calls.filter(({ name }) => name === read.name).length;
  const best = rankFiles(rankLines(evidence, prompt.task, terms)).slice(0, MAX_FILES + evidence.read.size);
  return best
    .filter(({ path }) => !evidence.read.has(path))
    .slice(0, Math.max(0, MAX_FILES - readAlready))
    .map(({ path, line }) => ({
      thought: `The best match is in ${path}, line ${line}; I read around it.`,
      call: readCall(read, path, line),
    }));
}

/** Without any hit: which files are there? */
function look({ tools: { list }, evidence }: SearchState): Proposal[] {
  if (!list || evidence.foundBy.length > 0 || evidence.read.size > 0) return [];
  return [{ thought: 'I look at which files there are.', call: listCall(list) }];
}

/** Files whose paths match; and, where nothing could be searched for, those that introduce a project. */
function readListedFiles(state: SearchState): Proposal[] {
  const { prompt, tools, terms, evidence } = state;
  const { read, search } = tools;
  if (!read || evidence.foundBy.length > 0 || asksForListing(prompt.task)) return [];
  if (prompt.calls.filter(({ name }) => name === read.name).length >= MAX_FILES) return [];
  const matching = pathsMatching(terms, evidence.paths).slice(0, MAX_FILES);
  const suffices = (search && !asksForOverview(terms)) || namedIsRead(state);
  const introducing = suffices ? [] : introductionsAmong(evidence.paths);
  return [...new Set([...matching, ...introducing])].map((path) => ({
    thought: `${path} should tell more; I read it.`,
    call: readCall(read, path),
  }));
}

/** The paths that have telling terms, those with the most of them first. */
function pathsMatching(terms: readonly SearchTerm[], paths: readonly string[]): string[] {
  const telling = terms.filter(({ weight }) => weight > 1);
  const weightOf = (path: string) =>
    telling
      .filter(({ stem }) => path.toLowerCase().includes(stem))
      .reduce((sum, { weight }) => sum + weight, 0);
  const weighed = paths.map((path) => ({ path, weight: weightOf(path) })).filter(({ weight }) => weight > 0);
  return weighed.sort((a, b) => b.weight - a.weight).map(({ path }) => path);
}

/** What a stranger opens first; without a listing, a guess. */
function introductionsAmong(paths: readonly string[]): string[] {
  if (paths.length === 0) return ['README.md'];
  return introductions.flatMap((pattern) => paths.find((path) => pattern.test(path)) ?? []);
}

const introductions = [
  /^readme(?:\.\w+)?$/iu,
  /^(?:package\.json|pyproject\.toml|cargo\.toml|go\.mod|pom\.xml|composer\.json)$/iu,
  /^(?:docs?\/)?(?:index|overview|architecture|introduction)\.\w+$/iu,
];
