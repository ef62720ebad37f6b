import type { ReportItem } from '../../contract/context-report.js';
import type { VectorSearchResult } from '../../contract/step-request.js';
import { portablePath } from '../../files/portable-path.js';
import { digestOf, TextMemo } from '../../tokens/text-memo.js';
import type { ContextGroup, ContextItem, FocusItem, GatheredFolder } from './context-item.js';
import { MEMORABLE } from './cutting/cut-source.js';
import { inlinePath, shorten } from './fence.js';
import { countLines, LineIndex, type LineRange } from './lines.js';
import { madeOnce } from './made-once.js';
import type { PinnedItem, SourceFile, SourceFolder } from './sources/context-source.js';

/** What was found for one thing that was asked for. */
export interface Gathered {
  readonly groups: readonly ContextGroup[];
  readonly missing: readonly ReportItem[];
  readonly folders: readonly GatheredFolder[];
}

const PARTLY_READ = 'larger than is read: only its beginning';

/** A row for what was asked for and is not shown. */
export function missingRow(
  kind: ReportItem['kind'],
  id: string,
  reason: string,
  status: 'unavailable' | 'dropped' = 'unavailable',
): ReportItem {
  return { kind, id, status, tokens: 0, original_tokens: null, lines: null, reason };
}

export function fileItem(
  file: SourceFile,
  id: string,
  askedAs: ContextItem['askedAs'] = 'file',
): ContextItem {
  const { digest, lineCount } = measured(file);
  return {
    kind: 'explicit',
    id,
    tag: 'file',
    attributes: { path: shorten(file.path) },
    origin: originOf(file),
    path: file.path,
    text: file.content,
    digest,
    lineCount,
    firstLine: 1,
    totalLines: file.cut ? undefined : lineCount,
    askedAs,
    note: file.cut ? PARTLY_READ : undefined,
  };
}

/** The lines of a file that were asked for, as far as it has them; undefined if it has none of them. */
export function linesItem(file: SourceFile, id: string, lines: LineRange): ContextItem | undefined {
  const range = clampLines(lines, measured(file).lineCount);
  if (!range) return undefined;
  return {
    ...fileItem(file, id),
    text: lineIndexOf(file).slice(range),
    digest: undefined,
    lineCount: range.last - range.first + 1,
    firstLine: range.first,
    askedAs: 'lines',
  };
}

/** How many lines files have: one that comes in each step is not searched for them each time. */
const lineCounts = new TextMemo();

const measured = madeOnce(({ content }: SourceFile): Pick<ContextItem, 'digest' | 'lineCount'> => {
  if (content.length < MEMORABLE) return { digest: undefined, lineCount: countLines(content) };
  const digest = digestOf(content);
  return { digest, lineCount: lineCounts.recallOr(digest, () => countLines(content)) };
});
const lineIndexOf = madeOnce((file: SourceFile) => new LineIndex(file.content));
const originOf = madeOnce((file: SourceFile) => fileOrigin(file.path));
/** By the list: folders that lie in each other share theirs. */
export const originsOf = madeOnce((files: readonly SourceFile[]) => files.map(originOf));
/** The names of all that is in a folder, a line each. */
export const listingOf = madeOnce((folder: SourceFolder) =>
  folder.listing.map((path) => `${inlinePath(path)}\n`).join(''),
);

function clampLines({ first, last }: LineRange, lines: number): LineRange | undefined {
  const range = { first: Math.max(1, Math.min(first, last)), last: Math.min(lines, Math.max(first, last)) };
  return range.first <= range.last ? range : undefined;
}

export function listingItem(folder: SourceFolder, id: string): ContextItem {
  return {
    kind: 'explicit',
    id,
    tag: 'folder',
    attributes: { path: shorten(folder.path) },
    origin: `folder:${folder.path}`,
    path: undefined,
    text: listingOf(folder),
    digest: undefined,
    lineCount: folder.listing.length,
    firstLine: 1,
    totalLines: folder.cut ? undefined : folder.listing.length,
    askedAs: 'file',
    note: folder.cut ? 'the folder holds more than is listed and read' : undefined,
  };
}

export function pinnedItem({ id, title, content }: PinnedItem): ContextItem {
  const lineCount = countLines(content);
  return {
    kind: 'pinned',
    id,
    tag: 'pinned',
    attributes: { id, title: title && shorten(title) },
    origin: `pinned:${id}`,
    path: undefined,
    text: content,
    digest: undefined,
    lineCount,
    firstLine: 1,
    totalLines: lineCount,
    askedAs: 'file',
    note: undefined,
  };
}

/** A chunk's lines are counted from its content: indexes and their end lines go stale. */
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
    attributes: { path: shorten(path) },
    origin: fileOrigin(path),
    path: firstLine === undefined ? undefined : path,
    text: content,
    digest: undefined,
    lineCount,
    firstLine,
    totalLines: undefined,
    askedAs: 'file',
    note: undefined,
  };
}

export function focusItem(file: SourceFile, asked: LineRange | undefined): FocusItem {
  const selection = asked && clampLines(asked, measured(file).lineCount);
  const item = fileItem(file, file.path);
  return { item: { ...item, kind: 'implicit', tag: 'focus' }, selection };
}

function fileOrigin(path: string): string {
  return `file:${path}`;
}
