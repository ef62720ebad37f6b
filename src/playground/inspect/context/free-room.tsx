import type { ContextReport, ReportItem } from '../../../sdk/index.js';
import { budgetLayout } from '../../composer/budget-layout.js';
import { tokens } from '../../text/figures.js';

/** Explains why files were left out or cut although tokens are free: those tokens are kept for later steps. */
export function FreeRoom({ report }: { readonly report: ContextReport }) {
  const free = budgetLayout(report).find(({ name }) => name === 'free')?.tokens ?? 0;
  if (free === 0 || !report.items.some(isFileLeftOut)) return null;
  return (
    <p class="muted small free-room">
      {tokens(free)} tokens are free, but kept for later steps: files get at most their share of the room, so
      that calls and results still fit. Raise <b>Share for files</b> to use more of it.{' '}
      <a href="/docs#:~:text=contextShare" target="_blank" rel="noopener">
        About <code>contextShare</code>
      </a>
    </p>
  );
}

const isFileLeftOut = ({ kind, status }: ReportItem): boolean =>
  ['explicit', 'pinned', 'vector'].includes(kind) && (status === 'dropped' || status === 'truncated');
