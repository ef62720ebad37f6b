import { yieldIfBusy } from '../event-loop/yield-if-busy.js';
import { type FileTree, RefusedPath } from './file-tree.js';
import { enterFolder, listFolder, type OpenFolder } from './list-folder.js';
import { byCodeUnits } from './portable-path.js';

/** What a walk comes across. */
export interface WalkedEntry {
  /** Relative to the root, with `/`. */
  readonly path: string;
  /** `unreadable` is said of a folder, after it was told as one. */
  readonly type: 'file' | 'folder' | 'unreadable';
  /** Levels below where the walk began, from 1. */
  readonly depth: number;
}

/** How far a walk goes. */
export interface WalkOptions {
  readonly signal: AbortSignal;
  /** How many levels to go down; without it, all. */
  readonly maxDepth?: number;
}

/**
 * Everything below a folder in a stable order, folders after files of the same level; what `.gitignore` names,
 * secrets, saved runs and links are left out. A folder that cannot be read is told and passed over; only if it is
 * the first one, the walk throws `RefusedPath`. Gives the event loop its turns, also if its reader works on without
 * any; stops with the signal's reason.
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
      await yieldIfBusy(signal); // also for the reader, who works on each file
      yield { path: file, type: 'file', depth };
    }
    pending.push(...(listed?.folders ?? []).toReversed().map((each) => ({ folder: each, depth })));
  }
}

function toUnreadable(error: unknown): undefined {
  if (!(error instanceof RefusedPath)) throw error;
}

/** The files nearest to a folder. */
export interface NearestFiles {
  /** Relative to the root, by code units. */
  readonly paths: readonly string[];
  /** True if there are more: past a limit, or in a folder that could not be read. */
  readonly cut: boolean;
}

const MAX_ENTRIES_SEEN = 20_000;
const MAX_FILES = 2_000;
const MAX_DEPTH = 32;

/**
 * Lists the files below a folder, nearest first until a limit of work is reached; the same files that `walkFolder`
 * tells. Stops with the signal's reason.
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
