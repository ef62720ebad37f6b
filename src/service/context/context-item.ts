import type { ReportItem } from '../../contract/context-report.js';
import type { FenceTag } from './fence.js';
import type { LineRange } from './lines.js';

/**
 * Items of one pool share its room; a pool takes what the pools before it left (SPEC §5: explicit, pinned, vector
 * results by score). What was named comes before what a named folder holds.
 */
export const pools = ['named', 'folder', 'pinned', 'vector'] as const;

export type Pool = (typeof pools)[number];

/** One thing that was asked for, or that a folder asked for holds, with its contents. */
export interface ContextItem {
  readonly pool: Pool;
  readonly kind: ReportItem['kind'];
  /** As it was asked for. */
  readonly id: string;
  readonly tag: FenceTag;
  readonly attributes: Readonly<Record<string, string | undefined>>;
  /** What its lines are lines of: the same lines of the same origin are sent once. */
  readonly origin: string;
  /** Where it can be asked for again; undefined for what is no file. */
  readonly path: string | undefined;
  /** The lines asked for. */
  readonly text: string;
  /** Undefined where nobody knows, as in a retrieved chunk without line numbers. */
  readonly firstLine: number | undefined;
  /** Lines of the whole file; undefined where it was not read to its end. */
  readonly totalLines: number | undefined;
  /** True where lines were asked for by number: they go before a request for the whole file. */
  readonly narrowed: boolean;
  /** What the source has to say, such as that it read only the beginning. */
  readonly note: string | undefined;
}

/** The file in the editor: part of the prompt's tail, not of the context (SPEC §5). */
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
  /** By priority: the order of the pools, within a pool as asked, vector results by score. */
  readonly items: readonly ContextItem[];
  readonly focus: FocusItem | undefined;
  /** Rows for what cannot be shown at all. */
  readonly missing: readonly ReportItem[];
  readonly folders: readonly GatheredFolder[];
}
