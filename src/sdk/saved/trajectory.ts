import type { TurnInput } from '../../contract/history.js';
import type { Step } from '../../contract/step.js';
import type { Task } from '../../contract/step-request.js';
import type { ToolDefinition } from '../../contract/tool.js';
import { clientToolNames } from '../actions/client-tools.js';
import type { RunOptions } from '../run/run-options.js';
import type { RunResult } from '../run/run-result.js';
import { isContext, isError, isLlmConfig, isResponse, isTask, isTool, isTurn } from './saved-shapes.js';
import { isNumber, isObject, isText, listOf, nullable, oneOf, optional, shapeOf } from './shape.js';

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

/** Reads a saved run. Throws `TypeError` for anything else. Options that no saved run has are left out: a file grants nothing. */
export function readTrajectory(json: string): Trajectory {
  const value: unknown = parse(json);
  if (!isTrajectory(value)) throw new TypeError('This is not a saved run of version 1.');
  return { ...value, options: savedOptions(value.options) };
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

const isOptions = shapeOf<SavedOptions>({
  llmConfig: isLlmConfig,
  strategy: optional(oneOf('react', 'reason-act-observe')),
  phaseInstructions: optional(isObject),
  protocol: optional(oneOf('text', 'xml', 'json', 'native', 'auto')),
  maxSteps: optional(isNumber),
  instructions: optional(isText),
  context: optional(isContext),
  clientTools: optional(listOf(oneOf(...clientToolNames))),
});

const hasShape = shapeOf<Trajectory>({
  format: oneOf('stepwise-run'),
  version: oneOf(1),
  task: isText,
  project_id: isText,
  session_id: isText,
  options: isOptions,
  tools: listOf(isTool),
  began_with: listOf(isTurn),
  responses: listOf(isResponse),
  observations: listOf(isTurn),
  history: listOf(isTurn),
  tasks: listOf(isTask),
  result: nullable(
    shapeOf<Pick<NonNullable<Trajectory['result']>, 'answer' | 'stop_reason' | 'error' | 'steps'>>({
      answer: isText,
      stop_reason: isText,
      error: nullable(isError),
      steps: optional(listOf(isObject)),
    }),
  ),
});

/** The version stands for the shape; the shape is looked at, so that damage shows here and not in a walk through the run. */
const isTrajectory = (value: unknown): value is Trajectory => hasShape(value);
