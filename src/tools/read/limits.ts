/**
 * Limits of the tools: integers of at least 1, or `Infinity` for no limit. A result that was shortened tells the
 * model so, and how to get the rest (rule: tool-limits).
 */
export interface ToolLimits {
  /** Maximum number of lines per `read_file` call. Default: 500. */
  readonly maxLines: number;
  /** Maximum number of files that `list_files` returns, and of entries that `get_file_tree` returns. Default: 200. */
  readonly maxFiles: number;
  /** Maximum number of matches that `search_code` and `find_definition` return. Default: 50. */
  readonly maxMatches: number;
  /** Time limit for a command of `run_command`. Default: 60,000 ms. */
  readonly commandTimeoutMs: number;
}

const defaultLimits: ToolLimits = {
  maxLines: 500,
  maxFiles: 200,
  maxMatches: 50,
  commandTimeoutMs: 60_000,
};

/** Limits that a caller sets; all are optional. */
export type GivenLimits = { readonly [Name in keyof ToolLimits]?: ToolLimits[Name] | undefined };

/** Fills in the default limits. Throws `RangeError` for an invalid limit. */
export const completeLimits = (given: GivenLimits): ToolLimits => ({
  maxLines: limitOf('maxLines', given),
  maxFiles: limitOf('maxFiles', given),
  maxMatches: limitOf('maxMatches', given),
  commandTimeoutMs: limitOf('commandTimeoutMs', given),
});

function limitOf(name: keyof ToolLimits, given: GivenLimits): number {
  const limit = given[name] ?? defaultLimits[name];
  if (limit === Infinity || (Number.isInteger(limit) && limit > 0)) return limit;
  const what = name === 'commandTimeoutMs' ? 'milliseconds, a whole number' : 'a whole number';
  throw new RangeError(`${name} must be ${what} from 1, or Infinity for no limit, not ${limit}.`);
}

/**
 * Returns the words for a limit in a tool's description, such as `, at most 200 at a time`; empty if there is no
 * limit.
 */
export const atMost = (limit: number, rest = ''): string =>
  limit === Infinity ? '' : `, at most ${limit}${rest}`;

interface Shown {
  readonly shown: number;
  readonly total: number;
  /** Plural name of the things that are counted, such as `matches`. */
  readonly what: string;
  /** Advice for the model on how to get the rest. */
  readonly rest: string;
}

/**
 * Returns a line that tells the model how much of a result it got, in the same words for all tools:
 * `showing 50 of 312 matches; …`.
 */
export function showing({ shown, total, what, rest }: Shown): string {
  const count = `showing ${shown} of ${total} ${what}`;
  return shown < total ? `${count}; ${rest}` : count;
}

/** Returns the beginning of a text, without half a surrogate pair at its end. */
export const beginningOf = (text: string, length: number): string =>
  text.slice(0, length).replace(/[\ud800-\udbff]$/, '');

/** Returns a list with a line such as `(2 folders could not be read)`; empty if the count is 0. */
export function skipped(count: number, what: 'file' | 'folder'): string[] {
  return count === 0 ? [] : [`(${count} ${what}${count === 1 ? '' : 's'} could not be read)`];
}
