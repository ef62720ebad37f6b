/**
 * A place that context comes from (rule: source-order). `undefined` means "not here, ask the next source": a missing
 * file and a forbidden one look the same. Rejects only with the signal's reason or if the source is out of order;
 * then the other sources are asked and the step continues.
 */
export interface ContextSource {
  /** Reads a file, or a folder with its text files. Paths are relative to the project and use `/`. */
  read(path: string, signal: AbortSignal): Promise<SourceFile | SourceFolder | undefined>;
  readPinned(id: string, signal: AbortSignal): Promise<PinnedItem | undefined>;
}

export interface SourceFile {
  readonly type: 'file';
  /** Relative to the project, with `/`. */
  readonly path: string;
  readonly content: string;
  /** True if `content` is only the beginning of a larger file. */
  readonly cut?: boolean;
}

export interface SourceFolder {
  readonly type: 'folder';
  /** `.` is the project itself. */
  readonly path: string;
  /** All paths below the folder, relative to the project, in a stable order. */
  readonly listing: readonly string[];
  /** The folder's text files, in the same order. */
  readonly files: readonly SourceFile[];
  /** True if not everything below the folder is listed or read. */
  readonly cut?: boolean;
}

export interface PinnedItem {
  readonly id: string;
  readonly title?: string;
  readonly content: string;
}

/** Ids that are safe in a file name and in a URL: none begins with a dot. */
export const storedPinnedId = /^[A-Za-z0-9_][\w.-]{0,127}$/;
