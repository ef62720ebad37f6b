import type { Tool } from '../sdk/actions/define-tool.js';
import { matchLinesInVm } from './match-lines-in-vm.js';
import { createFileReaders, createFileWriters } from './portable/file-tools.js';
import { ProjectRoot } from './project-root.js';
import { completeLimits, type GivenLimits } from './read/limits.js';
import { runCommandTool } from './run/run-command.js';
import { searchMemoryTool } from './search-memory.js';

/** Options of a tool pack. An undefined option has its default. */
export interface ToolPackOptions extends GivenLimits {
  /** Folder with saved runs that `search_memory` searches in addition to `.stepwise/runs` of the project. */
  readonly savedRunsFolder?: string | undefined;
}

/** Creates the read-only tools for a folder. Throws if the folder does not exist or a limit is invalid. */
export async function createReadTools(
  folder: string,
  options: ToolPackOptions = {},
): Promise<readonly Tool[]> {
  return readTools(await ProjectRoot.open(folder), options);
}

/** Creates all tools for a folder. Tools that change something need approval. Throws the same errors as `createReadTools`. */
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
