import { yieldIfBusy } from '../event-loop/yield-if-busy.js';
import { type FileTree, RefusedPath } from './file-tree.js';
import { enterFolder, listFolder, type OpenFolder } from './list-folder.js';
import { byCodeUnits } from './portable-path.js';

/** An entry that a walk found below its first folder. */
export interface WalkedEntry {
  /** Path relative to the root, with `/`. */
  readonly path: string;
  /** Type of the entry. `unreadable` is a second report of a folder that could not be listed. */
  readonly type: 'file' | 'folder' | 'unreadable';
  /** Depth below the start of the walk; 1 for the entries of the first folder. */
  readonly depth: number;
}

/** Options of a walk through a folder. */
export interface WalkOptions {
  /** Ends the walk: once the signal is aborted, the request for the next entry rejects with the signal's reason. */
  readonly signal: AbortSignal;
  /** Maximum number of levels to descend; 1 yields only the folder's own entries. Default: all. */
  readonly maxDepth?: number;
}

/**
 * Yields everything below a folder in a stable order, folders after files of the same level. Omits links, secret
 * files, saved runs, and entries that `.gitignore` excludes. Reports a folder that it cannot read and continues;
 * throws `RefusedPath` only if that is the first folder. Yields to the event loop even if its consumer never waits.
 * Throws the signal's reason once the signal is aborted.
 */
export async function* walkFolder(
  tree: FileTree,
  folder: string,
  { signal, maxDepth = Number.POSITIVE_INFINITY }: WalkOptions,
): AsyncGenerator<WalkedEntry> {
  signal.throwIfAborted();
  const first = await enterFolder(tree, folder, signal);
  const pending = first ? [{ folder: first, depth: 0 }] : [];
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { path } = next.folder;
    if (next.depth > 0) yield { path, type: 'folder', depth: next.depth };
    if (next.depth >= maxDepth) continue;
    signal.throwIfAborted();
    const depth = next.depth + 1;
    const listed = await listFolder(tree, next.folder, signal).catch(depth > 1 ? toUnreadable : undefined);
    if (!listed) yield { path, type: 'unreadable', depth: next.depth };
    for (const file of listed?.files ?? []) {
      await yieldIfBusy(signal); // This also lets a synchronous consumer yield.
      yield { path: file, type: 'file', depth };
    }
    pending.push(...(listed?.folders ?? []).toReversed().map((each) => ({ folder: each, depth })));
  }
}

function toUnreadable(error: unknown): undefined {
  if (!(error instanceof RefusedPath)) throw error;
}

/** The files below a folder that are nearest to it. */
export interface NearestFiles {
  /** Paths relative to the root, ordered by code units. */
  readonly paths: readonly string[];
  /** True if the list is incomplete, because a limit was reached or a folder could not be read. */
  readonly cut: boolean;
}

const MAX_ENTRIES_SEEN = 20_000;
const MAX_FILES = 2_000;
const MAX_DEPTH = 32;

/**
 * Lists the files below a folder, nearest first, until a limit on their number or on the work is reached.
 * `walkFolder` would yield the same files. Throws the signal's reason once the signal is aborted.
 */
export async function listNearest(
  tree: FileTree,
  folder: string,
  signal: AbortSignal,
): Promise<NearestFiles> {
  const first = await enterFolder(tree, folder, signal);
  const files: string[] = [];
  let level: readonly OpenFolder[] = first ? [first] : [];
  let seen = 0;
  let cut = false;
  for (let depth = 0; level.length > 0 && depth < MAX_DEPTH; depth += 1) {
    const below: OpenFolder[] = [];
    for (const each of level) {
      signal.throwIfAborted();
      const found = await listFolder(tree, each, signal).catch(toUnreadable);
      cut ||= !found;
      seen += found?.seen ?? 0;
      files.push(...(found?.files ?? []));
      below.push(...(found?.folders ?? []));
      if (files.length > MAX_FILES || seen > MAX_ENTRIES_SEEN) return nearest(files, true);
    }
    level = below;
  }
  return nearest(files, cut || level.length > 0);
}

function nearest(files: string[], cut: boolean): NearestFiles {
  return { paths: files.slice(0, MAX_FILES).sort(byCodeUnits), cut };
}
