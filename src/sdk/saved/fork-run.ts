import type { TurnInput } from '../../contract/history.js';
import { noUsage, sumUsage } from '../../conversation/usage.js';
import type { RunOptions } from '../run/run-options.js';
import { DEFAULT_MAX_STEPS } from '../run/run-state.js';
import type { Trajectory } from '../run/trajectory.js';
import { resumeOptions } from './read-trajectory.js';
import { replayRun } from './replay-run.js';

/** The point at which a new run branches off a saved one. */
export interface Fork {
  /** Number of responses to keep, from the first; in the strategy `reason-act-observe` only whole rounds. */
  readonly responses: number;
  /** New observations for kept calls, by call id. Such a call counts as successful. */
  readonly observations?: Readonly<Record<string, string>> | undefined;
}

/**
 * Returns the saved run as it was before its next model call, for a branch: `client.run(...continueRun(kept))`.
 * Observations of the SDK's own tools cannot be replaced, except for the answer to a question. Rejects like `replayRun`.
 */
export async function forkRun(
  saved: Trajectory,
  { responses, observations = {} }: Fork,
): Promise<Trajectory> {
  const kept = {
    ...saved,
    responses: saved.responses.slice(0, responses),
    observations: [
      ...saved.observations.filter(({ toolCallId }) => !Object.hasOwn(observations, toolCallId ?? '')),
      ...Object.entries(observations).map(([toolCallId, content]) => observation(toolCallId, content)),
    ],
    result: null,
  };
  const replay = replayRun(kept);
  await replay.result();
  const { history, tasks, observations: replayed, result } = replay.save();
  return { ...kept, observations: replayed, history, tasks, result };
}

const observation = (toolCallId: string, content: string): TurnInput => ({
  role: 'tool_observation',
  content,
  toolCallId,
  toolResult: { success: true },
});

/** Returns the task and options of a run that continues `kept`. Tools are code, which a file cannot hold: add them. */
export function continueRun(kept: Trajectory): readonly [task: string, options: RunOptions] {
  const task = kept.responses.some(({ status }) => status !== 'error') ? '' : kept.task;
  const history = task === '' ? kept.history : kept.began_with;
  return [task, { ...resumeOptions(kept), history, maxSteps: Math.max(1, stepsLeft(kept)) }];
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
    options: { ...own.options, maxSteps: kept.options.maxSteps ?? DEFAULT_MAX_STEPS },
    tools: [...own.tools, ...calledOnlyBefore(kept, own)],
    began_with: kept.began_with,
    responses: [...kept.responses, ...own.responses],
    observations: [...kept.observations, ...own.observations],
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
