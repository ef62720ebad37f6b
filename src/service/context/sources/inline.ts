import type { InlineContext } from '../../../contract/step-request.js';
import { byCodeUnits, isBelow, portablePath } from '../../../files/portable-path.js';
import { eventLoopShare } from '../../event-loop/event-loop-share.js';
import type { ContextSource, SourceFile, SourceFolder } from './context-source.js';

/** What it books of the event loop to ask whether one file lies in a folder. */
const COMPARING = 4;

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
      await eventLoopShare.take(COMPARING * files.size, signal);
      sorted ??= [...files.values()].sort((one, other) => byCodeUnits(one.path, other.path));
      const folder = folderOf(name, sorted);
      folders.set(name, folder); // the same in all spellings
      return folder;
    },
    async readPinned(id) {
      const item = pinned.get(id);
      return item && { id, content: item.content, ...(item.title !== undefined && { title: item.title }) };
    },
  };
}

function folderOf(path: string, sorted: readonly SourceFile[]): SourceFolder | undefined {
  const files = sorted.filter((file) => isBelow(path, file.path));
  if (files.length === 0) return undefined;
  return { type: 'folder', path, listing: files.map((file) => file.path), files };
}
