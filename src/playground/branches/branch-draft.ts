import type { RunContext, RunOptions, SavedOptions, StepView, Trajectory } from '../../sdk/index.js';
import type { Branch } from '../run/branch.js';
import type { Contents } from '../run/run-options.js';
import { plural } from '../text/figures.js';

/** Everything a person may change when branching from a run. */
export interface BranchDraft {
  /**
   * True if the branch keeps the step with these results and continues with the next step; false if it repeats the
   * step.
   */
  readonly keepsStep: boolean;
  /** Editable results of the step, by call id. */
  readonly observations: Readonly<Record<string, string>>;
  readonly model: string;
  /** Name of the upstream; empty to let the service choose one by the model's name. */
  readonly upstream: string;
  readonly instructions: string;
  readonly tokenLimit: number;
  readonly reservedOutputTokens: number;
  readonly maxSteps: number;
  /** Files and folders in the context, as the person named them. */
  readonly paths: readonly string[];
  readonly pinned: readonly string[];
}

/** The SDK's defaults. */
const defaults = { tokenLimit: 32_000, reservedOutputTokens: 4_000, maxSteps: 10 };

/**
 * Tools of the SDK whose results follow from the state of the run, so they cannot be edited. The answer to a
 * question can be edited.
 */
const ownTools: readonly string[] = [
  'create_tasks',
  'update_task_status',
  'get_tasks',
  'compact_context',
] satisfies NonNullable<RunOptions['clientTools']>;

/** Returns the calls of a step whose results can be edited. */
export const changeableActions = ({ actions }: StepView): StepView['actions'] =>
  actions.filter(({ tool }) => !ownTools.includes(tool));

/** Returns a draft without changes: the run as it was from this step on. */
export function draftOf({ options, responses }: Trajectory, branch: Branch, step: StepView): BranchDraft {
  const { llmConfig, instructions = '', context, maxSteps = defaults.maxSteps } = options;
  const before = responses[responsesBefore(branch, step.number) - 1];
  return {
    keepsStep: false,
    observations: Object.fromEntries(
      changeableActions(step).map(({ id, observation }) => [id, observation ?? '']),
    ),
    model: llmConfig.modelName,
    upstream: llmConfig.provider ?? '',
    instructions: instructions ?? '',
    tokenLimit: llmConfig.tokenLimit ?? defaults.tokenLimit,
    reservedOutputTokens: llmConfig.reservedOutputTokens ?? defaults.reservedOutputTokens,
    maxSteps: Math.max(1, before?.iterations_remaining ?? maxSteps ?? defaults.maxSteps),
    paths: context?.paths ?? [],
    pinned: context?.pinned ?? [],
  };
}

/** Counts the service's responses before a step. */
export const responsesBefore = ({ view }: Branch, step: number): number =>
  view.steps
    .slice(0, step - 1)
    .flatMap(({ calls }) => calls)
    .filter(({ response }) => response !== null).length;

/** Returns the results that the person edited. */
export const changedObservations = (
  draft: BranchDraft,
  before: BranchDraft,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(draft.observations).filter(
      ([id, text]) => draft.keepsStep && text !== before.observations[id],
    ),
  );

/** Returns the steps that the branch takes over, with the results that the person edited. */
export function keptSteps({ view }: Branch, step: number, changed: Readonly<Record<string, string>> | null) {
  const before = view.steps.slice(0, step - 1);
  const [kept] = view.steps.slice(step - 1, step);
  if (!changed || !kept) return before;
  const actions = kept.actions.map((action) => {
    const observation = Object.hasOwn(changed, action.id) ? changed[action.id] : undefined;
    return observation === undefined ? action : { ...action, observation, state: 'done' as const };
  });
  return [...before, { ...kept, actions }];
}

/** Applies the draft to the run's options; `contents` holds the contents of files that the run did not have. */
export function draftOptions(
  draft: BranchDraft,
  saved: SavedOptions,
  contents: Contents,
): Partial<RunOptions> {
  const { model, upstream, tokenLimit, reservedOutputTokens, instructions, maxSteps } = draft;
  const { strategy, protocol, phaseInstructions, clientTools } = saved;
  return {
    strategy,
    protocol,
    phaseInstructions,
    clientTools,
    llmConfig: {
      ...saved.llmConfig,
      modelName: model.trim(),
      tokenLimit,
      reservedOutputTokens,
      provider: upstream === '' ? undefined : upstream,
    },
    maxSteps,
    instructions: instructions.trim() === '' ? undefined : instructions,
    context: contextOf(draft, saved.context ?? {}, contents),
  };
}

/** Removes deselected paths with their contents and keeps the rest of the run's context. */
function contextOf(draft: BranchDraft, before: RunContext, contents: Contents): RunContext {
  const { paths, pinned } = draft;
  const files = (before.inline?.files ?? []).filter(({ path }) => !isTakenOut(path, before.paths, paths));
  const items = (before.inline?.pinned_items ?? []).filter(
    ({ id }) => !isTakenOut(id, before.pinned, pinned),
  );
  const had = new Set(files.map(({ path }) => path));
  const added = [...contents]
    .filter(([path]) => !had.has(path))
    .map(([path, content]) => ({ path, content }));
  return { ...before, paths, pinned, inline: { files: [...files, ...added], pinned_items: items } };
}

const isTakenOut = (id: string, before: readonly string[] | undefined, after: readonly string[]): boolean =>
  (before?.includes(id) ?? false) && !after.includes(id);

/** Describes the changes; also used as the branch's name. */
export function describeDraft(draft: BranchDraft, before: BranchDraft, step: StepView): string {
  const changed = Object.keys(changedObservations(draft, before));
  const tools = step.actions.filter(({ id }) => changed.includes(id)).map(({ tool }) => tool);
  const words = [
    ...(tools.length > 0 ? [`other result of ${tools.join(', ')}`] : []),
    ...(draft.model === before.model ? [] : [`model ${draft.model.trim()}`]),
    ...(draft.upstream === before.upstream ? [] : [`upstream ${draft.upstream || 'automatic'}`]),
    ...(draft.instructions === before.instructions ? [] : ['other instructions']),
    ...(draft.tokenLimit === before.tokenLimit ? [] : [`${draft.tokenLimit.toLocaleString('en')} tokens`]),
    ...(draft.reservedOutputTokens === before.reservedOutputTokens
      ? []
      : [`${draft.reservedOutputTokens.toLocaleString('en')} for the reply`]),
    ...(draft.maxSteps === before.maxSteps ? [] : [plural(draft.maxSteps, 'step')]),
    ...difference(draft.paths, before.paths),
    ...difference(draft.pinned, before.pinned),
  ];
  const again = draft.keepsStep ? `after step ${step.number}` : `step ${step.number} again`;
  return [again, ...words].join(', ');
}

const difference = (after: readonly string[], before: readonly string[]): readonly string[] => [
  ...after.filter((id) => !before.includes(id)).map((id) => `with ${id}`),
  ...before.filter((id) => !after.includes(id)).map((id) => `without ${id}`),
];

/** Returns a sentence that explains why a run with these settings is impossible; null if it is possible. */
export function problemOf({ model, tokenLimit, reservedOutputTokens, maxSteps }: BranchDraft): string | null {
  const numbers = [tokenLimit, reservedOutputTokens, maxSteps];
  if (model.trim() === '') return 'A model must be named.';
  if (!numbers.every((number) => Number.isInteger(number) && number >= 1))
    return 'Tokens and steps must be whole numbers of at least 1.';
  return reservedOutputTokens < tokenLimit ? null : 'The reply reserve must be smaller than the token limit.';
}
