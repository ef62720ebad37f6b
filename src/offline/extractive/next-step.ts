import { readCall } from './choose-tools.js';
import { composeAnswer, type NextStep } from './compose-answer.js';
import { hitsOf } from './evidence.js';
import { listFiles, readListedFiles } from './look-around.js';
import type { SeenPrompt } from './prompt/read-prompt.js';
import { namedPaths } from './question/search-terms.js';
import { coveringMost } from './ranking/rank-passages.js';
import { type Proposal, readState, type SearchState } from './search-state.js';
import { searches } from './searches.js';

/** After this many calls the answer is given with what is there. */
const MAX_CALLS = 8;
const MAX_NAMED = 2;
/** Places that are read for what a search found there. */
const MAX_PLACES = 3;

/** Search, read, answer: the first proposal that has not been carried out yet, else the answer. */
export function nextStep(prompt: SeenPrompt): NextStep {
  const state = readState(prompt);
  const proposal = prompt.mustAnswer || prompt.calls.length >= MAX_CALLS ? undefined : propose(state);
  return proposal ?? composeAnswer(state);
}

/** The ways to go on, in the order in which they are tried; a call that was made is not made again. */
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
  JSON.stringify([name, Object.entries(args).sort(([a], [b]) => a.localeCompare(b))]);

/** Files that the task names are read first, unless they came along. */
function readNamedFiles({ prompt, tools: { read }, evidence }: SearchState): Proposal[] {
  if (!read) return [];
  const unread = namedPaths(prompt.task).filter((path) => !evidence.read.has(path));
  return unread.slice(0, MAX_NAMED).map((path) => ({
    thought: `The task names ${path}; I read it.`,
    call: readCall(read, path),
  }));
}

/** Around the best passages, one of each file: none that would not be quoted beside the best one. */
function readBestPlaces({ prompt, tools: { read }, evidence, ranked }: SearchState): Proposal[] {
  if (!read || (hitsOf(evidence) === 0 && evidence.paths.length === 0)) return [];
  const readAlready = prompt.calls.filter(({ name }) => name === read.name).length;
  const covering = coveringMost(ranked).reverse();
  const best = [...new Map(covering.map((passage) => [passage.path, passage] as const)).values()]
    .reverse()
    .slice(0, MAX_PLACES + evidence.read.size);
  return best
    .filter(({ path }) => !evidence.read.has(path))
    .slice(0, Math.max(0, MAX_PLACES - readAlready))
    .map(({ path, lines: [first] }) => ({
      thought: first
        ? `The best match is in ${path}, line ${first.line}; I read around it.`
        : `${path} is named for it; I read how it begins.`,
      call: readCall(read, path, first?.line ?? 1),
    }));
}
