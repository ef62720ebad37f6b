import type { FileEntry } from '../../files/file-tree.js';

/**
 * Storage for files that are not on the local disk, such as memory, a folder picked in a browser, or an editor's
 * workspace. Paths are relative and normalized, with `/` as separator, `.` for the root, and no `..`. If a method
 * throws, the tools tell the model only that the file cannot be read. Symbolic links have the type `other` and are
 * never followed.
 */
export interface FileStore {
  /** Returns the type of an entry; undefined if it does not exist. Throws if a parent is not a folder. */
  typeOf(path: string): Promise<FileEntry['type'] | undefined>;
  /** Lists a folder in any order. Throws if the path is not a folder. */
  list(folder: string): Promise<readonly FileEntry[]>;
  /** Opens a file for reading. Throws if the path is not a file. */
  open(path: string): Promise<StoredFile>;
  /** Writes a whole file. Creates missing folders. */
  write(path: string, change: StoredChange): Promise<void>;
}

/** Those members of a browser's `File` or `Blob` that the tools use. */
export interface StoredFile {
  /** Size in bytes. */
  readonly size: number;
  /** Returns a part of the file; reads it only when `arrayBuffer` is called. */
  slice(
    start: number,
    end: number,
  ): {
    /** Reads the bytes from `start` up to `end`, or up to the end of the file. Rejects if the file cannot be read. */
    arrayBuffer(): Promise<ArrayBuffer>;
  };
}

/** A new text to store in a file. */
export interface StoredChange {
  /** The whole new text of the file, to be stored as UTF-8. */
  readonly text: string;
  /** Must be called right before the file is replaced. If it rejects, the store must leave the file unchanged. */
  readonly confirm: () => Promise<void>;
}
