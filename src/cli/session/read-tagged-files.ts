import { ToolError } from '../../sdk/actions/tool-errors.js';
import type { RunContext } from '../../sdk/run/run-options.js';
import { ProjectRoot } from '../../tools/project-root.js';
import { UsageError } from '../commands/usage.js';

/** What a request can carry: the service takes 4 MiB, and the history wants room too. In characters. */
const MAX_TOTAL = 2_000_000;
const MAX_FILES = 500;

/**
 * Reads the files that a person tagged, so that they travel with the request and a remote service works the same.
 * Throws `UsageError` for what is not there.
 */
export async function readTaggedFiles(
  folder: string,
  { files, pins }: { files: readonly string[]; pins: readonly string[] },
): Promise<RunContext> {
  const root = await ProjectRoot.open(folder);
  const contents = new Map<string, string>();
  for (const file of files) await readInto(contents, root, file);
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

async function readInto(contents: Map<string, string>, root: ProjectRoot, tagged: string): Promise<void> {
  const path = (await exists(root, tagged)) ? tagged : withoutLines(tagged);
  const before = contents.size;
  for await (const file of filesBelow(root, path)) {
    const text = await root.readIfText(file).catch(skipUnreadable);
    if (text?.isUtf8) contents.set(file, text.content);
    const total = [...contents.values()].reduce((sum, content) => sum + content.length, 0);
    if (total > MAX_TOTAL || contents.size > MAX_FILES)
      throw new UsageError(`"${tagged}" is too much for one request.`);
  }
  if (contents.size === before && !contents.has(path))
    throw new UsageError(`"${tagged}" is not a readable file of --dir.`);
}

async function* filesBelow(root: ProjectRoot, path: string): AsyncGenerator<string> {
  const name = await nameOf(root, path);
  if ((await root.kindOf(name)) === 'folder') {
    const { signal } = new AbortController();
    for await (const entry of root.walk(name, { signal })) if (entry.type === 'file') yield entry.path;
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
    return (await root.readText(`.stepwise/pinned/${id}.md`)).content;
  } catch {
    throw new UsageError(`There is no pinned item "${id}" (.stepwise/pinned/${id}.md).`);
  }
}

const exists = async (root: ProjectRoot, path: string): Promise<boolean> =>
  (await root.kindOf(path).catch(() => undefined)) !== undefined;

const withoutLines = (path: string): string => path.replace(/:\d+(?:-\d+)?$/, '');

function skipUnreadable(error: unknown): undefined {
  if (error instanceof ToolError) return undefined;
  throw error;
}
