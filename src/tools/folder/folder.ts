import type { FileText } from '../../files/file-text.js';
import type { WalkedEntry, WalkOptions } from '../../files/walk-folder.js';
import { ToolError } from '../../sdk/actions/tool-errors.js';

/** Maximum size of a file. Larger files are not source code, and a sparse file can report any size. */
export const MAX_FILE_BYTES = 8 * 1024 * 1024;

/**
 * The only folder that tools may access: on disk, in memory, or picked in a browser. Paths come from a model and
 * may be any text. Error messages are written for the model. A path outside the folder causes a
 * `SecurityViolation`, and the third one ends the run. Missing and forbidden files cause the same `ToolError`
 * (rule: containment).
 */
export interface Folder {
  /**
   * Normalizes a path: relative, with `/`; the folder itself is `.`. The file need not exist yet. Throws if the
   * path leads outside or is secret.
   */
  nameOf(path: string): Promise<string>;
  /**
   * Returns the kind of an entry; undefined if it is missing, unreadable or forbidden. Throws for a path that
   * `checkSpelling` rejects.
   */
  kindOf(path: string): Promise<'file' | 'folder' | undefined>;
  /** Returns true if an entry exists. Throws `ToolError` if the path is forbidden or cannot be checked. */
  exists(path: string): Promise<boolean>;
  /** Reads a text file; undefined if it is binary. Throws `ToolError` if it is missing, forbidden or huge. */
  readIfText(path: string): Promise<FileText | undefined>;
  /** Yields all entries below a folder in the order of `walkFolder`. */
  walk(path: string, options: WalkOptions): AsyncGenerator<WalkedEntry>;
  /**
   * Writes a whole file. Creates missing folders. Throws `ToolError` if the file's current text is not `expected`.
   */
  write(path: string, change: TextChange): Promise<void>;
}

/** A file's text before and after one or more changes. */
export interface ChangedFile {
  /** Path of the file as `Folder.nameOf` returns it, with links resolved. */
  readonly path: string;
  /** The text before the change; undefined if the file did not exist. */
  readonly before: string | undefined;
  /** The text after the change. */
  readonly after: string;
}

/** A new text for a file, together with the text that it must replace. */
export interface TextChange {
  /** The text to write. */
  readonly text: string;
  /** The text that the file must have before; undefined if the file must not exist yet. */
  readonly expected: string | undefined;
}

/** Reads a text file. Throws `ToolError` if the file is binary or too large. */
export async function readText(folder: Pick<Folder, 'readIfText'>, path: string): Promise<FileText> {
  const text = await folder.readIfText(path);
  if (!text) throw new ToolError(`"${path}" is a binary file.`);
  return text;
}

/**
 * Reads the current text of a file; undefined if it does not exist. Throws `ToolError` for a file that is not
 * UTF-8, because writing its text back would change its bytes.
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
