import type { ReportItem } from '../../contract/context-report.js';
import type { FenceTag } from './fence.js';
import type { LineRange } from './lines.js';

/**
 * Priorities of context items, highest first. Each priority may use the tokens that higher priorities did not use
 * (rule: priorities).
 */
export const priorities = ['explicit', 'pinned', 'vector'] as const;

export type Priority = (typeof priorities)[number];

/** The items for one entry of the request: a file, a folder with its listing and files, a pinned item, or a chunk. */
export interface ContextGroup {
  readonly kind: Priority;
  readonly items: readonly ContextItem[];
}

/** A text of the context that has its own row in the context report. */
export interface ContextItem {
  readonly kind: ReportItem['kind'];
  /** The path or id as the request wrote it. */
  readonly id: string;
  readonly tag: FenceTag;
  readonly attributes: Readonly<Record<string, string | undefined>>;
  /** Identifies the source of the text, such as a file. The same lines of one origin are sent only once. */
  readonly origin: string;
  /** The path by which the model can request more lines; undefined if the item is not a file. */
  readonly path?: string | undefined;
  /** The text to send: the requested lines. */
  readonly text: string;
  readonly lineCount: number;
  /** Number of the first line; undefined if unknown, for example for a retrieved chunk without line numbers. */
  readonly firstLine: number | undefined;
  /** Number of lines in the whole file; undefined if it was not read to its end. */
  readonly totalLines?: number | undefined;
  /**
   * Precedence if several items contain the same lines: line ranges first, then files, then folders. `file` by
   * default.
   */
  readonly requestedAs?: 'lines' | 'file' | 'folder';
  /** A remark for the report, for example that only the beginning was read. */
  readonly note?: string | undefined;
}

/** The file that is open in the caller's editor. It is part of the prompt's tail, not of its context (rule: tail). */
export interface FocusItem {
  readonly item: ContextItem;
  readonly selection: LineRange | undefined;
}

export interface GatheredFolder {
  readonly path: string;
  /**
   * Origins of the folder's files; an origin identifies the file across context items. Nested folders with the same
   * files share one array.
   */
  readonly origins: readonly string[];
}

export interface GatheredContext {
  /** Groups in the order of the request; vector results by score. */
  readonly groups: readonly ContextGroup[];
  readonly focus: FocusItem | undefined;
  /** Report rows for items that could not be read. */
  readonly missing: readonly ReportItem[];
  readonly folders: readonly GatheredFolder[];
}
