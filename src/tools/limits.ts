/** How much the tools show and how long a command may take. What is cut says so, and how to get the rest. */
export interface ToolLimits {
  /** Lines that `read_file` shows at a time; default 500. */
  readonly maxLines: number;
  /** Files that `list_files` and entries that `get_file_tree` show; default 200. */
  readonly maxFiles: number;
  /** Matches that `search_code` and `find_definition` show; default 50. */
  readonly maxMatches: number;
  /** Milliseconds that `run_command` gives a command; default 60,000. */
  readonly commandTimeoutMs: number;
}

export const defaultLimits: ToolLimits = {
  maxLines: 500,
  maxFiles: 200,
  maxMatches: 50,
  commandTimeoutMs: 60_000,
};

interface Shown {
  readonly shown: number;
  readonly total: number;
  /** What is counted, in the plural. */
  readonly what: string;
  /** How to get the rest. */
  readonly rest: string;
}

/** The one wording for everything a tool cuts: `showing 50 of 312 matches; …`. */
export function showing({ shown, total, what, rest }: Shown): string {
  const count = `showing ${shown} of ${total} ${what}`;
  return shown < total ? `${count}; ${rest}` : count;
}

/** A line for what was passed over, or none: `(2 folders could not be read)`. */
export function skipped(count: number, what: 'file' | 'folder'): string[] {
  return count === 0 ? [] : [`(${count} ${what}${count === 1 ? '' : 's'} could not be read)`];
}
