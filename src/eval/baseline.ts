import type { CellReport, ComparedField } from './eval-report.js';

/** Differences that a person accepted with `--update`: the differing fields by cell, run and step. */
export interface Baseline {
  readonly format: 'stepwise-eval-baseline';
  readonly version: 1;
  readonly cells: Readonly<Record<string, Readonly<Record<string, Accepted>>>>;
}

type Accepted = Readonly<Record<string, readonly ComparedField[]>>;

export const BASELINE_FORMAT = 'stepwise-eval-baseline';

export const emptyBaseline: Baseline = { format: BASELINE_FORMAT, version: 1, cells: {} };

/** Returns the accepted differences of one step. */
export function acceptedFields(
  { cells }: Baseline,
  { cell, run, step }: { readonly cell: string; readonly run: string; readonly step: number },
): readonly ComparedField[] {
  return own(own(own(cells, cell), run), String(step)) ?? [];
}

/** Reads an own property, since a run or a cell may be called `constructor`. */
const own = <Value>(record: Readonly<Record<string, Value>> | undefined, name: string): Value | undefined =>
  record && Object.hasOwn(record, name) ? record[name] : undefined;

/**
 * Returns a baseline that accepts the current differences. For steps without a result, keeps the differences that
 * were accepted before.
 */
export function updateBaseline(before: Baseline, cells: readonly CellReport[]): Baseline {
  const updated = cells.map(({ name, steps }) => {
    const runs = new Map<string, Record<string, readonly ComparedField[]>>();
    for (const { run, step, verdict, differs = [] } of steps) {
      const isKnown = verdict !== 'missing' && verdict !== 'skipped';
      const accepted = isKnown ? differs : acceptedFields(before, { cell: name, run, step });
      if (accepted.length === 0) continue;
      const ofRun = runs.get(run) ?? {};
      ofRun[step] = accepted;
      runs.set(run, ofRun);
    }
    return [name, Object.fromEntries(runs)] as const;
  });
  return { ...emptyBaseline, cells: { ...before.cells, ...Object.fromEntries(updated) } };
}
