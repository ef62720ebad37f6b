import { batch, computed, signal } from '@preact/signals';
import {
  type ApprovalRule,
  emptyRun,
  joinRuns,
  type RunOptions,
  type StepView,
  StepwiseError,
  type Trajectory,
} from '../../sdk/index.js';
import { project, tools } from '../project/project.js';
import { ActiveRun } from '../run/active-run.js';
import type { Branch, ForkPoint } from '../run/branch.js';
import { failureInWords } from '../run/failure-in-words.js';
import { type Contents, neededPaths, toRunOptions } from '../run/run-options.js';
import { client, settings } from './settings.js';

/** Every run of this visit, oldest first. */
export const branches = signal<readonly Branch[]>([]);
/** The run that is shown. */
export const shownId = signal<string | null>(null);
export const shown = computed(() => branches.value.find(({ id }) => id === shownId.value) ?? null);

/** Which step of it the inspector shows, by number, and which model call of the step; null follows the newest. */
export const selected = signal<{ readonly step: number; readonly call: number } | null>(null);
export const selectedStep = computed<StepView | null>(() => {
  const steps = shown.value?.view.steps ?? [];
  const number = selected.value?.step;
  return (number === undefined ? steps.at(-1) : steps.find((step) => step.number === number)) ?? null;
});
export const selectedCall = computed(() => {
  const calls = selectedStep.value?.calls ?? [];
  return calls[selected.value?.call ?? calls.length - 1] ?? calls.at(-1) ?? null;
});

/** The run on its way; one at a time. */
export const active = signal<ActiveRun | null>(null);
/** What is allowed without asking, kept from run to run of this visit. */
export const approvalRules = signal<readonly ApprovalRule[]>([]);
/** Takes a rule back, of a run on its way too: from its next step on it asks again. */
export function revoke(rule: ApprovalRule): void {
  active.value?.run.revoke(rule);
  approvalRules.value = approvalRules.value.filter((each) => each !== rule);
}

/** What could not be done, in words. */
export const trouble = signal<string | null>(null);

export interface Start {
  readonly task: string;
  /** How many model calls to take before the first pause; all of them by default. */
  readonly steps?: number;
  /** In place of what the settings say: a history, a TODO list, a session to go on with. */
  readonly options?: Partial<RunOptions>;
  readonly label?: string;
  readonly parent?: ForkPoint;
  /** The steps a branch keeps of the run it left, as they are shown and as they are saved. */
  readonly inherited?: readonly StepView[];
  readonly kept?: Trajectory;
}

/** Starts a run and shows it; resolves when it has ended. */
export async function startRun({
  task,
  steps,
  options,
  label,
  parent,
  inherited = [],
  kept,
}: Start): Promise<void> {
  if (active.value) return;
  const contents = await readContents();
  const id = newId();
  const run = new ActiveRun({
    client: client.value,
    task,
    inherited,
    options: {
      ...toRunOptions(settings.value, tools.value, contents),
      approvalRules: approvalRules.value,
      ...options,
    },
    onView: (view, saved) => {
      amendBranch(
        id,
        kept ? { view: { ...view, task: kept.task }, saved: joinRuns(kept, saved) } : { view, saved },
      );
      approvalRules.value = run.run.approvalRules;
    },
  });
  batch(() => {
    const blank = { id, origin: 'live', view: emptyRun(inherited), saved: null } as const;
    addBranch({ ...blank, label: label ?? task, parent: parent ?? null });
    active.value = run;
    trouble.value = null;
  });
  try {
    await run.read(steps);
  } finally {
    active.value = null;
  }
}

export function inWords(error: unknown): string {
  if (error instanceof StepwiseError) return failureInWords(error);
  return error instanceof TypeError || error instanceof RangeError ? error.message : 'This did not work.';
}

/** Shows a run that was read from a file; `id` names it in links. */
export const addRun = (run: Omit<Branch, 'id'>, id: string = newId()): void => addBranch({ ...run, id });

function addBranch(branch: Branch): void {
  batch(() => {
    branches.value = [...branches.value, branch];
    shownId.value = branch.id;
    selected.value = null;
  });
}

const amendBranch = (id: string, changes: Partial<Branch>): void => {
  branches.value = branches.value.map((branch) => (branch.id === id ? { ...branch, ...changes } : branch));
};

export const renameBranch = (id: string, label: string): void => amendBranch(id, { label });

/** Takes a run away; the one that was there before it is shown, if it was this one. */
export function closeBranch(id: string): void {
  const at = branches.value.findIndex((branch) => branch.id === id);
  const left = branches.value.toSpliced(at, 1);
  batch(() => {
    branches.value = left;
    if (shownId.value !== id) return;
    shownId.value = (left[at - 1] ?? left[0])?.id ?? null;
    selected.value = null;
  });
}

export async function readContents(): Promise<Contents> {
  const open = project.value;
  const read = await Promise.all(
    neededPaths(settings.value).map(async (path) => [path, await open?.read(path)] as const),
  );
  return new Map(
    read.flatMap(([path, content]) => (content === undefined ? [] : [[path, content] as const])),
  );
}

let ids = 0;
const newId = (): string => {
  ids += 1;
  return `run-${ids}`;
};
