import type { TurnInput } from '../../contract/history.js';
import type { Step } from '../../contract/step.js';
import type { Task } from '../../contract/step-request.js';
import type { ToolDefinition } from '../../contract/tool.js';
import type { RunOptions } from '../run/run-options.js';
import type { RunResult } from '../run/run-result.js';

/**
 * A saved run: one JSON file, no keys. Enough to go on from, to play again without model and tools, and to read
 * its completions with another parser.
 */
export interface Trajectory {
  /** Tells a saved run from other JSON. */
  readonly format: 'stepwise-run';
  /** Stands for the shape. */
  readonly version: 1;
  /** What the run was asked. */
  readonly task: string;
  /** As sent with every step. */
  readonly project_id: string;
  /** As sent with every step. */
  readonly session_id: string;
  /** The options that are data. */
  readonly options: SavedOptions;
  /** What was offered, without its code. */
  readonly tools: readonly ToolDefinition[];
  /** The history the run began with. */
  readonly began_with: readonly TurnInput[];
  /** Every response of the service, each with the model's own text. */
  readonly responses: readonly Step[];
  /** Every observation as it was made, before any compaction. */
  readonly observations: readonly TurnInput[];
  /** As it stood when it was saved; to go on from. */
  readonly history: readonly TurnInput[];
  /** The TODO list as it stood then. */
  readonly tasks: readonly Task[];
  /** Null while the run is on its way. */
  readonly result: Omit<RunResult, 'summary'> | null;
}

/** The options of a run that are data and not code. */
export type SavedOptions = Pick<
  RunOptions,
  | 'llmConfig'
  | 'strategy'
  | 'phaseInstructions'
  | 'protocol'
  | 'maxSteps'
  | 'instructions'
  | 'context'
  | 'clientTools'
>;

/** Reads a saved run. Throws `TypeError` for anything else. */
export function readTrajectory(json: string): Trajectory {
  const value: unknown = parse(json);
  if (!isTrajectory(value)) throw new TypeError('This is not a saved run of version 1.');
  return value;
}

/** The options of a run that goes on where the saved one ended; tools are code and given anew. */
export function resumeOptions({ options, history, tasks, project_id, session_id }: Trajectory): RunOptions {
  return { ...options, history, tasks, projectId: project_id, sessionId: session_id };
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (cause) {
    throw new TypeError('A saved run is a JSON file; this is not.', { cause });
  }
}

const lists = ['tools', 'began_with', 'responses', 'observations', 'history', 'tasks'] as const;

/** The version stands for the shape; what is walked through is looked at, so that damage shows here. */
function isTrajectory(value: unknown): value is Trajectory {
  if (typeof value !== 'object' || value === null) return false;
  const saved: Partial<Record<keyof Trajectory, unknown>> = value;
  const isObject = (field: unknown) => typeof field === 'object' && field !== null;
  return (
    saved.format === 'stepwise-run' &&
    saved.version === 1 &&
    typeof saved.task === 'string' &&
    isObject(saved.options) &&
    lists.every((name) => {
      const list = saved[name];
      return Array.isArray(list) && list.every(isObject);
    })
  );
}
