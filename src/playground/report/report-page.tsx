import type { CellReport, EvalReport, StepVerdict, Verdict } from '../../eval/eval-report.js';
import { Exact } from '../text/exact.js';
import { duration, plural } from '../text/figures.js';
import { DivergenceCard } from './divergence-card.js';

/**
 * A whole evaluation: the table of cells, the runs and steps without a result, and the first differing step of
 * each run.
 */
export function ReportPage({ report }: { report: EvalReport }) {
  const { cells, divergences, moreDivergences, skipped } = report;
  return (
    <main class="report">
      <header>
        <h1>Evaluation</h1>
        <p class="muted">{introduction(report)}</p>
        {report.end === 'interrupted' && <p class="problem">It was stopped before its end.</p>}
      </header>
      <CellTable cells={cells} />
      <NoResult cells={cells} />
      {skipped.length > 0 && (
        <section>
          <h2>{plural(skipped.length, 'file')} skipped</h2>
          <ul class="report-list">
            {skipped.slice(0, MAX_ROWS).map(({ file, reason }) => (
              <li key={file}>
                <code>
                  <Exact text={file} />
                </code>
                : <Exact text={reason} />
              </li>
            ))}
          </ul>
          <More count={skipped.length - MAX_ROWS} />
        </section>
      )}
      {divergences.length > 0 && (
        <section>
          <h2>First differing step of each run</h2>
          {divergences.map((each, index) => (
            <DivergenceCard key={index} divergence={each} isOpen={index === 0} />
          ))}
          <More count={moreDivergences} />
        </section>
      )}
      <section>
        <h2>Every step</h2>
        {cells.map((cell) => (
          <CellSteps key={cell.name} cell={cell} />
        ))}
      </section>
    </main>
  );
}

const MAX_ROWS = 200;

const More = ({ count }: { count: number }) =>
  count > 0 ? <p class="muted">{count.toLocaleString('en')} more are not on this page.</p> : null;

function introduction({ runs, cells, beganAt, durationMs, parserOnly }: EvalReport): string {
  const steps = cells.reduce((sum, cell) => sum + cell.steps.length, 0);
  const how = parserOnly ? 'recorded replies read again' : 'recorded steps made again';
  const when = `${beganAt.slice(0, 16).replace('T', ' ')} UTC, ${duration(durationMs)}`;
  return `${plural(runs, 'run')}, ${plural(cells.length, 'cell')}, ${plural(steps, 'step')}: ${how}. ${when}.`;
}

const heads = ['Same', 'Accepted', 'Different', 'Missing', 'Skipped', 'Tokens in', 'Out'];

function CellTable({ cells }: { cells: readonly CellReport[] }) {
  const hasPrice = cells.some(({ usage }) => usage.price !== null);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what is wider than the window is scrolled with the keyboard
    <section class="report-table" aria-label="Cells" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">Cell</th>
            {[...heads, ...(hasPrice ? ['Price'] : [])].map((head) => (
              <th key={head} scope="col" class="figure">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {cells.map((cell) => (
            <CellRow key={cell.name} cell={cell} hasPrice={hasPrice} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

function CellRow({ cell, hasPrice }: { cell: CellReport; hasPrice: boolean }) {
  const { name, counts, usage, fails } = cell;
  const state = counts.missing > 0 ? 'missing' : fails ? 'different' : 'same';
  const figures = [counts.same, counts.accepted, counts.different, counts.missing, counts.skipped];
  return (
    <tr class={`report-${state}`}>
      <th scope="row">
        <span class="report-mark">{state === 'same' ? '✓' : '✗'}</span> <Exact text={name} />
      </th>
      {[...figures, usage.inputTokens, usage.outputTokens].map((count, index) => (
        <td key={index} class="figure">
          {count === null ? '–' : count.toLocaleString('en')}
        </td>
      ))}
      {hasPrice && <td class="figure">{usage.price?.toFixed(4) ?? '–'}</td>}
    </tr>
  );
}

function NoResult({ cells }: { cells: readonly CellReport[] }) {
  const reasons = new Map<string, number>();
  for (const { name, steps } of cells)
    for (const { verdict, reason = '' } of steps) {
      if (verdict !== 'missing' && verdict !== 'skipped') continue;
      const line = `${name}: ${verdict}, ${reason}`;
      reasons.set(line, (reasons.get(line) ?? 0) + 1);
    }
  if (reasons.size === 0) return null;
  const rows = [...reasons].sort(([, a], [, b]) => b - a);
  return (
    <section>
      <h2>Steps without a result</h2>
      <ul class="report-list">
        {rows.slice(0, MAX_ROWS).map(([line, count]) => (
          <li key={line}>
            <b>{plural(count, 'step')}</b> of <Exact text={line} />
          </li>
        ))}
      </ul>
      <More count={rows.length - MAX_ROWS} />
    </section>
  );
}

const marks: Readonly<Record<Verdict, string>> = {
  same: '=',
  accepted: '~',
  different: '≠',
  missing: '!',
  skipped: '·',
};

/**
 * Shows one symbol for each step of each run. The list is collapsed at first, since an evaluation may have a thousand
 * runs.
 */
function CellSteps({ cell: { name, steps } }: { cell: CellReport }) {
  const runs = [...byRun(steps)];
  return (
    <details>
      <summary>
        <Exact text={name} />
      </summary>
      <ul class="report-list">
        {runs.slice(0, MAX_ROWS).map(([run, ofRun]) => (
          <li key={run} class="report-run">
            <code>
              <Exact text={run} />
            </code>
            <span class="report-steps">
              {ofRun.map((step) => (
                <abbr key={step.step} class={`report-step report-${step.verdict}`} title={wordsFor(step)}>
                  {marks[step.verdict]}
                </abbr>
              ))}
            </span>
          </li>
        ))}
      </ul>
      <More count={runs.length - MAX_ROWS} />
    </details>
  );
}

function byRun(steps: readonly StepVerdict[]): ReadonlyMap<string, readonly StepVerdict[]> {
  const runs = new Map<string, StepVerdict[]>();
  for (const step of steps) {
    const ofRun = runs.get(step.run) ?? [];
    ofRun.push(step);
    runs.set(step.run, ofRun);
  }
  return runs;
}

function wordsFor({ step, verdict, differs = [], reason }: StepVerdict): string {
  const why = differs.length > 0 ? ` (${differs.join(', ')})` : '';
  return `Step ${step}: ${verdict}${why}${reason ? `: ${reason}` : ''}`;
}
