import { ToolError } from '../../sdk/actions/tool-errors.js';
import type { RunContext } from '../../sdk/run/run-options.js';
import type { ProjectRoot } from '../../tools/project-root.js';
import { UsageError } from '../commands/usage.js';
import { isThere, withoutLines } from './mentions.js';

/** Maximum characters of all files. The service accepts 4 MiB, and the history needs space too. */
const MAX_CHARACTERS = 2_000_000;
const MAX_FILES = 500;

/** Name under which the model sees piped input. */
const PIPED_INPUT_NAME = 'stdin';

interface Tagged {
  readonly files: readonly string[];
  readonly pins: readonly string[];
  /** Piped input, if there is a task besides it. */
  readonly piped?: string | undefined;
}

/**
 * Reads the files that a person tagged. Their text is sent with the request, so a remote service works too. Throws
 * `UsageError` if a file does not exist.
 */
export async function readTaggedFiles(
  root: ProjectRoot,
  { files, pins, piped }: Tagged,
): Promise<RunContext> {
  const contents = new Map<string, string>();
  for (const file of files) await readInto(contents, root, file);
  const pinned_items = [];
  for (const id of pins) pinned_items.push({ id, content: await readPin(root, id) });
  if (piped !== undefined) contents.set(PIPED_INPUT_NAME, piped);
  return {
    paths: [...files, ...(piped === undefined ? [] : [PIPED_INPUT_NAME])],
    pinned: [...pins],
    inline: { files: [...contents].map(([path, content]) => ({ path, content })), pinned_items },
  };
}

async function readInto(contents: Map<string, string>, root: ProjectRoot, tagged: string): Promise<void> {
  const path = (await isThere(root, tagged)) ? tagged : withoutLines(tagged);
  const before = contents.size;
  for await (const file of filesBelow(root, path)) {
    const text = await root.readIfText(file).catch(skipUnreadable);
    if (text?.isUtf8) contents.set(file, text.content);
    const total = [...contents.values()].reduce((sum, content) => sum + content.length, 0);
    if (total > MAX_CHARACTERS || contents.size > MAX_FILES)
      throw new UsageError(
        `"${tagged}" is too large for one request: at most 500 files and 2,000,000 characters.`,
      );
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
    return await root.nameOf(path);
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

function skipUnreadable(error: unknown): undefined {
  if (error instanceof ToolError) return undefined;
  throw error;
}
