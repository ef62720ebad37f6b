import { signal } from '@preact/signals';
import { continueRun, forkRun, type RunOptions, type StepView } from '../../sdk/index.js';
import { project } from '../project/project.js';
import type { Branch } from '../run/branch.js';
import { startRun } from '../state/runs.js';
import { change as changeSettings, missing, settings } from '../state/settings.js';
import {
  type BranchDraft,
  changedObservations,
  describeDraft,
  draftOf,
  draftOptions,
  keptSteps,
  responsesBefore,
} from './branch-draft.js';

/** The run and step from which a branch is being prepared; null if none is. */
export const leaving = signal<Leaving | null>(null);

export interface Leaving {
  readonly branch: Branch;
  readonly step: StepView;
  /** True to keep the step and edit its results; false to repeat the step. */
  readonly keepsStep: boolean;
}

export interface BranchStart extends Pick<Leaving, 'branch' | 'step'> {
  readonly draft: BranchDraft;
  /** Number of model calls before the first pause; unlimited by default. */
  readonly steps?: number;
}

/**
 * Selects the branch's model in the settings, so that the page sends the key of that model. If a run with it is
 * impossible, restores the settings and returns the reason.
 */
export function takeModel({ model, upstream }: BranchDraft): string | null {
  const { model: formerModel, upstream: formerUpstream } = settings.value;
  changeSettings({ model: model.trim(), upstream });
  const problem = missing.value;
  if (problem !== null) changeSettings({ model: formerModel, upstream: formerUpstream });
  return problem;
}

/**
 * Begins a branch before a step, or after it with edited results, with the settings of the draft. Resolves when
 * the run of the branch has ended.
 */
export async function startBranch({ branch, step, draft, steps }: BranchStart): Promise<void> {
  const { saved } = branch;
  if (!saved) return;
  const before = draftOf(saved, branch, step);
  const label = describeDraft(draft, before, step);
  await leaveRun({
    branch,
    step,
    results: draft.keepsStep ? changedObservations(draft, before) : null,
    label,
    change: label,
    options: draftOptions(draft, saved.options, await newContents(draft, before)),
    ...(steps !== undefined && { steps }),
  });
}

/** The step at which a branch leaves a run, and the changes that the branch makes. */
export interface Departure extends Pick<Leaving, 'branch' | 'step'>, Pick<BranchStart, 'steps'> {
  /** Edited results, by call id; null if the branch repeats the step. */
  readonly results: Readonly<Record<string, string>> | null;
  readonly label: string;
  /** Description of the change. */
  readonly change: string;
  /** Options that replace the run's own. */
  readonly options: Partial<RunOptions>;
}

/**
 * Keeps a run up to a step and continues from there; resolves when the branch has ended. Does nothing if the run has
 * no saved state.
 */
export async function leaveRun({
  branch,
  step,
  results,
  label,
  change,
  options,
  steps,
}: Departure): Promise<void> {
  const { saved } = branch;
  if (!saved) return;
  const { number } = step;
  const responses = responsesBefore(branch, results ? number + 1 : number);
  const kept = await forkRun(saved, { responses, ...(results && { observations: results }) });
  const [task, own] = continueRun(kept);
  await startRun({
    task,
    kept,
    label,
    parent: { branchId: branch.id, step: number, change },
    inherited: keptSteps(branch, number, results),
    options: { ...own, ...options },
    ...(steps !== undefined && { steps }),
  });
}

/**
 * Reads files that the draft adds to the context. Requests contain them, since the service cannot read the page's
 * folder.
 */
async function newContents(draft: BranchDraft, before: BranchDraft): Promise<ReadonlyMap<string, string>> {
  const paths = draft.paths.filter((path) => !before.paths.includes(path));
  const contents = await Promise.all(paths.map((path) => project.value?.read(path)));
  return new Map(
    paths.flatMap((path, index) => {
      const content = contents[index];
      return content === undefined ? [] : [[path, content] as const];
    }),
  );
}
