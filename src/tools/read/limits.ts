/**
 * How much the tools show and how long a command may take: whole numbers from 1, or `Infinity` for no limit. What is
 * cut says so, and how to get the rest (rule: tool-limits).
 */
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

const defaultLimits: ToolLimits = {
  maxLines: 500,
  maxFiles: 200,
  maxMatches: 50,
  commandTimeoutMs: 60_000,
};

/** Limits, each of which may be left out. */
export type GivenLimits = { readonly [Name in keyof ToolLimits]?: ToolLimits[Name] | undefined };

/** All limits, with the defaults for what is left out. Throws `RangeError` for a number that is none. */
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

/** For the description of a tool: `, at most 200 at a time`, or nothing where there is no limit. */
export const atMost = (limit: number, rest = ''): string =>
  limit === Infinity ? '' : `, at most ${limit}${rest}`;

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
