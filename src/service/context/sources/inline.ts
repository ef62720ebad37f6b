import type { InlineContext } from '../../../contract/step-request.js';
import { byCodeUnits, portablePath } from '../../../files/portable-path.js';
import type { ContextSource, SourceFile, SourceFolder } from './context-source.js';

/**
 * Serves the contents that the request itself contains (`inline_context`). A path is found as written or in its
 * normalized form. Every prefix of a path that ends before a `/` is a folder. Does not access the file system.
 */
export function inlineSource({ files = [], pinned_items = [] }: InlineContext): ContextSource {
  const byName = filesByName(files);
  const sorted = [...byName.values()].sort((one, other) => byCodeUnits(one.path, other.path));
  const pinned = new Map(pinned_items.map((item) => [item.id, item]));
  const folders = new Map<string, SourceFolder>();
  return {
    async read(path) {
      const name = portablePath(path) ?? path;
      const cached = byName.get(name) ?? folders.get(name);
      if (cached) return cached;
      const folder = folderOf(name, sorted);
      if (folder) folders.set(name, folder); // reused for all spellings of the path
      return folder;
    },
    async readPinned(id) {
      const item = pinned.get(id);
      return item && { id, content: item.content, ...(item.title !== undefined && { title: item.title }) };
    },
  };
}

/** Returns files by name. If several files have one name, the first one is used. */
function filesByName(files: NonNullable<InlineContext['files']>): ReadonlyMap<string, SourceFile> {
  const byName = new Map<string, SourceFile>();
  for (const { path, content } of files) {
    const name = portablePath(path) ?? path;
    if (!byName.has(name)) byName.set(name, { type: 'file', path: name, content });
  }
  return byName;
}

function folderOf(path: string, sorted: readonly SourceFile[]): SourceFolder | undefined {
  const files = path === '.' ? sorted : filesBelow(path, sorted);
  if (files.length === 0) return undefined;
  let listing: readonly string[] | undefined;
  return {
    type: 'folder',
    path,
    files,
    get listing() {
      listing ??= files.map((file) => file.path); // lazy: most of many nested folders are never listed
      return listing;
    },
  };
}

/**
 * Finds the files below a folder in the sorted list: all paths that begin with `a/` come before `a0`, because `0`
 * directly follows `/` in Unicode.
 */
function filesBelow(folder: string, sorted: readonly SourceFile[]): readonly SourceFile[] {
  const start = countBefore(`${folder}/`, sorted);
  const end = countBefore(`${folder}0`, sorted);
  return end - start === sorted.length ? sorted : sorted.slice(start, end);
}

function countBefore(path: string, sorted: readonly SourceFile[]): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle]?.path ?? '') < path) low = middle + 1;
    else high = middle;
  }
  return low;
}
