import type { Tool } from '../sdk/actions/define-tool.js';
import { matchLinesInVm } from './match-lines-in-vm.js';
import { createFileReaders, createFileWriters } from './portable/file-tools.js';
import { ProjectRoot } from './project-root.js';
import { completeLimits, type GivenLimits } from './read/limits.js';
import { runCommandTool } from './run/run-command.js';
import { searchMemoryTool } from './search-memory.js';

/** Options of a tool pack. An undefined option has its default. */
export interface ToolPackOptions extends GivenLimits {
  /** Folder with saved runs that `search_memory` searches in addition to the project's own `.stepwise/runs`. */
  readonly savedRunsFolder?: string | undefined;
  /**
   * Returns values that commands must not find in their environment, such as the model key in use. Variables whose
   * value contains one of them are removed. The usual variables for model keys, and other variables that repeat
   * their values, are always removed.
   */
  readonly secrets?: (() => readonly string[]) | undefined;
}

/** Creates the read-only tools for a folder. Throws if the folder does not exist or a limit is invalid. */
export async function createReadTools(
  folder: string,
  options: ToolPackOptions = {},
): Promise<readonly Tool[]> {
  return readTools(await ProjectRoot.open(folder), options);
}

/**
 * Creates all tools for a folder. The tools that change something need approval. Throws the same errors as
 * `createReadTools`.
 */
export async function createToolPack(
  folder: string,
  options: ToolPackOptions = {},
): Promise<readonly Tool[]> {
  const root = await ProjectRoot.open(folder);
  const { commandTimeoutMs: timeoutMs } = completeLimits(options);
  const { secrets = () => [] } = options;
  return [
    ...readTools(root, options),
    ...createFileWriters(root),
    runCommandTool(root, { timeoutMs, secrets }),
  ];
}

function readTools(
  root: ProjectRoot,
  { savedRunsFolder, secrets: _, ...limits }: ToolPackOptions,
): readonly Tool[] {
  const readers = createFileReaders(root, { ...limits, matchLines: matchLinesInVm });
  return [...readers, searchMemoryTool(root, savedRunsFolder)];
}
