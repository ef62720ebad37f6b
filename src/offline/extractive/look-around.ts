import { listCall, namesCall, readCall } from './choose-tools.js';
import { hitsOf } from './evidence.js';
import { asksForListing, asksForOverview } from './question/search-terms.js';
import { isNamedRead, missingFiles, type Proposal, type SearchState } from './search-state.js';

/** Files that are read for what their names say. */
const MAX_FILES = 2;

/** Without any hit: which files are there? */
export function listFiles(state: SearchState): Proposal[] {
  const { tools, evidence } = state;
  const { list } = tools;
  if (!list || hitsOf(evidence) > 0 || evidence.read.size > 0) return [];
  const [missing] = missingFiles(state);
  const named = missing === undefined ? undefined : namesCall(list, `*${nameOf(missing)}`);
  if (named)
    return [{ thought: `I could not read ${missing}; I look for a file of that name.`, call: named }];
  return [{ thought: 'I look at which files there are.', call: listCall(list) }];
}

/** Files whose paths match; and, where nothing could be searched for, those that introduce a project. */
export function readListedFiles(state: SearchState): Proposal[] {
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
    thought: `${path} should tell more; I read it.`,
    call: readCall(read, path),
  }));
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

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
