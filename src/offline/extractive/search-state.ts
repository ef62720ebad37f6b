import { chooseTools, type ProposedCall, pathOfCall, type Toolbox } from './choose-tools.js';
import { type Evidence, gatherEvidence } from './evidence.js';
import { cleanPath } from './prompt/read-observation.js';
import type { ParsedPrompt } from './prompt/read-prompt.js';
import { isSpecific, namedPaths, type SearchTerm, searchTerms } from './question/search-terms.js';
import { correctSpelling } from './question/spelling.js';
import { type RankedPassage, rankPassages } from './ranking/rank-passages.js';

/** Everything that decides about the searcher's next step. */
export interface SearchState {
  readonly prompt: ParsedPrompt;
  readonly tools: Toolbox;
  readonly terms: readonly SearchTerm[];
  readonly evidence: Evidence;
  /** The passages that match, the best first. */
  readonly ranked: readonly RankedPassage[];
}

/** A call that may be made next, with the reason for it. */
export interface Proposal {
  readonly thought: string;
  readonly call: ProposedCall;
}

export function readState(prompt: ParsedPrompt): SearchState {
  const tools = chooseTools(prompt.tools);
  const evidence = gatherEvidence(prompt, tools);
  const terms = correctSpelling(searchTerms(prompt.task), textsOf(evidence));
  return { prompt, tools, terms, evidence, ranked: rankPassages(evidence, prompt.task, terms) };
}

function* textsOf({ files, paths }: Evidence): Generator<string> {
  for (const texts of files.values()) yield* texts.values();
  yield* paths;
}

export const specificTerms = ({ terms }: SearchState): SearchTerm[] => terms.filter(isSpecific);

/** Returns the specific terms that occur in no passage, not even as a synonym. */
export const absentTerms = (state: SearchState): SearchTerm[] =>
  specificTerms(state).filter((term) => !state.ranked.some(({ matched }) => matched.has(term)));

export const isNamedRead = ({ prompt, evidence }: SearchState): boolean =>
  namedPaths(prompt.task).some((path) => evidence.read.has(path));

/** Returns the files that the task names but that could not be read. */
export const missingFiles = ({ prompt, tools: { read }, evidence }: SearchState): string[] => {
  const asked = prompt.calls.flatMap(({ name, args }) =>
    read && name === read.name ? cleanPath(pathOfCall(read, args)) : [],
  );
  return namedPaths(prompt.task).filter((path) => asked.includes(path) && !evidence.read.has(path));
};

/** Formats terms for the text of thoughts and answers. */
export const quoteTerms = (terms: readonly SearchTerm[]): string =>
  terms
    .slice(0, 4)
    .map(({ text }) => `"${text}"`)
    .join(', ');
