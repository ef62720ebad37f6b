import type { Tool } from '../sdk/actions/define-tool.js';
import { completeLimits, type GivenLimits, type ToolLimits } from './limits.js';
import { ProjectRoot } from './project-root.js';
import { findDefinitionTool } from './read/find-definition.js';
import { getFileTreeTool } from './read/get-file-tree.js';
import { listFilesTool } from './read/list-files.js';
import { readFileTool } from './read/read-file.js';
import { searchCodeTool } from './read/search-code.js';
import { searchMemoryTool } from './read/search-memory.js';
import { runCommandTool } from './run/run-command.js';
import { ApprovedChanges } from './write/approved-changes.js';
import { editFileTool } from './write/edit-file.js';
import { writeFileTool } from './write/write-file.js';

/** What the tools of a pack may do. An option that is undefined is one left out. */
export interface ToolPackOptions extends GivenLimits {
  /** Where runs of this project are saved, for `search_memory`; without it, only `.stepwise/runs` of the project. */
  readonly savedRunsFolder?: string | undefined;
}

/** What each tool of a pack is made from. */
interface PackParts extends ToolLimits {
  readonly root: ProjectRoot;
  readonly savedRunsFolder: string | undefined;
  /** One for all tools that write: they write the same files. */
  readonly changes: ApprovedChanges;
}

const readTools: readonly ((parts: PackParts) => Tool)[] = [
  ({ root, maxMatches }) => searchCodeTool(root, maxMatches),
  ({ root, maxLines }) => readFileTool(root, maxLines),
  ({ root, maxFiles }) => listFilesTool(root, maxFiles),
  ({ root, maxFiles }) => getFileTreeTool(root, maxFiles),
  ({ root, maxMatches }) => findDefinitionTool(root, maxMatches),
  ({ root, savedRunsFolder }) => searchMemoryTool(root, savedRunsFolder),
];

const changeTools: readonly ((parts: PackParts) => Tool)[] = [
  ({ changes }) => editFileTool(changes),
  ({ changes }) => writeFileTool(changes),
  ({ root, commandTimeoutMs }) => runCommandTool(root, commandTimeoutMs),
];

/** Tools that look at a folder and change nothing. Throws if there is no such folder or a limit is none. */
export async function createReadTools(
  folder: string,
  options: ToolPackOptions = {},
): Promise<readonly Tool[]> {
  const parts = await packParts(folder, options);
  return readTools.map((create) => create(parts));
}

/** All tools for a folder; those that change something ask for approval first. Throws as `createReadTools` does. */
export async function createToolPack(
  folder: string,
  options: ToolPackOptions = {},
): Promise<readonly Tool[]> {
  const parts = await packParts(folder, options);
  return [...readTools, ...changeTools].map((create) => create(parts));
}

async function packParts(folder: string, { savedRunsFolder, ...given }: ToolPackOptions): Promise<PackParts> {
  const root = await ProjectRoot.open(folder);
  return { ...completeLimits(given), root, savedRunsFolder, changes: new ApprovedChanges(root) };
}
