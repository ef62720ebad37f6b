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
import { listing, project, tools } from '../project/project.js';
import { ActiveRun } from '../run/active-run.js';
import type { Branch, ForkPoint } from '../run/branch.js';
import { failureInWords } from '../run/failure-in-words.js';
import { type Contents, neededPaths, toRunOptions } from '../run/run-options.js';
import { client, settings } from './settings.js';

/** All runs of this visit, oldest first. */
export const branches = signal<readonly Branch[]>([]);
/** Id of the visible run. */
export const shownId = signal<string | null>(null);
export const shown = computed(() => branches.value.find(({ id }) => id === shownId.value) ?? null);

/** The step that the inspector shows, and the model call in it; null if the inspector always shows the newest. */
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

/** The run in progress; at most one. */
export const active = signal<ActiveRun | null>(null);
/** Rules that allow actions without asking, shared by all runs of this visit. */
export const approvalRules = signal<readonly ApprovalRule[]>([]);
/** Revokes a rule. From its next step on, a run in progress asks again for the calls that the rule allowed. */
export function revoke(rule: ApprovalRule): void {
  active.value?.run.revoke(rule);
  approvalRules.value = approvalRules.value.filter((each) => each !== rule);
}

/** The reason why the last command failed. */
export const trouble = signal<string | null>(null);

export interface Start {
  readonly task: string;
  /** Number of model calls before the first pause; unlimited by default. */
  readonly steps?: number;
  /** Options that replace the settings, such as a history, a TODO list or a session to continue. */
  readonly options?: Partial<RunOptions>;
  readonly label?: string;
  readonly parent?: ForkPoint;
  /** Steps that a branch takes over from its parent, as views and as saved data. */
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
  if (active.value) return; // another run was started meanwhile
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

/** Explains an error to the person; `unexpected` is the sentence for an error of an unknown kind. */
export function inWords(
  error: unknown,
  unexpected = 'The run could not be started because of an unexpected error.',
): string {
  if (error instanceof StepwiseError) return failureInWords(error.toStepError());
  return error instanceof TypeError || error instanceof RangeError ? error.message : unexpected;
}

/** Adds a run that was read from a file and shows it; `id` names it in links. Adds a run with the same id only once. */
export function addRun(run: Omit<Branch, 'id'>, id: string = newId()): void {
  if (!branches.value.some((branch) => branch.id === id)) addBranch({ ...run, id });
}

function addBranch(branch: Branch): void {
  batch(() => {
    branches.value = [...branches.value, branch];
    shownId.value = branch.id;
    selected.value = openingStep(branch);
  });
}

/**
 * Returns the step at which a run is opened: the first of a saved run, which people read from its beginning; null for
 * a live run, whose newest step is inspected.
 */
export function openingStep({ origin, view }: Branch): typeof selected.value {
  const [first] = view.steps;
  return origin === 'file' && first ? { step: first.number, call: 0 } : null;
}

/** Changes a run; does nothing if the person has closed it. */
export const amendBranch = (id: string, changes: Partial<Branch>): void => {
  branches.value = branches.value.map((branch) => (branch.id === id ? { ...branch, ...changes } : branch));
};

export const renameBranch = (id: string, label: string): void => amendBranch(id, { label });

/** Removes a run; if it was visible, shows the one before it. */
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

/** Maximum number of files in a request, and of their characters together: a body has at most 4 MiB. */
const MAX_SENT_FILES = 500;
const MAX_SENT_CHARACTERS = 2_500_000;

/** Number of requested files that the next request does not contain, because there are too many. */
export const tooMany = signal(0);

/** Reads the files that the settings ask for, in their order, up to the maximum size of a request. */
export async function readContents(): Promise<Contents> {
  const open = project.value;
  const wanted = neededPaths(settings.value, listing.value.paths);
  const read = await Promise.all(
    wanted.slice(0, MAX_SENT_FILES).map(async (path) => [path, await open?.read(path)] as const),
  );
  const contents = new Map<string, string>();
  let characters = 0;
  let skipped = Math.max(0, wanted.length - MAX_SENT_FILES);
  for (const [path, content] of read) {
    if (content === undefined) continue;
    if (characters + content.length > MAX_SENT_CHARACTERS) {
      skipped += 1;
      continue;
    }
    characters += content.length;
    contents.set(path, content);
  }
  tooMany.value = skipped;
  return contents;
}

let ids = 0;
const newId = (): string => {
  ids += 1;
  return `run-${ids}`;
};
