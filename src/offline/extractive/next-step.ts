import { listCall, namesCall, readCall } from './choose-tools.js';
import { composeAnswer, type NextStep } from './compose-answer.js';
import { hitsOf } from './evidence.js';
import type { ParsedPrompt } from './prompt/read-prompt.js';
import { asksForListing, asksForOverview, namedPaths } from './question/search-terms.js';
import { bestCovering, byCodeUnits, isDocument } from './ranking/rank-passages.js';
import { isNamedRead, missingFiles, type Proposal, readState, type SearchState } from './search-state.js';
import { searches } from './searches.js';

/** Maximum number of calls in a run. After that, the searcher answers with the evidence it has. */
const MAX_CALLS = 8;
const MAX_NAMED = 2;
/** Maximum number of files that are read because a search found lines in them. */
const MAX_PLACES = 3;

/** Returns the first proposed call that was not made yet, or the answer if there is none. */
export function nextStep(prompt: ParsedPrompt): NextStep {
  const state = readState(prompt);
  const proposal = prompt.mustAnswer || prompt.calls.length >= MAX_CALLS ? undefined : propose(state);
  return proposal ?? composeAnswer(state);
}

/** Returns the first new call, trying the kinds of calls in order. Skips calls that were made before. */
function propose(state: SearchState): Proposal | undefined {
  const made = new Set(state.prompt.calls.map(({ name, args }) => keyOf({ name, args })));
  const ways = [readNamedFiles, searches, readBestPlaces, listFiles, readListedFiles];
  for (const way of ways) {
    const fresh = way(state).find(({ call }) => !made.has(keyOf(call)));
    if (fresh) return fresh;
  }
  return undefined;
}

const keyOf = ({ name, args }: { name: string; args: Readonly<Record<string, unknown>> }): string =>
  JSON.stringify([name, Object.entries(args).sort(([a], [b]) => byCodeUnits(a, b))]);

/** Proposes to read the files that the task names, unless their text is already known. */
function readNamedFiles({ prompt, tools: { read }, evidence }: SearchState): Proposal[] {
  if (!read) return [];
  const unread = namedPaths(prompt.task).filter((path) => !evidence.read.has(path));
  return unread.slice(0, MAX_NAMED).map((path) => ({
    thought: `The task names ${path}; I read it.`,
    call: readCall(read, path),
  }));
}

/**
 * Proposes to read the files of the best passages, around the passage, one passage per file. Only passages that
 * contain about as many terms as the best one are read. The last file is a document if none was read before, because
 * a document may state the answer.
 */
function readBestPlaces({ prompt, tools: { read }, evidence, ranked }: SearchState): Proposal[] {
  if (!read || (hitsOf(evidence) === 0 && evidence.paths.length === 0)) return [];
  const readAlready = prompt.calls.filter(({ name }) => name === read.name).length;
  const covering = bestCovering(ranked).reverse();
  const best = [...new Map(covering.map((passage) => [passage.path, passage] as const)).values()]
    .reverse()
    .slice(0, MAX_PLACES + evidence.read.size);
  const last = readAlready === MAX_PLACES - 1 && ![...evidence.read].some(isDocument);
  const document = last ? ranked.find(({ path, lines }) => isDocument(path) && lines.length > 0) : undefined;
  return [...(document ? [document] : []), ...best]
    .filter(({ path }) => !evidence.read.has(path))
    .slice(0, Math.max(0, MAX_PLACES - readAlready))
    .map(({ path, lines: [first] }) => ({
      thought: first
        ? `The best match is in ${path}, line ${first.line}; I read around it.`
        : `The name of ${path} fits; I read how it begins.`,
      call: readCall(read, path, first?.line ?? 1),
    }));
}

/** Maximum number of files that are read because of their names. */
const MAX_FILES = 2;

/** Proposes to list files if no search has found anything. */
function listFiles(state: SearchState): Proposal[] {
  const { tools, evidence } = state;
  const { list } = tools;
  if (!list || hitsOf(evidence) > 0 || evidence.read.size > 0) return [];
  const [missing] = missingFiles(state);
  const named = missing === undefined ? undefined : namesCall(list, `*${nameOf(missing)}`);
  if (named)
    return [{ thought: `I could not read ${missing}; I look for a file of that name.`, call: named }];
  return [{ thought: 'I look at which files there are.', call: listCall(list) }];
}

/**
 * Proposes to read files whose paths match a term and, if there was nothing to search for, files that introduce a
 * project.
 */
function readListedFiles(state: SearchState): Proposal[] {
  const { prompt, tools, terms, evidence, ranked } = state;
  const { read, search } = tools;
  if (!read || hitsOf(evidence) > 0 || asksForListing(prompt.task)) return [];
  if (prompt.calls.filter(({ name }) => name === read.name).length >= MAX_FILES) return [];
  const matching = search ? [] : ranked.map(({ path }) => path);
  const missing = missingFiles(state);
  const called = evidence.paths.filter((path) => missing.some((each) => nameOf(each) === nameOf(path)));
  const suffices = (search && !asksForOverview(terms)) || isNamedRead(state) || missing.length > 0;
  const introducing = suffices ? [] : introductionsAmong(evidence.paths);
  const wanted = [...called, ...matching].filter((path) => !evidence.read.has(path)).slice(0, MAX_FILES);
  return [...new Set([...wanted, ...introducing])].map((path) => ({
    thought: `${path} may say more; I read it.`,
    call: readCall(read, path),
  }));
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/**
 * Returns the files that a newcomer opens first, such as the readme. If no listing of files is known, guesses their
 * names.
 */
function introductionsAmong(paths: readonly string[]): string[] {
  if (paths.length === 0) return ['README.md'];
  return introductions.flatMap((pattern) => paths.find((path) => pattern.test(path)) ?? []);
}

const introductions = [
  /^readme(?:\.\w+)?$/iu,
  /^(?:package\.json|pyproject\.toml|cargo\.toml|go\.mod|pom\.xml|composer\.json)$/iu,
  /^(?:docs?\/)?(?:index|overview|architecture|introduction)\.\w+$/iu,
];
