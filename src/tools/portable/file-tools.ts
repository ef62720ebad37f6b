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

/** Options of the file tools. An undefined option has its default value. */
export interface FileToolOptions extends Omit<GivenLimits, 'commandTimeoutMs'> {
  /** Runs regular expressions that the model wrote, with a time limit, because they may backtrack forever. */
  readonly matchLines: MatchLines;
}

/**
 * Creates the file tools for any kind of folder: five that only read, and two that change files and need approval.
 * Throws `RangeError` for an invalid limit.
 */
export function createFileTools(folder: Folder, options: FileToolOptions): readonly Tool[] {
  return [...createFileReaders(folder, options), ...createFileWriters(folder)];
}

/** Creates the read-only file tools. Throws the same errors as `createFileTools`. */
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

/**
 * Creates the tools that change files. They share one record of approved changes, so that each of them knows what
 * the others wrote.
 */
export function createFileWriters(folder: Folder, onChange?: OnChange): readonly Tool[] {
  const changes = new ApprovedChanges(folder, onChange);
  return [editFileTool(changes), writeFileTool(changes)];
}
