import type { InlineContext } from '../../../contract/step-request.js';
import { byCodeUnits, isBelow, portablePath } from '../../../files/portable-path.js';
import type { ContextSource, SourceFile, SourceFolder } from './context-source.js';

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
  return {
    async read(path) {
      const name = portablePath(path) ?? path;
      return files.get(name) ?? folderOf(name, files);
    },
    async readPinned(id) {
      const item = pinned.get(id);
      return item && { id, content: item.content, ...(item.title !== undefined && { title: item.title }) };
    },
  };
}

function folderOf(path: string, all: ReadonlyMap<string, SourceFile>): SourceFolder | undefined {
  const files = [...all.values()]
    .filter((file) => isBelow(path, file.path))
    .sort((a, b) => byCodeUnits(a.path, b.path));
  if (files.length === 0) return undefined;
  return { type: 'folder', path, listing: files.map((file) => file.path), files };
}
