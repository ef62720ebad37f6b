import { type Call, chooseTools, listCall, readCall, searchCall, type Toolbox } from './choose-tools.js';
import { composeAnswer } from './compose-answer.js';
import { type Evidence, gatherEvidence } from './evidence.js';
import { rankFiles, rankLines } from './rank-lines.js';
import type { Prompt } from './read-prompt.js';
import {
  asksForListing,
  asksForOverview,
  isName,
  namedPaths,
  type SearchTerm,
  searchTerms,
} from './search-terms.js';

/** What the model does next, with the thought that leads to it. */
export type NextStep =
  | { readonly thought: string; readonly call: Call; readonly answer?: never }
  | { readonly thought: string; readonly answer: string; readonly call?: never };

/** All the policy looks at. */
export interface Situation {
  readonly prompt: Prompt;
  readonly tools: Toolbox;
  readonly terms: readonly SearchTerm[];
  readonly evidence: Evidence;
}

type Proposal = { readonly thought: string; readonly call: Call };

/** After this many calls the answer is given with what is there. */
const maxCalls = 5;
const maxSearches = 3;
const maxFiles = 2;

/** Search, read, answer: the first proposal that has not been carried out yet, else the answer. */
export function nextStep(prompt: Prompt): NextStep {
  const tools = chooseTools(prompt.tools);
  const terms = searchTerms(prompt.task);
  const situation = { prompt, tools, terms, evidence: gatherEvidence(prompt, tools) };
  const proposal = prompt.mustAnswer || prompt.calls.length >= maxCalls ? undefined : propose(situation);
  return proposal ?? composeAnswer(situation);
}

/** The ways to go on, in the order in which they are tried; a call that was made is not made again. */
function propose(situation: Situation): Proposal | undefined {
  const made = new Set(situation.prompt.calls.map(({ name, args }) => keyOf({ name, args })));
  const ways = [readNamedFiles, search, readBestFiles, look, readListedFiles];
  for (const way of ways) {
    const fresh = way(situation).find(({ call }) => !made.has(keyOf(call)));
    if (fresh) return fresh;
  }
  return undefined;
}

const keyOf = ({ name, args }: { name: string; args: Readonly<Record<string, unknown>> }): string =>
  JSON.stringify([name, Object.entries(args).sort(([a], [b]) => a.localeCompare(b))]);

/** Files that the task names are read first, unless they came along. */
function readNamedFiles({ prompt, tools: { read }, evidence }: Situation): Proposal[] {
  if (!read) return [];
  const unread = namedPaths(prompt.task).filter((path) => !evidence.read.has(path));
  return unread.slice(0, maxFiles).map((path) => ({
    thought: `The task names ${path}; I read it.`,
    call: readCall(read, path),
  }));
}

/** One term after the other, until two have found something, or one that is a name. */
function search(situation: Situation): Proposal[] {
  const { prompt, tools, terms, evidence } = situation;
  const tool = tools.search;
  const tried = prompt.calls.filter(({ name }) => name === tool?.name).length;
  if (!tool || tried >= maxSearches || asksForOverview(terms) || hasFoundEnough(situation)) return [];
  const found = evidence.foundBy.length > 0;
  const begin = found
    ? 'To narrow it down I add'
    : tried > 0
      ? 'Nothing found; I try'
      : 'The most telling term is';
  return wordings(situation).map((text) => ({
    thought: `${begin} "${text}"; I search for it.`,
    call: searchCall(tool, text),
  }));
}

function hasFoundEnough(situation: Situation): boolean {
  const { prompt, terms, evidence } = situation;
  const patterns = evidence.foundBy.flatMap(({ args }) => Object.values(args));
  if (patterns.length >= 2) return true;
  if (terms.some((term) => isName(term) && patterns.includes(term.text))) return true;
  return namedIsRead(situation) && rankLines(evidence, prompt.task, terms).length > 0;
}

const namedIsRead = ({ prompt, evidence }: Situation): boolean =>
  namedPaths(prompt.task).some((path) => evidence.read.has(path));

/** The terms as written; then, as long as nothing is found, their stems. */
function wordings({ terms, evidence }: Situation): string[] {
  const telling = terms.filter(({ weight }) => weight > 1);
  const stems =
    evidence.foundBy.length > 0 ? [] : telling.filter((term) => !isName(term)).map(({ stem }) => stem);
  return [...new Set([...telling.map(({ text }) => text), ...stems])];
}

/** Around the best lines of the best files. */
function readBestFiles({ prompt, tools: { read }, terms, evidence }: Situation): Proposal[] {
  if (!read || evidence.foundBy.length === 0) return [];
  const readAlready = prompt.calls.filter(({ name }) => name === read.name).length;
  const best = rankFiles(rankLines(evidence, prompt.task, terms)).slice(0, maxFiles + evidence.read.size);
  return best
    .filter(({ path }) => !evidence.read.has(path))
    .slice(0, Math.max(0, maxFiles - readAlready))
    .map(({ path, line }) => ({
      thought: `The best match is in ${path}, line ${line}; I read around it.`,
      call: readCall(read, path, line),
    }));
}

/** Without any hit: which files are there? */
function look({ tools: { list }, evidence }: Situation): Proposal[] {
  if (!list || evidence.foundBy.length > 0 || evidence.read.size > 0) return [];
  return [{ thought: 'I look at which files there are.', call: listCall(list) }];
}

/** Files whose paths match; and, where nothing could be searched for, those that introduce a project. */
function readListedFiles(situation: Situation): Proposal[] {
  const { prompt, tools, terms, evidence } = situation;
  const { read, search } = tools;
  if (!read || evidence.foundBy.length > 0 || asksForListing(prompt.task)) return [];
  if (prompt.calls.filter(({ name }) => name === read.name).length >= maxFiles) return [];
  const matching = pathsMatching(terms, evidence.paths).slice(0, maxFiles);
  const suffices = (search && !asksForOverview(terms)) || namedIsRead(situation);
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
