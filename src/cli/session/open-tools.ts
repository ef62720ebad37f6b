import { realpath } from 'node:fs/promises';
import type { Tool } from '../../sdk/actions/define-tool.js';
import { createToolPack } from '../../tools/tool-pack.js';
import { type RunFlags, UsageError } from '../commands/read-arguments.js';
import { loadTools } from './load-tools.js';
import { savedRunsFolder } from './saved-runs.js';

/** The tool pack over `--dir` and the tools of `--tools`. */
export async function openTools({ dir, tools }: Pick<RunFlags, 'dir' | 'tools'>): Promise<readonly Tool[]> {
  const folder = await folderAt(dir);
  const pack = await createToolPack(folder, { savedRunsFolder: savedRunsFolder(folder) });
  const all = tools === undefined ? pack : [...pack, ...(await loadTools(tools))];
  const names = all.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new UsageError(`There are two tools with the name ${twice}.`);
  return all;
}

/** The folder's real path. Throws `UsageError` where there is none. */
export async function folderAt(dir: string): Promise<string> {
  try {
    return await realpath(dir);
  } catch {
    throw new UsageError(`There is no folder ${dir}.`);
  }
}
