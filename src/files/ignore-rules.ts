import ignore, { type Ignore } from 'ignore';

/** One `.gitignore`, for what is below its folder. */
export interface IgnoreRules {
  /** `.` is the root. */
  readonly folder: string;
  readonly rules: Ignore;
}

/**
 * Each `**` multiplies the time of a match (12 of them: seconds for one path); real patterns have two or three
 * wildcards.
 */
const MAX_WILDCARDS = 4;
const MAX_PATTERN_LENGTH = 512;

export function ignoreRules(folder: string, gitignore: string): IgnoreRules {
  const patterns = gitignore.split(/\r?\n/).filter(isBounded);
  return { folder, rules: ignore({ ignorecase: false }).add(patterns) };
}

/** Whether Git would leave the path out: the rules nearest to it decide. Folders end in `/`. */
export function isIgnored(path: string, chain: readonly IgnoreRules[]): boolean {
  for (const { folder, rules } of chain.toReversed()) {
    const verdict = rules.test(folder === '.' ? path : path.slice(folder.length + 1));
    if (verdict.ignored || verdict.unignored) return verdict.ignored;
  }
  return false;
}

function isBounded(pattern: string): boolean {
  return pattern.length <= MAX_PATTERN_LENGTH && pattern.split(/\*+/).length - 1 <= MAX_WILDCARDS;
}
