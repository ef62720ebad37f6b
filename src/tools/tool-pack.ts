import type { Tool } from '../sdk/define-tool.js';
import { editFileTool } from './edit-file.js';
import { findDefinitionTool } from './find-definition.js';
import { getFileTreeTool } from './get-file-tree.js';
import { listFilesTool } from './list-files.js';
import { ProjectRoot } from './project-root.js';
import { readFileTool } from './read-file.js';
import { runCommandTool } from './run-command.js';
import { searchCodeTool } from './search-code.js';
import { searchMemoryTool } from './search-memory.js';
import { writeFileTool } from './write-file.js';

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
