import type { VectorSearchResult } from '../../contract/step-request.js';
import { portablePath } from '../../files/portable-path.js';
import type { ContextItem, FocusItem } from './context-item.js';
import { shortenToPathLength } from './fence.js';
import { countLines, type LineIndex, type LineRange } from './lines.js';
import type { PinnedItem, SourceFile, SourceFolder } from './sources/context-source.js';

const PARTLY_READ = 'only the beginning was read: the file is too large';
const PARTLY_LISTED = 'the folder has more files than were listed and read';

export function fileOrigin(path: string): string {
  return `file:${path}`;
}

export function fileItem(file: SourceFile, id: string, requestedAs: 'file' | 'folder' = 'file'): ContextItem {
  return { ...wholeFile(file, countLines(file.content)), id, requestedAs };
}

/** Returns an item with the requested lines that exist in the file; undefined if there are none. */
export function linesItem(
  file: SourceFile,
  id: string,
  { lines, index }: { lines: LineRange; index: LineIndex },
): ContextItem | undefined {
  const range = clampLines(lines, index.count);
  if (!range) return undefined;
  return {
    ...wholeFile(file, index.count),
    id,
    text: index.slice(range),
    lineCount: range.last - range.first + 1,
    firstLine: range.first,
    requestedAs: 'lines',
  };
}

export function focusItem(file: SourceFile, requested: LineRange | undefined): FocusItem {
  const item = fileItem(file, file.path);
  const selection = requested && clampLines(requested, item.lineCount);
  return { item: { ...item, kind: 'implicit', tag: 'focus' }, selection };
}

function wholeFile({ path, content, cut }: SourceFile, lineCount: number): ContextItem {
  return {
    kind: 'explicit',
    id: path,
    tag: 'file',
    attributes: { path: shortenToPathLength(path) },
    origin: fileOrigin(path),
    path,
    text: content,
    lineCount,
    firstLine: 1,
    ...(cut ? { note: PARTLY_READ } : { totalLines: lineCount }),
  };
}

function clampLines({ first, last }: LineRange, lines: number): LineRange | undefined {
  const range = { first: Math.max(1, Math.min(first, last)), last: Math.min(lines, Math.max(first, last)) };
  return range.first <= range.last ? range : undefined;
}

/**
 * Returns the item of a folder's listing.
 *
 * @param text the names of all entries of the folder, one per line.
 */
export function listingItem({ path, listing, cut }: SourceFolder, id: string, text: string): ContextItem {
  return {
    kind: 'explicit',
    id,
    tag: 'folder',
    attributes: { path: shortenToPathLength(path) },
    origin: `folder:${path}`,
    text,
    lineCount: listing.length,
    firstLine: 1,
    ...(cut ? { note: PARTLY_LISTED } : { totalLines: listing.length }),
  };
}

export function pinnedItem({ id, title, content }: PinnedItem): ContextItem {
  const lineCount = countLines(content);
  return {
    kind: 'pinned',
    id,
    tag: 'pinned',
    attributes: { id, title: title && shortenToPathLength(title) },
    origin: `pinned:${id}`,
    text: content,
    lineCount,
    firstLine: 1,
    totalLines: lineCount,
  };
}

/**
 * Returns the item of a retrieved chunk. Counts the lines in the chunk's content, because an index may store outdated
 * end lines.
 */
export function vectorItem({
  path: asSent,
  content,
  start_line: firstLine,
}: VectorSearchResult): ContextItem {
  const path = portablePath(asSent) ?? asSent;
  const lineCount = countLines(content);
  const last = firstLine === undefined ? undefined : firstLine + Math.max(lineCount, 1) - 1;
  return {
    kind: 'vector',
    id: last === undefined ? asSent : `${asSent}:${firstLine}-${last}`,
    tag: 'excerpt',
    attributes: { path: shortenToPathLength(path) },
    origin: fileOrigin(path),
    path: firstLine === undefined ? undefined : path,
    text: content,
    lineCount,
    firstLine,
  };
}
