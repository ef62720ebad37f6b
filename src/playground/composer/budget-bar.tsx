import { useState } from 'preact/hooks';
import type { ContextReport } from '../../sdk/index.js';
import { tokens } from '../text/figures.js';
import { wordFor } from '../text/word-for.js';
import { type BudgetSegment, budgetLayout, pieceNames } from './budget-layout.js';

export interface BudgetBarProps {
  readonly report: ContextReport;
  /** Name of the prompt that the bar describes. */
  readonly name: string;
}

/**
 * A bar that divides the token limit into sections; the tokens reserved for the reply are hatched. The list below it
 * repeats the tooltips.
 */
export function BudgetBar({ report, name: title }: BudgetBarProps) {
  const [pointed, setPointed] = useState<BudgetSegment['name'] | null>(null);
  const pieces = budgetLayout(report);
  return (
    <div class="budget">
      <BudgetLine report={report} title={title} />
      <div class="budget-bar" aria-hidden="true">
        {pieces.map(({ name, share }) => (
          <span
            key={name}
            class={`piece piece-${name}`}
            style={{ flexGrow: share }}
            onPointerEnter={() => setPointed(name)}
            onPointerLeave={() => setPointed(null)}
          />
        ))}
      </div>
      <ul class="budget-legend">
        {pieces.map(({ name, tokens: count }) => (
          <li key={name} class={pointed === name ? 'pointed' : ''}>
            <span class={`swatch piece-${name}`} aria-hidden="true" />
            {wordFor(pieceNames, name)} <span class="figure muted">{tokens(count)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

function BudgetLine({ report, title }: { report: ContextReport; title: string }) {
  const { prompt_tokens, token_limit, reserved_output_tokens, counting } = report;
  const budget = token_limit - reserved_output_tokens;
  const percent = Math.round((prompt_tokens / budget) * 100);
  return (
    <p class="budget-line">
      <span class="muted">{title}</span>{' '}
      <span class="figure">
        {tokens(prompt_tokens)} of {tokens(budget)} tokens
      </span>{' '}
      <span class="muted figure">
        {percent} %{counting === 'estimated' ? ', estimated' : ''}
      </span>
    </p>
  );
}
