import type { FileText } from '../../files/file-text.js';
import type { WalkedEntry, WalkOptions } from '../../files/walk-folder.js';
import { ToolError } from '../../sdk/actions/tool-errors.js';

/** In bytes. What is larger is not source code, and a sparse file can claim any size. */
export const MAX_FILE_BYTES = 8 * 1024 * 1024;

/**
 * The one folder that tools may touch, wherever it lies: on this machine, in memory, picked in a browser. Paths are a
 * model's: any text. What goes wrong is an error that the model can read: a path outside the folder is a
 * `SecurityViolation`, of which the third ends a run; missing and forbidden are the same `ToolError`
 * (rule: containment).
 */
export interface Folder {
  /**
   * Where a path leads, as the folder names it: relative, with `/`; `.` is the folder itself. It need not exist yet.
   * Throws for what is outside or secret.
   */
  nameOf(path: string): Promise<string>;
  /** What lies there, or undefined for what is missing, cannot be read or is forbidden. Throws for a path that is misspelt. */
  kindOf(path: string): Promise<'file' | 'folder' | undefined>;
  /** Whether anything lies there. Throws `ToolError` where that cannot be told, and for what is forbidden. */
  exists(path: string): Promise<boolean>;
  /** The text of a file, or undefined if it is binary. Throws `ToolError` for what is missing, forbidden or huge. */
  readIfText(path: string): Promise<FileText | undefined>;
  /** Everything below a folder, as `walkFolder` tells it. */
  walk(path: string, options: WalkOptions): AsyncGenerator<WalkedEntry>;
  /** Writes a whole file, with its folders, or nothing. Throws `ToolError` where the old one is not as expected. */
  write(path: string, change: TextChange): Promise<void>;
}

/** A file's text before and after a change. */
export interface ChangedFile {
  /** As the folder, or the call that changes it, names it. */
  readonly path: string;
  /** Undefined for a file that was not there. */
  readonly before: string | undefined;
  /** The new text. */
  readonly after: string;
}

/** A file's text and the one it replaces. */
export interface TextChange {
  /** The new text. */
  readonly text: string;
  /** The text it is to replace; undefined if there is no file yet. */
  readonly expected: string | undefined;
}

/** The text of a file. Throws `ToolError` for binary and for huge files. */
export async function readText(folder: Pick<Folder, 'readIfText'>, path: string): Promise<FileText> {
  const text = await folder.readIfText(path);
  if (!text) throw new ToolError(`"${path}" is a binary file.`);
  return text;
}

/**
 * The file's text, or undefined where there is none. Throws `ToolError` for a file that is not UTF-8: written
 * back it would be another one.
 */
export async function currentText(
  folder: Pick<Folder, 'exists' | 'readIfText'>,
  path: string,
): Promise<string | undefined> {
  if (!(await folder.exists(path))) return undefined;
  const { content, isUtf8 } = await readText(folder, path);
  if (isUtf8) return content;
  throw new ToolError(
    `"${path}" is not UTF-8 text: writing it would destroy what it holds. Leave it as it is.`,
  );
}
