import { yieldIfBusy } from '../event-loop/yield-if-busy.js';
import { type PathPattern, readPathPattern } from './path-pattern.js';

/** The rules of one `.gitignore`, which apply below its folder. */
export interface IgnoreRules {
  /** Folder of the `.gitignore`; `.` is the root. */
  readonly folder: string;
  /** Patterns in the order of the file. The last one that matches decides. */
  readonly patterns: readonly PathPattern[];
}

/** Parses the text of a `.gitignore`. */
export function readIgnoreRules(folder: string, gitignore: string): IgnoreRules {
  const lines = gitignore.replace(/^\uFEFF/, '').split(/\r?\n/);
  return { folder, patterns: lines.map(readPathPattern).filter((pattern) => pattern !== undefined) };
}

/**
 * Returns whether Git ignores an entry of a folder that is not ignored itself. The rules nearest to the entry take
 * precedence, and among them the last one. Folder paths end in `/`.
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
