import { firstLineOfCall, pathOfCall, type Toolbox } from './choose-tools.js';
import {
  cleanPath,
  type FoundLine,
  isCut,
  isFailure,
  readHits,
  readLines,
  readPaths,
} from './prompt/read-observation.js';
import type { ParsedPrompt, PastCall } from './prompt/read-prompt.js';

/** Everything that the searcher knows of the project's files: lines and file names. */
export interface Evidence {
  /** Lines by path and line number. */
  readonly files: ReadonlyMap<string, ReadonlyMap<number, string>>;
  readonly paths: readonly string[];
  /** Files whose text was read or is in the prompt. Of other files, only single lines from searches are known. */
  readonly read: ReadonlySet<string>;
  readonly searches: readonly PastSearch[];
  /** Calls that were to search or list files and failed, so that something may exist although it was not found. */
  readonly failures: readonly PastCall[];
}

interface PastSearch {
  readonly args: PastCall['args'];
  /** Number of lines that the search returned. */
  readonly hits: number;
  /** True if the search found more lines than it returned. */
  readonly isCut: boolean;
}

/** Collects the lines and file names that occur in the context files and in the observations of all calls. */
export function gatherEvidence(
  { calls, contextFiles }: ParsedPrompt,
  { search, read, list }: Toolbox,
): Evidence {
  const called = (tool: { name: string } | null) =>
    calls.filter(({ name, observation }) => name === tool?.name && !isFailure(observation));
  const searches = called(search).map((call) => ({ call, hits: readHits(call.observation) }));
  const reads = called(read).map(({ args, observation }) => {
    const path = read ? cleanPath(pathOfCall(read, args)) : '';
    return { path, lines: readLines(observation, path, firstLineOfCall(args)) };
  });
  const given = contextFiles.map(({ path, content, firstLine }) => ({
    path,
    lines: readLines(content, path, firstLine),
  }));
  const whole = [...given, ...reads];
  return {
    files: byFile([...searches.map(({ hits }) => hits), ...whole.map(({ lines }) => lines)]),
    paths: called(list).flatMap(({ observation }) => readPaths(observation)),
    read: new Set(whole.map(({ path }) => path)),
    failures: calls.filter(
      ({ name, observation }) => (name === search?.name || name === list?.name) && isFailure(observation),
    ),
    searches: searches.map(({ call: { args, observation }, hits }) => ({
      args,
      hits: hits.length,
      isCut: isCut(observation),
    })),
  };
}

/**
 * Groups the lines by file. A later text replaces the lines of an earlier one. Files that were read come last,
 * because a search may shorten a line.
 */
function byFile(texts: readonly Iterable<FoundLine>[]): Map<string, Map<number, string>> {
  const files = new Map<string, Map<number, string>>();
  for (const lines of texts) {
    for (const { path, line, text } of lines) {
      const file = files.get(path) ?? new Map<number, string>();
      files.set(path, file.set(line, text));
    }
  }
  return files;
}

/** Counts the lines that searches returned. */
export const hitsOf = ({ searches }: Evidence): number => searches.reduce((sum, { hits }) => sum + hits, 0);
