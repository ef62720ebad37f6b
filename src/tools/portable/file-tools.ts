import type { Tool } from '../../sdk/actions/define-tool.js';
import type { Folder } from '../folder/folder.js';
import { findDefinitionTool } from '../read/find-definition.js';
import type { MatchLines } from '../read/find-lines.js';
import { getFileTreeTool } from '../read/get-file-tree.js';
import { completeLimits, type GivenLimits } from '../read/limits.js';
import { listFilesTool } from '../read/list-files.js';
import { readFileTool } from '../read/read-file.js';
import { searchCodeTool } from '../read/search-code.js';
import { ApprovedChanges, type OnChange } from '../write/approved-changes.js';
import { editFileTool } from '../write/edit-file.js';
import { writeFileTool } from '../write/write-file.js';

/** How file tools search, and how much they show. An option that is undefined is one left out. */
export interface FileToolOptions extends Omit<GivenLimits, 'commandTimeoutMs'> {
  /** Where a model's regular expressions are run, so that one that backtracks for ever can be given up. */
  readonly matchLines: MatchLines;
}

/**
 * The tools over files of a folder, wherever it lies: five that look, and two that change and ask for approval first.
 * Throws `RangeError` for a limit that is none.
 */
export function createFileTools(folder: Folder, options: FileToolOptions): readonly Tool[] {
  return [...createFileReaders(folder, options), ...createFileWriters(folder)];
}

/** The tools that look at files and change nothing. Throws as `createFileTools` does. */
export function createFileReaders(
  folder: Folder,
  { matchLines, ...given }: FileToolOptions,
): readonly Tool[] {
  const { maxLines, maxFiles, maxMatches } = completeLimits(given);
  return [
    searchCodeTool(folder, { matchLines, maxMatches }),
    readFileTool(folder, maxLines),
    listFilesTool(folder, maxFiles),
    getFileTreeTool(folder, maxFiles),
    findDefinitionTool(folder, { matchLines, maxMatches }),
  ];
}

/** The tools that change files: one memory of what was approved, for they write the same files. */
export function createFileWriters(folder: Folder, onChange?: OnChange): readonly Tool[] {
  const changes = new ApprovedChanges(folder, onChange);
  return [editFileTool(changes), writeFileTool(changes)];
}
