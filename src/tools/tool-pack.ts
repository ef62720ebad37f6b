import type { Tool } from '../sdk/actions/define-tool.js';
import { matchLinesInVm } from './match-lines-in-vm.js';
import { createFileReaders, createFileWriters } from './portable/file-tools.js';
import { ProjectRoot } from './project-root.js';
import { completeLimits, type GivenLimits } from './read/limits.js';
import { runCommandTool } from './run/run-command.js';
import { searchMemoryTool } from './search-memory.js';

/** What the tools of a pack may do. An option that is undefined is one left out. */
export interface ToolPackOptions extends GivenLimits {
  /** Where runs of this project are saved, for `search_memory`; without it, only `.stepwise/runs` of the project. */
  readonly savedRunsFolder?: string | undefined;
}

/** Tools that look at a folder and change nothing. Throws if there is no such folder or a limit is none. */
export async function createReadTools(
  folder: string,
  options: ToolPackOptions = {},
): Promise<readonly Tool[]> {
  return readTools(await ProjectRoot.open(folder), options);
}

/** All tools for a folder; those that change something ask for approval first. Throws as `createReadTools` does. */
export async function createToolPack(
  folder: string,
  options: ToolPackOptions = {},
): Promise<readonly Tool[]> {
  const root = await ProjectRoot.open(folder);
  const { commandTimeoutMs } = completeLimits(options);
  return [...readTools(root, options), ...createFileWriters(root), runCommandTool(root, commandTimeoutMs)];
}

function readTools(root: ProjectRoot, { savedRunsFolder, ...limits }: ToolPackOptions): readonly Tool[] {
  const readers = createFileReaders(root, { ...limits, matchLines: matchLinesInVm });
  return [...readers, searchMemoryTool(root, savedRunsFolder)];
}
