import type { Folder } from '../../tools/portable/index.js';

/** The files of a project found so far. */
export interface Listing {
  readonly paths: readonly string[];
  /** Number of folders that could not be read. */
  readonly unreadable: number;
  /** False during the walk; `cut` if it stopped at the maximum number of files. */
  readonly isDone: boolean | 'cut';
}

/** Maximum number of files in the tree, which bounds memory. Tools still find the files beyond it. */
export const MAX_LISTED_FILES = 50_000;
/** Delay before the first partial list. Later delays grow, since each list copies all the files found so far. */
const FIRST_LOOK_MS = 150;
const WAIT_GROWTH = 2;

/** Walks a folder and yields partial lists from time to time. Throws the errors of the walk. */
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
