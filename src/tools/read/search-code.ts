import { defineTool, type Tool, type ToolContext } from '../../sdk/actions/define-tool.js';
import { ToolError } from '../../sdk/actions/tool-errors.js';
import type { ProjectRoot } from '../project-root.js';
import { readText } from '../read-text.js';
import { walkFiles } from '../walk-files.js';
import { type LineMatch, linePattern } from './line-pattern.js';
import { showing } from './showing.js';

const maxMatches = 50;
/** In characters. */
const maxTextLength = 300;
const batchSize = 16;

/** `search_code(pattern, path)`: `path:line: text`, at most 50 matches. */
export const searchCodeTool = (root: ProjectRoot): Tool =>
  defineTool({
    name: 'search_code',
    description: `Search the project's files for a regular expression, line by line; at most ${maxMatches} matches.`,
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
      if (pattern === '') throw new ToolError('The pattern is empty.');
      return renderMatches(
        await searchFiles(root, { find: linePattern(pattern), path: path || '.' }, context),
      );
    },
  });

export interface Search {
  readonly find: (texts: readonly string[]) => readonly (readonly LineMatch[])[];
  readonly path: string;
}

export interface Matches {
  readonly lines: readonly string[];
  readonly total: number;
}

/** Looks through every text file below the path; binary and unreadable ones are passed over. */
export async function searchFiles(root: ProjectRoot, search: Search, context: ToolContext): Promise<Matches> {
  const lines: string[] = [];
  let total = 0;
  for await (const paths of batchesBelow(root, search.path, context)) {
    const texts = await Promise.all(paths.map((path) => readText(root, path).catch(skipUnreadable)));
    for (const [index, found] of search.find(texts).entries()) {
      total += found.length;
      const room = Math.max(0, maxMatches - lines.length);
      lines.push(...found.slice(0, room).map(({ line, text }) => `${paths[index]}:${line}: ${clip(text)}`));
    }
  }
  return { lines, total };
}

export function renderMatches({ lines, total }: Matches): string {
  if (total === 0) return 'No matches.';
  const count = { shown: lines.length, total, what: 'matches' };
  return [...lines, showing({ ...count, rest: 'narrow the pattern or give a path' })].join('\n');
}

/** The files in the order of their paths, as many as are searched at once. */
async function* batchesBelow(
  root: ProjectRoot,
  path: string,
  context: ToolContext,
): AsyncGenerator<string[]> {
  let batch: string[] = [];
  for await (const file of filesBelow(root, path, context)) {
    batch.push(file);
    if (batch.length < batchSize) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

async function* filesBelow(root: ProjectRoot, path: string, { signal }: ToolContext): AsyncGenerator<string> {
  if (await isFile(root, path)) return yield root.name(await root.locate(path));
  for await (const entry of walkFiles(root, path, { signal })) if (entry.type === 'file') yield entry.path;
}

async function isFile(root: ProjectRoot, path: string): Promise<boolean> {
  const handle = await root.openFile(path).catch((error) => {
    if (error instanceof ToolError) return undefined;
    throw error;
  });
  await handle?.close();
  return handle !== undefined;
}

function skipUnreadable(error: unknown): string {
  if (error instanceof ToolError) return '';
  throw error;
}

const clip = (text: string): string => {
  const trimmed = text.trim();
  return trimmed.length > maxTextLength ? `${trimmed.slice(0, maxTextLength)} …` : trimmed;
};
