import type { Attachment } from '../../contract/attachment.js';
import type { TurnInput } from '../../contract/history.js';
import { noUsage, sumUsage } from '../../conversation/usage.js';
import { withinSavedLimit } from '../base/attachments.js';
import type { RunOptions } from '../run/run-options.js';
import { DEFAULT_MAX_STEPS } from '../run/run-state.js';
import type { Trajectory } from '../run/trajectory.js';
import { resumeOptions } from './read-trajectory.js';
import { replayRun } from './replay-run.js';

/** The point at which a new run branches off a saved one. */
export interface Fork {
  /** Number of responses to keep, from the first; in the strategy `reason-act-observe` only whole rounds. */
  readonly responses: number;
  /**
   * New observations for kept calls, by call id. A call with a new observation is treated as successful. If the new
   * observation is a string, the old attachments stay. Tools that the call found stay found.
   */
  readonly observations?: Readonly<Record<string, string | NewObservation>> | undefined;
}

/** A text with other attachments, or none, in place of an observation. */
export interface NewObservation {
  /** The text that the model reads. */
  readonly content: string;
  /** Images and PDF files that the model sees with the text. */
  readonly attachments: readonly Attachment[];
}

/**
 * Returns the saved run as it was before its next model call, for a branch: `client.run(...continueRun(kept))`.
 * Observations of the SDK's own tools cannot be replaced, except for the answer to a question. Rejects like `replayRun`.
 */
export async function forkRun(
  saved: Trajectory,
  { responses, observations = {} }: Fork,
): Promise<Trajectory> {
  const before = new Map(saved.observations.map((turn) => [turn.toolCallId, turn]));
  const kept = {
    ...saved,
    responses: saved.responses.slice(0, responses),
    observations: [
      ...saved.observations.filter(({ toolCallId }) => !Object.hasOwn(observations, toolCallId ?? '')),
      ...Object.entries(observations).map(([id, given]) => observation(id, given, before.get(id))),
    ],
    result: null,
    // The recorded steps stay in the file of the original run.
    recordedSteps: undefined,
  };
  const replay = replayRun(kept);
  await replay.result();
  const { history, tasks, observations: replayed, result } = replay.save();
  return { ...kept, observations: replayed, history, tasks, result };
}

function observation(
  toolCallId: string,
  given: string | NewObservation,
  before: TurnInput | undefined,
): TurnInput {
  const { content, attachments } =
    typeof given === 'string' ? { content: given, attachments: before?.attachments } : given;
  const found = before?.tool_definitions;
  return {
    role: 'tool_observation',
    content,
    toolCallId,
    toolResult: { success: true },
    ...(attachments?.length && { attachments: [...attachments] }),
    ...(found && { tool_definitions: found }),
  };
}

/** Returns the task and options of a run that continues `kept`. Tools are code, which a file cannot hold: add them. */
export function continueRun(kept: Trajectory): readonly [task: string, options: RunOptions] {
  const task = kept.responses.some(({ status }) => status !== 'error') ? '' : kept.task;
  const options = { ...resumeOptions(kept), maxSteps: Math.max(1, stepsLeft(kept)) };
  if (task === '') return [task, options];
  return [task, { ...options, history: kept.beganWith, attachments: kept.attachments ?? [] }];
}

/** Returns how many steps are left: model calls, or whole rounds in the strategy `reason-act-observe`. */
const stepsLeft = ({ responses, options: { maxSteps = DEFAULT_MAX_STEPS } }: Trajectory): number =>
  responses.at(-1)?.iterations_remaining ?? maxSteps;

/**
 * Joins the kept part of a run and the run that continued it into one saved run, which can be replayed and continued like
 * any other. Each response keeps the number of steps that were left when it was made.
 */
export function joinRuns(kept: Trajectory, own: Trajectory): Trajectory {
  return {
    ...own,
    task: kept.task,
    attachments: kept.attachments,
    options: { ...own.options, maxSteps: kept.options.maxSteps ?? DEFAULT_MAX_STEPS },
    tools: [...own.tools, ...calledOnlyBefore(kept, own)],
    beganWith: kept.beganWith,
    responses: [...kept.responses, ...own.responses],
    observations: withinSavedLimit([...kept.observations, ...own.observations]),
    // Records must be those of the first steps, and the kept steps have none.
    recordedSteps: kept.responses.length > 0 ? undefined : own.recordedSteps,
    result: own.result && joinResults(kept.result, own.result),
  };
}

type SavedResult = NonNullable<Trajectory['result']>;

function joinResults(kept: Trajectory['result'], own: SavedResult): SavedResult {
  const { steps: before = [], usage = noUsage } = kept ?? {};
  const after = own.steps.map((step) => ({ ...step, number: before.length + step.number }));
  return { ...own, steps: [...before, ...after], usage: sumUsage(usage, own.usage) };
}

/** Returns the tools that only the kept part offered and called: its calls could not be replayed without them. */
function calledOnlyBefore({ tools, responses }: Trajectory, own: Trajectory): Trajectory['tools'] {
  const called = new Set(
    responses.flatMap(({ action_details: first, additional_actions: more }) =>
      [first, ...more].map((action) => action?.tool_name),
    ),
  );
  const offered = new Set(own.tools.map(({ name }) => name));
  return tools.filter(({ name }) => called.has(name) && !offered.has(name));
}
