import { ToolError } from '../../sdk/actions/tool-errors.js';
import type { RunContext } from '../../sdk/run/run-options.js';
import { ProjectRoot } from '../../tools/project-root.js';
import { readText } from '../../tools/read-text.js';
import { walkFiles } from '../../tools/walk-files.js';
import { UsageError } from '../commands/read-arguments.js';

/** What a request can carry: the service takes 4 MiB, and the history wants room too. In characters. */
const maxTotal = 2_000_000;
const maxFiles = 500;

export interface ContextWishes {
  readonly files: readonly string[];
  readonly pins: readonly string[];
}

/**
 * Reads the files that a person tagged, so that they travel with the request and a remote service works the same.
 * Throws `UsageError` for what is not there.
 */
export async function gatherContext(folder: string, { files, pins }: ContextWishes): Promise<RunContext> {
  const root = await ProjectRoot.open(folder);
  const contents = new Map<string, string>();
  for (const wish of files) await readInto(contents, root, wish);
  const pinned_items = [];
  for (const id of pins) pinned_items.push({ id, content: await readPin(root, id) });
  return {
    paths: [...files],
    pinned: [...pins],
    inline: { files: [...contents].map(([path, content]) => ({ path, content })), pinned_items },
  };
}

/** The `@path` words of a task that name something in the folder; all others are words like any other. */
export async function taggedPaths(folder: string, task: string): Promise<readonly string[]> {
  const root = await ProjectRoot.open(folder);
  const words = [...task.matchAll(/(?<!\S)@(?:"([^"]+)"|(\S+?))(?=[,;.?!)]*(?:\s|$))/g)];
  const paths: string[] = [];
  for (const [, quoted, plain] of words) {
    const path = quoted ?? plain ?? '';
    if (await exists(root, withoutLines(path))) paths.push(path);
  }
  return paths;
}

async function readInto(contents: Map<string, string>, root: ProjectRoot, wish: string): Promise<void> {
  const path = (await exists(root, wish)) ? wish : withoutLines(wish);
  const before = contents.size;
  for await (const file of filesBelow(root, path)) {
    const text = await readText(root, file).catch(skipUnreadable);
    if (text !== undefined) contents.set(file, text);
    const total = [...contents.values()].reduce((sum, content) => sum + content.length, 0);
    if (total > maxTotal || contents.size > maxFiles)
      throw new UsageError(`"${wish}" is too much for one request.`);
  }
  if (contents.size === before && !contents.has(path))
    throw new UsageError(`"${wish}" is not a readable file of --dir.`);
}

async function* filesBelow(root: ProjectRoot, path: string): AsyncGenerator<string> {
  const name = await nameOf(root, path);
  if (await isFolder(root, path)) {
    const { signal } = new AbortController();
    for await (const entry of walkFiles(root, name, { signal })) if (entry.type === 'file') yield entry.path;
  } else yield name;
}

async function nameOf(root: ProjectRoot, path: string): Promise<string> {
  try {
    return root.name(await root.locate(path));
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

async function readPin(root: ProjectRoot, id: string): Promise<string> {
  try {
    return await readText(root, `.stepwise/pinned/${id}.md`);
  } catch {
    throw new UsageError(`There is no pinned item "${id}" (.stepwise/pinned/${id}.md).`);
  }
}

const isFolder = (root: ProjectRoot, path: string): Promise<boolean> =>
  root.useFolder(path, async () => true).catch(() => false);

async function exists(root: ProjectRoot, path: string): Promise<boolean> {
  if (await isFolder(root, path)) return true;
  const handle = await root.openFile(path).catch(() => undefined);
  await handle?.close();
  return handle !== undefined;
}

const withoutLines = (path: string): string => path.replace(/:\d+(?:-\d+)?$/, '');

function skipUnreadable(error: unknown): undefined {
  if (error instanceof ToolError) return undefined;
  throw error;
}
