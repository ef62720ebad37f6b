/**
 * A place that context comes from (rule: source-order). `undefined` means "not here, ask the next one": a missing file
 * and a forbidden one look the same from outside. Rejects only with the signal's reason, or if the place
 * itself is out of order: then the others are asked, and the step goes on.
 */
export interface ContextSource {
  /** A file, or a folder with its text files, by a path with `/` between its parts, relative to the project. */
  read(path: string, signal: AbortSignal): Promise<SourceFile | SourceFolder | undefined>;
  readPinned(id: string, signal: AbortSignal): Promise<PinnedItem | undefined>;
}

export interface SourceFile {
  readonly type: 'file';
  /** Relative to the project, with `/`. */
  readonly path: string;
  readonly content: string;
  /** True if the file was larger than is read: `content` is its beginning. */
  readonly cut?: boolean;
}

export interface SourceFolder {
  readonly type: 'folder';
  /** `.` is the project itself. */
  readonly path: string;
  /** All paths below the folder, relative to the project, in a stable order. */
  readonly listing: readonly string[];
  /** Its text files, in the same order. */
  readonly files: readonly SourceFile[];
  /** True if there was more below the folder than is listed or read. */
  readonly cut?: boolean;
}

export interface PinnedItem {
  readonly id: string;
  readonly title?: string;
  readonly content: string;
}

/** Ids that may stand in a file name or in a URL: none begins with a dot. */
export const storedPinnedId = /^[A-Za-z0-9_][\w.-]{0,127}$/;
