import type { ReportItem } from '../../contract/context-report.js';
import type { FenceTag } from './fence.js';
import type { LineRange } from './lines.js';

/** The order in which the room is filled: each takes what those before it left (rule: priorities). */
export const priorities = ['explicit', 'pinned', 'vector'] as const;

export type Priority = (typeof priorities)[number];

/** One thing that was asked for: a file, or a folder's listing and its files, a pinned item, a chunk. */
export interface ContextGroup {
  readonly kind: Priority;
  readonly items: readonly ContextItem[];
}

/** A run of lines with a place in the report. */
export interface ContextItem {
  readonly kind: ReportItem['kind'];
  /** As it was asked for. */
  readonly id: string;
  readonly tag: FenceTag;
  /** No longer than they are shown. */
  readonly attributes: Readonly<Record<string, string | undefined>>;
  /** What its lines are lines of: the same lines of the same origin are sent once. */
  readonly origin: string;
  /** The path under which it can be asked for again; undefined for what is no file. */
  readonly path: string | undefined;
  /** The lines asked for. */
  readonly text: string;
  /** Of the text, if it has been taken already. */
  readonly digest: string | undefined;
  readonly lineCount: number;
  /** Undefined if nobody knows, as for a retrieved chunk without line numbers. */
  readonly firstLine: number | undefined;
  /** Lines of the whole file; undefined if it was not read to its end. */
  readonly totalLines: number | undefined;
  /** Where requests overlap, the one that asks for less keeps its lines: lines, then the whole file, then its folder. */
  readonly askedAs: 'lines' | 'file' | 'folder';
  /** What the source has to say, such as that it read only the beginning. */
  readonly note: string | undefined;
}

/** The file in the editor: part of the prompt's tail, not of the context (rule: tail). */
export interface FocusItem {
  readonly item: ContextItem;
  readonly selection: LineRange | undefined;
}

export interface GatheredFolder {
  readonly path: string;
  /** The origins of its files. */
  readonly origins: readonly string[];
}

export interface GatheredContext {
  /** As asked for; vector results by score. */
  readonly groups: readonly ContextGroup[];
  readonly focus: FocusItem | undefined;
  /** Rows for what cannot be shown at all. */
  readonly missing: readonly ReportItem[];
  readonly folders: readonly GatheredFolder[];
}
