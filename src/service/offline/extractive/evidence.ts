import { firstLineOfCall, pathOfCall, type Toolbox } from './choose-tools.js';
import { cleanPath, isFailure, readHits, readLines, readPaths, type SeenLine } from './read-observation.js';
import type { PastCall, SeenPrompt } from './read-prompt.js';
import type { SearchTerm } from './search-terms.js';

/** All the policy looks at. */
export interface SearchState {
  readonly prompt: SeenPrompt;
  readonly tools: Toolbox;
  readonly terms: readonly SearchTerm[];
  readonly evidence: Evidence;
}

/** All that has been seen so far: lines of files, and names of files. */
export interface Evidence {
  /** Path → line number → text. */
  readonly files: ReadonlyMap<string, ReadonlyMap<number, string>>;
  readonly paths: readonly string[];
  /** Files whose text was read or given, as against lines that only a search showed. */
  readonly read: ReadonlySet<string>;
  /** Search calls that found something. */
  readonly foundBy: readonly PastCall[];
}

/** Gathers what the context files and the observations of all calls show. */
export function gatherEvidence(
  { calls, contextFiles }: SeenPrompt,
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
    foundBy: searches.filter(({ hits }) => hits.length > 0).map(({ call }) => call),
  };
}

/** Blank lines say nothing and are left out. */
function byFile(texts: readonly Iterable<SeenLine>[]): Map<string, Map<number, string>> {
  const files = new Map<string, Map<number, string>>();
  for (const lines of texts) {
    for (const { path, line, text } of lines) {
      if (text.trim() === '') continue;
      const file = files.get(path) ?? new Map<number, string>();
      files.set(path, file.set(line, text));
    }
  }
  return files;
}
