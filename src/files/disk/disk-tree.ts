import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type FileEntry, type FileTree, RefusedPath } from '../file-tree.js';
import { checkByWalk, kernelKnowsPaths, openContained } from './open-contained.js';
import { readText } from './read-text.js';

/** Returns a folder of this machine as a file tree. No path or link in the tree leads out of the folder. */
export const diskTree = (root: string): FileTree => ({
  list: (folder) => list(root, folder),
  readText: async (path, maxBytes) => {
    const opened = await openContained(root, path);
    try {
      return await readText(opened, maxBytes);
    } finally {
      await opened.handle.close();
    }
  },
});

async function list(root: string, folder: string): Promise<FileEntry[]> {
  const opened = await openContained(root, folder);
  try {
    const entries = await entriesOf(opened.handle, join(root, opened.path), root);
    return entries.map((entry) => ({ name: entry.name, type: typeOf(entry) }));
  } catch (error) {
    throw new RefusedPath('unreadable', { cause: error });
  } finally {
    await opened.handle.close();
  }
}

type Entry = Awaited<ReturnType<typeof entriesOf>>[number];

/**
 * Lists an opened directory by its file descriptor. On systems without /proc, lists it by path, and only if the
 * path still leads to the opened directory.
 */
async function entriesOf(handle: Parameters<typeof checkByWalk>[0], path: string, root: string) {
  if (kernelKnowsPaths) return readdir(`/proc/self/fd/${handle.fd}`, { withFileTypes: true });
  const entries = await readdir(path, { withFileTypes: true });
  return (await checkByWalk(handle, root, path)) ? entries : [];
}

function typeOf(entry: Entry): FileEntry['type'] {
  if (entry.isFile()) return 'file';
  return entry.isDirectory() ? 'folder' : 'other';
}
