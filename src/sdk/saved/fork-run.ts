import type { TurnInput } from '../../contract/history.js';
import { noUsage, sumUsage } from '../base/usage.js';
import type { RunOptions } from '../run/run-options.js';
import { DEFAULT_MAX_STEPS } from '../run/run-state.js';
import type { Trajectory } from '../run/trajectory.js';
import { resumeOptions } from './read-trajectory.js';
import { replayRun } from './replay-run.js';

/** Where a saved run is left, to go on another way. */
export interface Fork {
  /** How many of its responses are kept, from the first; in the strict strategy whole rounds. */
  readonly responses: number;
  /** What kept calls came to instead, by their ids. Such a call counts as one that succeeded. */
  readonly observations?: Readonly<Record<string, string>> | undefined;
}

/**
 * The saved run as it stood before it asked the model for the next response: to go on from another way
 * (`client.run(...continueRun(kept))`). What the run's own tools say follows from the run and cannot be given other words,
 * but for the answer to a question. Rejects like `replayRun`.
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
  const { history, tasks, observations: made, result } = replay.save();
  return { ...kept, observations: made, history, tasks, result };
}

const observation = (toolCallId: string, content: string): TurnInput => ({
  role: 'tool_observation',
  content,
  toolCallId,
  toolResult: { success: true },
});

/** The task and options of a run that goes on from a kept one; tools are code and given anew. */
export function continueRun(kept: Trajectory): readonly [task: string, options: RunOptions] {
  const task = kept.responses.some(({ status }) => status !== 'error') ? '' : kept.task;
  const history = task === '' ? kept.history : kept.began_with;
  return [task, { ...resumeOptions(kept), history, maxSteps: Math.max(1, stepsLeft(kept)) }];
}

/** How many steps a run may still take: model calls, in the strict strategy rounds. */
const stepsLeft = ({ responses, options: { maxSteps = DEFAULT_MAX_STEPS } }: Trajectory): number =>
  responses.at(-1)?.iterations_remaining ?? maxSteps;

/**
 * One saved run of two: what was kept of one, then what came of going on from it. Plays from the first step to the last,
 * and can be gone on from like any other. Each response says how many steps were left then, also where more were allowed
 * later.
 */
export function joinRuns(kept: Trajectory, own: Trajectory): Trajectory {
  return {
    ...own,
    task: kept.task,
    options: { ...own.options, maxSteps: kept.options.maxSteps ?? DEFAULT_MAX_STEPS },
    tools: [...own.tools, ...calledAlone(kept, own)],
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

/** The tools that only the kept part has called: without them its calls could not be played. */
function calledAlone({ tools, responses }: Trajectory, own: Trajectory): Trajectory['tools'] {
  const called = new Set(
    responses.flatMap(({ action_details: first, additional_actions: more }) =>
      [first, ...more].map((action) => action?.tool_name),
    ),
  );
  const offered = new Set(own.tools.map(({ name }) => name));
  return tools.filter(({ name }) => called.has(name) && !offered.has(name));
}
