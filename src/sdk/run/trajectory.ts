import type { TurnInput } from '../../contract/history.js';
import type { Step } from '../../contract/step.js';
import type { Task } from '../../contract/step-request.js';
import type { ToolDefinition } from '../../contract/tool.js';
import { toDefinition } from './build-request.js';
import type { RunOptions } from './run-options.js';
import type { RunResult } from './run-result.js';
import type { RunState } from './run-state.js';

/**
 * A saved run: one JSON file, no keys. Enough to go on from, to play again without model and tools, and to read
 * its completions with another parser.
 */
export interface Trajectory {
  /** Tells a saved run from other JSON. */
  readonly format: 'stepwise-run';
  /** Stands for the shape. */
  readonly version: 1;
  /** The task of the run. */
  readonly task: string;
  /** As sent with every step. */
  readonly project_id: string;
  /** As sent with every step. */
  readonly session_id: string;
  /** The options that are data. */
  readonly options: SavedOptions;
  /** The offered tools, without their code. */
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

/** The run as it stands; what has no end yet has no result. */
export function toTrajectory(run: RunState, result: RunResult | undefined): Trajectory {
  const { projectId: project_id, sessionId: session_id, task, tasks } = run;
  return {
    format: 'stepwise-run',
    version: 1,
    task,
    project_id,
    session_id,
    options: savedOptions(run.options),
    tools: [...run.tools.values()].map(toDefinition),
    began_with: run.beganWith,
    responses: [...run.responses],
    observations: [...run.observations],
    history: run.resumableHistory,
    tasks,
    result: result ? withoutFunctions(result) : null,
  };
}

function withoutFunctions({ summary: _, ...result }: RunResult): Trajectory['result'] {
  return result;
}

/** The options that are data and not code, nor anything a person decides anew. Options that nobody set are left out. */
export function savedOptions(options: SavedOptions): SavedOptions {
  const { llmConfig, strategy, phaseInstructions, protocol, maxSteps, instructions, context, clientTools } =
    options;
  return {
    llmConfig,
    ...(strategy && { strategy }),
    ...(phaseInstructions && { phaseInstructions }),
    ...(protocol && { protocol }),
    ...(maxSteps !== undefined && { maxSteps }),
    ...(instructions !== undefined && { instructions }),
    ...(context && { context }),
    ...(clientTools && { clientTools }),
  };
}
