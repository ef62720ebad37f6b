import type { FileText } from '../../files/file-text.js';
import type { WalkedEntry, WalkOptions } from '../../files/walk-folder.js';
import { ToolError } from '../../sdk/actions/tool-errors.js';

/** Maximum size of a file. Larger files are not source code, and a sparse file can report any size. */
export const MAX_FILE_BYTES = 8 * 1024 * 1024;

/**
 * The only folder that tools may access: on disk, in memory, or picked in a browser. Paths come from a model and may be any
 * text. Error messages are for the model: a path outside the folder is a `SecurityViolation`, and the third one ends the
 * run; missing and forbidden files throw the same `ToolError` (rule: containment).
 */
export interface Folder {
  /**
   * Normalizes a path: relative, with `/`; the folder itself is `.`. The file need not exist yet. Throws if the path is
   * outside or secret.
   */
  nameOf(path: string): Promise<string>;
  /** Returns the kind of an entry; undefined if it is missing, unreadable or forbidden. Throws for a path with a backslash or NUL. */
  kindOf(path: string): Promise<'file' | 'folder' | undefined>;
  /** Returns true if an entry exists. Throws `ToolError` if the path is forbidden or cannot be checked. */
  exists(path: string): Promise<boolean>;
  /** Reads a text file; undefined if it is binary. Throws `ToolError` if it is missing, forbidden or huge. */
  readIfText(path: string): Promise<FileText | undefined>;
  /** Yields all entries below a folder in the order of `walkFolder`. */
  walk(path: string, options: WalkOptions): AsyncGenerator<WalkedEntry>;
  /** Writes a whole file and creates missing folders. Throws `ToolError` if the old text is not `expected`. */
  write(path: string, change: TextChange): Promise<void>;
}

/** A file's text before and after a change. */
export interface ChangedFile {
  /** Path of the file as `Folder.nameOf` returns it, with links resolved. */
  readonly path: string;
  /** The old text; undefined if the file did not exist. */
  readonly before: string | undefined;
  /** The new text. */
  readonly after: string;
}

/** A new text for a file, and the old text that it replaces. */
export interface TextChange {
  /** The new text. */
  readonly text: string;
  /** The old text; undefined if the file does not exist yet. */
  readonly expected: string | undefined;
}

/** Reads a text file. Throws `ToolError` for binary and for huge files. */
export async function readText(folder: Pick<Folder, 'readIfText'>, path: string): Promise<FileText> {
  const text = await folder.readIfText(path);
  if (!text) throw new ToolError(`"${path}" is a binary file.`);
  return text;
}

/**
 * Reads the current text of a file; undefined if it does not exist. Throws `ToolError` for a file that is not UTF-8, since
 * writing it back would change its bytes.
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
