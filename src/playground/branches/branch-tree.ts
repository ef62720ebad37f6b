import type { Branch } from '../run/branch.js';
import { wordFor } from '../text/word-for.js';
import { endings } from '../timeline/announce.js';

/** A run in the list of branches, with its depth. */
export interface BranchRow {
  readonly branch: Branch;
  /** 0 for a run that is no branch of another. */
  readonly depth: number;
}

/** Lists each run below its parent, siblings in the order in which they began. */
export function branchTree(branches: readonly Branch[]): readonly BranchRow[] {
  const ids = new Set(branches.map(({ id }) => id));
  const childrenOf = (id: string | null): readonly Branch[] =>
    branches.filter(({ parent }) => (parent && ids.has(parent.branchId) ? parent.branchId : null) === id);
  const rowsBelow = (id: string | null, depth: number): readonly BranchRow[] =>
    childrenOf(id).flatMap((branch) => [{ branch, depth }, ...rowsBelow(branch.id, depth + 1)]);
  return rowsBelow(null, 0);
}

/** Describes in a word or two how a run ended. */
export function endOf({ view, origin }: Branch): string {
  if (view.result) return wordFor(endings, view.result.stopReason);
  return origin === 'file' ? 'unfinished' : 'on its way';
}
