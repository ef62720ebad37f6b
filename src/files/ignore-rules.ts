import { yieldIfBusy } from '../event-loop/yield-if-busy.js';
import { type PathPattern, readPathPattern } from './path-pattern.js';

/** One `.gitignore`, for what is below its folder. */
export interface IgnoreRules {
  /** `.` is the root. */
  readonly folder: string;
  /** The last that fits decides. */
  readonly patterns: readonly PathPattern[];
}

/** Reads the text of a `.gitignore`. */
export function readIgnoreRules(folder: string, gitignore: string): IgnoreRules {
  const lines = gitignore.replace(/^\uFEFF/, '').split(/\r?\n/);
  return { folder, patterns: lines.map(readPathPattern).filter((pattern) => pattern !== undefined) };
}

/**
 * Whether Git would leave an entry out whose folder it does not leave out: the rules nearest to it decide, the
 * last of them first. Folders end in `/`.
 */
export async function isIgnored(
  path: string,
  chain: readonly IgnoreRules[],
  signal: AbortSignal,
): Promise<boolean> {
  const isFolder = path.endsWith('/');
  const parts = (isFolder ? path.slice(0, -1) : path).split('/');
  for (const { folder, patterns } of chain.toReversed()) {
    const below = folder === '.' ? parts : parts.slice(folder.split('/').length);
    for (const { negated, foldersOnly, fits } of patterns.toReversed()) {
      await yieldIfBusy(signal);
      if ((isFolder || !foldersOnly) && fits(below)) return !negated;
    }
  }
  return false;
}
