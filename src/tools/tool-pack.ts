import type { Tool } from '../sdk/actions/define-tool.js';
import { ProjectRoot } from './project-root.js';
import { findDefinitionTool } from './read/find-definition.js';
import { getFileTreeTool } from './read/get-file-tree.js';
import { listFilesTool } from './read/list-files.js';
import { readFileTool } from './read/read-file.js';
import { searchCodeTool } from './read/search-code.js';
import { searchMemoryTool } from './read/search-memory.js';
import { runCommandTool } from './run/run-command.js';
import { editFileTool } from './write/edit-file.js';
import { writeFileTool } from './write/write-file.js';

type ToolOfRoot = (root: ProjectRoot) => Tool;

const readTools: readonly ToolOfRoot[] = [
  searchCodeTool,
  readFileTool,
  listFilesTool,
  getFileTreeTool,
  findDefinitionTool,
  searchMemoryTool,
];
const changeTools: readonly ToolOfRoot[] = [editFileTool, writeFileTool, runCommandTool];

/** Tools that look at a folder and change nothing. Throws if there is no such folder. */
export async function createReadTools(folder: string): Promise<readonly Tool[]> {
  const root = await ProjectRoot.open(folder);
  return readTools.map((create) => create(root));
}

/** All tools for a folder; those that change something ask for approval first. Throws if there is no such folder. */
export async function createToolPack(folder: string): Promise<readonly Tool[]> {
  const root = await ProjectRoot.open(folder);
  return [...readTools, ...changeTools].map((create) => create(root));
}
