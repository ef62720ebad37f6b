import type { InlineContext } from '../../../contract/step-request.js';
import { eventLoopShare } from '../../../event-loop/event-loop-share.js';
import { onDemand } from '../../../event-loop/on-demand.js';
import { byCodeUnits, portablePath } from '../../../files/portable-path.js';
import type { ContextSource, SourceFile, SourceFolder } from './context-source.js';

/** What it books of the event loop to give a file its place in the order, or in a folder; and to name it, for each character. */
const PLACING = 4;
const NAMING = 1;

/**
 * What the caller sent along (`inline_context`): no file system, no rule but that of names. A path is
 * found as it was written or in its normal form; what is before the last `/` of a path is a folder.
 */
export function inlineSource(inline: InlineContext): ContextSource {
  const named = onDemand(() => nameFiles(inline.files ?? []));
  const pinned = new Map((inline.pinned_items ?? []).map((item) => [item.id, item]));
  const folders = new Map<string, SourceFolder | undefined>();
  let sorted: readonly SourceFile[] | undefined;
  return {
    async read(path, signal) {
      const files = await named.get();
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

/** By their names; the first of each. */
async function nameFiles(
  files: NonNullable<InlineContext['files']>,
): Promise<ReadonlyMap<string, SourceFile>> {
  const named = new Map<string, SourceFile>();
  for (const { path, content } of files) {
    const pause = eventLoopShare.take(NAMING * path.length);
    if (pause) await pause;
    const name = portablePath(path) ?? path;
    if (!named.has(name)) named.set(name, { type: 'file', path: name, content });
  }
  return named;
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
      listing ??= files.map((file) => file.path); // most folders of many are not listed
      return listing;
    },
  };
}

/** They stand together: all that begins with `a/`, and nothing else, comes before `a0`, as `0` comes right after `/`. */
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
