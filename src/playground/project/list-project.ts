import type { Folder } from '../../tools/portable/index.js';

/** The files of a project, as far as they are found. */
export interface Listing {
  readonly paths: readonly string[];
  /** Folders that could not be read. */
  readonly unreadable: number;
  /** False while it is still looked for more; `cut` once there were too many to go on. */
  readonly isDone: boolean | 'cut';
}

/** More cannot be looked through in a tree, and each takes memory; tools find what is beyond all the same. */
export const MAX_LISTED_FILES = 50_000;
/** In milliseconds: a tree that changes with every file cannot be used. Waits grow, since each copies what is there. */
const FIRST_LOOK_MS = 150;
const WAIT_GROWTH = 2;

/** Lists a folder, and tells now and then how far it is. Throws what the walk throws. */
export async function* listProject(folder: Folder, signal: AbortSignal): AsyncGenerator<Listing> {
  const paths: string[] = [];
  let unreadable = 0;
  let wait = FIRST_LOOK_MS;
  let next = performance.now() + wait;
  for await (const { path, type } of folder.walk('.', { signal })) {
    if (type === 'unreadable') unreadable += 1;
    if (type === 'file' && paths.push(path) >= MAX_LISTED_FILES)
      return yield { paths, unreadable, isDone: 'cut' };
    if (performance.now() < next) continue;
    yield { paths: [...paths], unreadable, isDone: false };
    wait *= WAIT_GROWTH;
    next = performance.now() + wait;
  }
  yield { paths, unreadable, isDone: true };
}
