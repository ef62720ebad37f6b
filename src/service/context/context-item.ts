import type { ReportItem } from '../../contract/context-report.js';
import type { FenceTag } from './fence.js';
import type { LineRange } from './lines.js';

/** The order in which the context is filled: each takes what the ones before it left (rule: priorities). */
export const priorities = ['explicit', 'pinned', 'vector'] as const;

export type Priority = (typeof priorities)[number];

/** The answer to one thing that was asked for: a file, a folder's listing and files, a pinned item, or a chunk. */
export interface ContextGroup {
  readonly kind: Priority;
  readonly items: readonly ContextItem[];
}

/** A text with its own row in the report. */
export interface ContextItem {
  readonly kind: ReportItem['kind'];
  /** The path or id, as the request wrote it. */
  readonly id: string;
  readonly tag: FenceTag;
  readonly attributes: Readonly<Record<string, string | undefined>>;
  /** Identifies the whole that the lines belong to: the same lines of the same origin are sent once. */
  readonly origin: string;
  /** The path by which the model can ask for more of it; undefined if it is not a file. */
  readonly path: string | undefined;
  /** The lines asked for. */
  readonly text: string;
  readonly lineCount: number;
  /** Undefined if unknown, as for a retrieved chunk without line numbers. */
  readonly firstLine: number | undefined;
  /** Lines of the whole file; undefined if it was not read to its end. */
  readonly totalLines: number | undefined;
  /** Decides who gets the lines that several requests ask for: line ranges first, then files, then folders. */
  readonly askedAs: 'lines' | 'file' | 'folder';
  /** A remark for the report, such as that only the beginning was read. */
  readonly note: string | undefined;
}

/** The file that is open in the editor: part of the prompt's tail, not of its context (rule: tail). */
export interface FocusItem {
  readonly item: ContextItem;
  readonly selection: LineRange | undefined;
}

export interface GatheredFolder {
  readonly path: string;
  /** The origins of its files. Nested folders with the same files share one array. */
  readonly origins: readonly string[];
}

export interface GatheredContext {
  /** In the order of the request; vector results by score. */
  readonly groups: readonly ContextGroup[];
  readonly focus: FocusItem | undefined;
  /** Report rows for what could not be read. */
  readonly missing: readonly ReportItem[];
  readonly folders: readonly GatheredFolder[];
}
