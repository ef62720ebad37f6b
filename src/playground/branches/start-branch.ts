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

/** Where a branch is about to leave a run; null while nobody thinks of it. */
export const leaving = signal<Leaving | null>(null);

export interface Leaving {
  readonly branch: Branch;
  readonly step: StepView;
  /** Whether the step's results are to be changed first. */
  readonly keepsStep: boolean;
}

export interface BranchStart extends Pick<Leaving, 'branch' | 'step'> {
  readonly draft: BranchDraft;
  /** How many model calls to take before the first pause; all of them by default. */
  readonly steps?: number;
}

/** What stands in the way of a run with the branch's model, in words; else the settings now name that model, so that its key is sent. */
export function takeModel({ model, upstream }: BranchDraft): string | null {
  const { model: formerModel, upstream: formerUpstream } = settings.value;
  changeSettings({ model: model.trim(), upstream });
  const problem = missing.value;
  if (problem !== null) changeSettings({ model: formerModel, upstream: formerUpstream });
  return problem;
}

/** Leaves a run before a step, or after it with other results, and goes on as the draft says; resolves when the branch has ended. */
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

/** Where a run is left, and what is different from there on. */
export interface Departure extends Pick<Leaving, 'branch' | 'step'>, Pick<BranchStart, 'steps'> {
  /** What calls of the step came to instead, by their ids; null: the step is done again. */
  readonly results: Readonly<Record<string, string>> | null;
  readonly label: string;
  /** In words. */
  readonly change: string;
  /** In place of the run's own. */
  readonly options: Partial<RunOptions>;
}

/** Keeps a run up to a step and goes on from there; resolves when the branch has ended. A run of which nothing is saved is left alone. */
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

/** The contents of what the run did not have: the service does not see the page's folder. */
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
