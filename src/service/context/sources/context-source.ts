/**
 * A source of context (rule: source-order). It returns undefined for missing and forbidden files alike; then the next
 * source is queried. Rejects only with the signal's reason, or if the source is unavailable; then the other sources
 * are queried and the step continues.
 */
export interface ContextSource {
  /** Reads a file, or a folder with its text files. Paths are relative to the project and use `/`. */
  read(path: string, signal: AbortSignal): Promise<SourceFile | SourceFolder | undefined>;
  readPinned(id: string, signal: AbortSignal): Promise<PinnedItem | undefined>;
}

export interface SourceFile {
  readonly type: 'file';
  /** Path relative to the project, with `/`. */
  readonly path: string;
  readonly content: string;
  /** True if `content` is only the beginning of a larger file. */
  readonly cut?: boolean;
}

export interface SourceFolder {
  readonly type: 'folder';
  /** Path relative to the project; `.` is the project itself. */
  readonly path: string;
  /** All paths below the folder, relative to the project, in a stable order. */
  readonly listing: readonly string[];
  /** The folder's text files, in the order of `listing`. */
  readonly files: readonly SourceFile[];
  /** True if some entries below the folder are neither listed nor read. */
  readonly cut?: boolean;
}

export interface PinnedItem {
  readonly id: string;
  readonly title?: string;
  readonly content: string;
}

/** Pinned item ids that are safe in a file name and in a URL: no id begins with a dot. */
export const storedPinnedId = /^[A-Za-z0-9_][\w.-]{0,127}$/;
