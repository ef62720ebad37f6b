import type { FileText } from './file-text.js';

/** An entry of a folder. The type `other` is anything except a file or a folder, such as a link or a device. */
export interface FileEntry {
  /** Last part of the path, without `/`. */
  readonly name: string;
  /** Decides whether tools read the entry, descend into it, or leave it out (`other`). */
  readonly type: 'file' | 'folder' | 'other';
}

/**
 * Folders and files that can be walked: on a disk, in memory, or in a browser. Paths are relative to the tree's
 * root, normalized, with `/`; `.` is the root itself.
 */
export interface FileTree {
  /** Lists a folder, in any order. Throws `RefusedPath` if the path is not a folder or cannot be listed. */
  list(folder: string): Promise<readonly FileEntry[]>;
  /** Reads at most `maxBytes` of a file as text. Resolves to undefined for a binary file. Throws `RefusedPath`. */
  readText(path: string, maxBytes: number): Promise<FileText | undefined>;
}

/** Error for a path that must not be opened or cannot be opened. */
export class RefusedPath extends Error {
  override readonly name = 'RefusedPath';
  /**
   * `outside` if the path leads out of the root, whether or not it exists. `unreadable` if it is missing,
   * forbidden, neither file nor folder, or if reading it failed; `cause` then has the reason.
   */
  readonly reason: 'outside' | 'unreadable';

  constructor(reason: 'outside' | 'unreadable', options?: ErrorOptions) {
    super(`The path is ${reason}.`, options);
    this.reason = reason;
  }
}
