import type { FileEntry } from '../../files/file-tree.js';

/**
 * Where files lie that are not on this machine's disk: memory, a folder picked in a browser, an editor's workspace. It
 * knows nothing of models: the paths it is given are relative, in normal form, with `/`, `.` for the folder itself, and
 * never lead out of it. What it throws is told to the model as a file that cannot be read. Links are `other`: nothing
 * follows them.
 */
export interface FileStore {
  /** What lies at a path; undefined if nothing does. Throws where a folder above it is none. */
  typeOf(path: string): Promise<FileEntry['type'] | undefined>;
  /** What lies in a folder, in any order. Throws for what is no folder. */
  list(folder: string): Promise<readonly FileEntry[]>;
  /** A file, to be read. Throws for what is no file. */
  open(path: string): Promise<StoredFile>;
  /** Writes a whole file, with the folders that are missing. */
  write(path: string, change: StoredChange): Promise<void>;
}

/** As much of a browser's `File` or `Blob` as is read. */
export interface StoredFile {
  /** In bytes. */
  readonly size: number;
  /** A part of the file; nothing is read before `arrayBuffer` is called. */
  slice(start: number, end: number): { arrayBuffer(): Promise<ArrayBuffer> };
}

/** What to write. */
export interface StoredChange {
  readonly text: string;
  /** Called when all is ready but the last move; if it throws, the file stays as it was. */
  readonly confirm: () => Promise<void>;
}
