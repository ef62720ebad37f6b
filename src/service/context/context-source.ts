/**
 * A place that context comes from (SPEC §5). `undefined` means "not here, ask the next one": a missing file
 * and a forbidden one look the same from outside.
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
  /** True where the file was larger than is read: `content` is its beginning. */
  readonly cut?: boolean;
}

export interface SourceFolder {
  readonly type: 'folder';
  readonly path: string;
  /** All paths below the folder, in a stable order. */
  readonly listing: readonly string[];
  /** Its text files, in the same order. */
  readonly files: readonly SourceFile[];
}

export interface PinnedItem {
  readonly id: string;
  readonly title?: string;
  readonly content: string;
}
