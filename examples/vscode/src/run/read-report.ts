import type { ContextReport, ReportItem } from 'stepwise';
import type { BudgetView, LeftOut } from './conversation-view.js';

const sectionNames: Readonly<Record<ContextReport['sections'][number]['name'], string>> = {
  instructions: 'Instructions',
  tools: 'Tools',
  context: 'Files',
  history: 'History',
  tail: 'Task',
  framing: 'Framing',
};

/** Converts the service's context report for the view. */
export function readReport(report: ContextReport): BudgetView {
  const { token_limit, reserved_output_tokens, prompt_tokens, counting, sections, items } = report;
  const free = Math.max(0, token_limit - reserved_output_tokens - prompt_tokens);
  const pieces = [
    // Newer services may send section names that this extension does not know.
    ...sections.map(({ name, tokens }) => ({ name: sectionNames[name] ?? name, tokens })),
    { name: 'Free', tokens: free },
    { name: 'Kept for the reply', tokens: reserved_output_tokens },
  ];
  return {
    limit: token_limit,
    used: prompt_tokens,
    isEstimated: counting === 'estimated',
    pieces: pieces.filter(({ tokens }) => tokens > 0),
    leftOut: items.flatMap((item) => readLeftOut(item) ?? []),
  };
}

function readLeftOut({ kind, id, status, reason, lines }: ReportItem): LeftOut | undefined {
  if (status === 'included' || status === 'duplicate') return undefined;
  const name = kind === 'turn' ? `Turn ${id} of the history` : id;
  const shown =
    status === 'truncated' && lines !== null ? `only lines ${lines.replaceAll(',', ', ')} fit` : status;
  return {
    name,
    reason: reason === null ? shown : `${shown}: ${reason.replaceAll('_', ' ')}`,
    path: kind === 'turn' || kind === 'pinned' || kind === 'tool' ? null : id,
  };
}
