import { yieldIfBusy } from '../../event-loop/yield-if-busy.js';
import { isSavedRun } from '../../files/list-folder.js';
import { defineTool, type Tool, type ToolContext } from '../../sdk/actions/define-tool.js';
import type { Folder } from '../folder/folder.js';
import { type FindLines, findLines, type MatchLines } from './find-lines.js';
import { atMost, beginningOf, showing, skipped } from './limits.js';
import { notesOn, readPattern } from './search-pattern.js';

/** Maximum number of characters shown of a line. */
const MAX_TEXT_LENGTH = 300;
const BATCH_SIZE = 16;

/** Options of a search tool. */
export interface SearchOptions {
  readonly matchLines: MatchLines;
  readonly maxMatches: number;
}

/**
 * Creates `search_code(pattern, path)`, which returns matches as `path:line: text`, with the indentation of the
 * text.
 */
export const searchCodeTool = (folder: Folder, { matchLines, maxMatches }: SearchOptions): Tool =>
  defineTool({
    name: 'search_code',
    defer: false,
    description: `Search the project's files for a regular expression, line by line${atMost(maxMatches, ' matches')}.`,
    inputSchema: {
      type: 'object',
      properties: {
        pattern: { type: 'string', description: 'Without capital letters, case does not matter.' },
        path: { type: 'string', description: 'A file or folder; default: the whole project.' },
      },
      required: ['pattern'],
    },
    annotations: { readOnlyHint: true },
    execute: async ({ pattern, path }, context) => {
      const { expression, isPlain } = readPattern(pattern);
      const search = { find: findLines(expression, matchLines), path: path || '.', maxMatches };
      const matches = await searchFiles(folder, search, context);
      return [renderMatches(matches), ...notesOn(pattern, { isPlain, found: matches.total })].join('\n');
    },
  });

interface Search {
  readonly find: FindLines;
  readonly path: string;
  readonly maxMatches: number;
}

interface Matches {
  readonly lines: readonly string[];
  readonly total: number;
  /** Numbers of files and folders that could not be read, without binary files. */
  readonly unreadable: { readonly files: number; readonly folders: number };
}

/** Searches every text file below the path. Skips binary and unreadable files. */
export async function searchFiles(folder: Folder, search: Search, context: ToolContext): Promise<Matches> {
  const lines: string[] = [];
  const unreadable = { files: 0, folders: 0 };
  let total = 0;
  for await (const { paths, unreadableFolders } of batchesBelow(folder, search.path, context)) {
    unreadable.folders += unreadableFolders;
    const texts = await Promise.all(paths.map((path) => searchableText(folder, path)));
    unreadable.files += texts.filter((text) => text === undefined).length;
    const whole = texts.map((text) => text ?? '');
    const matches = await findInEach(whole, search.find, context);
    for (const [index, found] of matches.entries()) {
      total += found.length;
      const room = Math.max(0, search.maxMatches - lines.length);
      lines.push(...found.slice(0, room).map(({ line, text }) => `${paths[index]}:${line}: ${clip(text)}`));
    }
  }
  return { lines, total, unreadable };
}

/** Searches texts together or, if that takes too long because many of them are long, one by one. */
async function findInEach(
  texts: readonly string[],
  find: FindLines,
  { signal }: ToolContext,
): ReturnType<FindLines> {
  try {
    return await find(texts);
  } catch {
    const found: Awaited<ReturnType<FindLines>> = [];
    for (const text of texts) {
      await yieldIfBusy(signal); // Each search may block for its whole time limit.
      found.push(...(await find([text])));
    }
    return found;
  }
}

export function renderMatches({ lines, total, unreadable }: Matches): string {
  const rest = 'narrow the pattern or give a path';
  const count = showing({ shown: lines.length, total, what: 'matches', rest });
  return [
    ...(total === 0 ? ['No matches.'] : [...lines, count]),
    ...skipped(unreadable.folders, 'folder'),
    ...skipped(unreadable.files, 'file'),
  ].join('\n');
}

interface Batch {
  readonly paths: readonly string[];
  readonly unreadableFolders: number;
}

/** Yields the files below a path in batches, ordered by path. */
async function* batchesBelow(folder: Folder, path: string, { signal }: ToolContext): AsyncGenerator<Batch> {
  if ((await folder.kindOf(path)) === 'file') {
    const name = await folder.nameOf(path);
    return yield { paths: isSavedRun(name) ? [] : [name], unreadableFolders: 0 };
  }
  let paths: string[] = [];
  let unreadableFolders = 0;
  for await (const entry of folder.walk(path, { signal })) {
    if (entry.type === 'unreadable') unreadableFolders += 1;
    if (entry.type === 'file') paths.push(entry.path);
    if (paths.length < BATCH_SIZE) continue;
    yield { paths, unreadableFolders };
    [paths, unreadableFolders] = [[], 0];
  }
  yield { paths, unreadableFolders };
}

/** Reads the text of a file for searching; empty if the file is binary, undefined if it cannot be read. */
async function searchableText(folder: Folder, path: string): Promise<string | undefined> {
  try {
    return (await folder.readIfText(path))?.content ?? '';
  } catch {
    return undefined;
  }
}

const clip = (text: string): string => {
  const line = text.trimEnd();
  return line.length > MAX_TEXT_LENGTH ? `${beginningOf(line, MAX_TEXT_LENGTH)} …` : line;
};
