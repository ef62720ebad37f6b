import type { Tool } from '../sdk/define-tool.js';
import { getFileTreeTool } from './get-file-tree.js';
import { listFilesTool } from './list-files.js';
import { ProjectRoot } from './project-root.js';
import { readFileTool } from './read-file.js';
import { searchCodeTool } from './search-code.js';

/** Tools that look at a folder and change nothing. Throws if there is no such folder. */
export async function createReadTools(folder: string): Promise<readonly Tool[]> {
  const root = await ProjectRoot.open(folder);
  return [readFileTool, listFilesTool, getFileTreeTool, searchCodeTool].map((create) => create(root));
}
