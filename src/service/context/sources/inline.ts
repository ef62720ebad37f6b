import type { InlineContext } from '../../../contract/step-request.js';
import { byCodeUnits, portablePath } from '../../../files/portable-path.js';
import { eventLoopShare } from '../../event-loop/event-loop-share.js';
import type { ContextSource, SourceFile, SourceFolder } from './context-source.js';

/** What it books of the event loop to give a file its place in the order, or in a folder. */
const PLACING = 4;

/**
 * What the caller sent along (`inline_context`): no file system, no rule but that of names. A path is
 * found as it was written or in its normal form; what is before the last `/` of a path is a folder.
 */
export function inlineSource(inline: InlineContext): ContextSource {
  const files = new Map<string, SourceFile>();
  for (const { path, content } of inline.files ?? []) {
    const name = portablePath(path) ?? path;
    if (!files.has(name)) files.set(name, { type: 'file', path: name, content });
  }
  const pinned = new Map((inline.pinned_items ?? []).map((item) => [item.id, item]));
  const folders = new Map<string, SourceFolder | undefined>();
  let sorted: readonly SourceFile[] | undefined;
  return {
    async read(path, signal) {
      const name = portablePath(path) ?? path;
      const known = files.get(name) ?? folders.get(name);
      if (known || folders.has(name)) return known;
      if (!sorted) await eventLoopShare.take(PLACING * files.size, signal);
      sorted ??= [...files.values()].sort((one, other) => byCodeUnits(one.path, other.path));
      const folder = folders.get(name) ?? folderOf(name, sorted);
      folders.set(name, folder); // the same in all spellings
      await eventLoopShare.take(PLACING * (folder?.files.length ?? 0), signal);
      return folder;
    },
    async readPinned(id) {
      const item = pinned.get(id);
      return item && { id, content: item.content, ...(item.title !== undefined && { title: item.title }) };
    },
  };
}

function folderOf(path: string, sorted: readonly SourceFile[]): SourceFolder | undefined {
  const files = path === '.' ? sorted : filesBelow(path, sorted);
  if (files.length === 0) return undefined;
  return { type: 'folder', path, listing: files.map((file) => file.path), files };
}

/** They stand together: all that begins with `a/`, and nothing else, comes before `a0`, as `0` comes right after `/`. */
function filesBelow(folder: string, sorted: readonly SourceFile[]): readonly SourceFile[] {
  return sorted.slice(countBefore(`${folder}/`, sorted), countBefore(`${folder}0`, sorted));
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
