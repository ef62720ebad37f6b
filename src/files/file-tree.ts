import type { FileText } from './file-text.js';

/** One name in a folder. `other` is what is neither: a link, a device. */
export interface FileEntry {
  readonly name: string;
  readonly type: 'file' | 'folder' | 'other';
}

/**
 * Folders and files that can be walked, wherever they lie: on a disk, in memory, in a browser. Paths are relative to
 * the tree's root, in normal form, with `/`; `.` is the root.
 */
export interface FileTree {
  /** What lies in a folder, in any order. Throws `RefusedPath` for what is no folder or cannot be listed. */
  list(folder: string): Promise<readonly FileEntry[]>;
  /** At most `maxBytes` of a file as text; undefined for a binary one. Throws `RefusedPath`. */
  readText(path: string, maxBytes: number): Promise<FileText | undefined>;
}

/** A path that is not opened. */
export class RefusedPath extends Error {
  override readonly name = 'RefusedPath';
  /**
   * `outside` if it leads out of the root, whether there is something or not; `unreadable` for what is missing,
   * forbidden, neither file nor folder, or failed for the reason in `cause`.
   */
  readonly reason: 'outside' | 'unreadable';

  constructor(reason: 'outside' | 'unreadable', options?: ErrorOptions) {
    super(`The path is ${reason}.`, options);
    this.reason = reason;
  }
}
