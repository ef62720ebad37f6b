import { useEffect, useMemo, useState } from 'preact/hooks';
import type { ContextReport } from '../../../sdk/index.js';
import { BudgetBar } from '../../composer/budget-bar.js';
import { POSITIONS, Slider, toLimit, toPosition } from '../../setup/budget-settings.js';
import { problemOf } from '../../state/next-prompt.js';
import { active } from '../../state/runs.js';
import { tokens } from '../../text/figures.js';
import type { Inspected } from '../inspected.js';
import { LatestOnly } from '../latest-only.js';
import { withFullReport, withLimit } from '../requests.js';
import { beginBranch } from './begin-branch.js';
import { ItemName } from './item-name.js';
import { nameOf } from './left-out.js';
import { type Change, changesBetween, changesInWords } from './what-if.js';

/** Delay before a request, so that moving the slider sends only one. */
const SETTLE_MS = 120;

interface Outcome {
  readonly report?: ContextReport;
  readonly problem?: string;
}

/** Shows what the step would have included with another budget; each move requests a new preview. */
export function WhatIf({ now, ...inspected }: Inspected & { readonly now: ContextReport }) {
  const { client, call } = inspected;
  const [position, setPosition] = useState(toPosition(now.token_limit));
  const [outcome, setOutcome] = useState<Outcome>({});
  const asked = useMemo(() => new LatestOnly(SETTLE_MS), []);
  useEffect(() => () => asked.giveUp(), [asked]);
  const { request } = call;
  if (!request) return null;
  const limit = position === toPosition(now.token_limit) ? now.token_limit : toLimit(position);
  const move = (to: number): void => {
    setPosition(to);
    const wanted = withLimit(request, toLimit(to));
    asked.ask((signal) => client.preview(withFullReport(wanted), { signal }), {
      done: ({ context_report: report }) => setOutcome({ report }),
      failed: (error) => setOutcome({ problem: problemOf(error) }),
    });
  };
  return (
    <details class="drawer">
      <summary>
        <h3>With another budget</h3>
      </summary>
      <div class="what-if">
        <Slider
          label="Budget to compare with"
          text={`${tokens(limit)} tokens`}
          max={POSITIONS}
          value={position}
          onChange={move}
        />
        <div role="status">
          {outcome.problem && <p class="problem">{outcome.problem}</p>}
          {outcome.report && <p>{changesInWords(changesBetween(now, outcome.report))}</p>}
        </div>
        {outcome.report && <Changes now={now} then={outcome.report} />}
        {outcome.report && (
          <button
            type="button"
            class="small-button"
            disabled={active.value !== null}
            onClick={() =>
              beginBranch(inspected, {
                request: withLimit(request, limit),
                change: `${tokens(limit)} tokens`,
              })
            }
          >
            Re-run with {tokens(limit)} tokens
          </button>
        )}
      </div>
    </details>
  );
}

function Changes({ now, then }: { now: ContextReport; then: ContextReport }) {
  return (
    <>
      <BudgetBar report={then} name="Prompt with this budget" />
      <ul class="items">
        {changesBetween(now, then).map((change) => (
          <li key={`${change.item.kind} ${change.item.id}`} class={`item-line change ${tones[change.what]}`}>
            <ItemName name={nameOf(change.item)} />
            <span class="small figure">
              {change.what} · {tokens(change.before)} to {tokens(change.after)}
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}

const tones: Readonly<Record<Change['what'], string>> = {
  'left out': 'change-worse',
  'shown less fully': 'change-worse',
  'shown more fully': 'change-better',
  included: 'change-better',
};
