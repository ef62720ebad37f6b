import { clientToolNames } from '../actions/client-tools.js';
import type { RunOptions } from '../run/run-options.js';
import { type SavedOptions, savedOptions, type Trajectory } from '../run/trajectory.js';
import { isContext, isError, isLlmConfig, isResponse, isTask, isTool, isTurn } from './saved-shapes.js';
import { isNumber, isObject, isText, listOf, nullable, oneOf, optional, shapeOf } from './shape.js';

/** Reads a saved run. Throws `TypeError` for anything else. Options that no saved run has are left out: a file grants nothing. */
export function readTrajectory(json: string): Trajectory {
  const value: unknown = parse(json);
  if (!isTrajectory(value)) throw new TypeError('This is not a saved run of version 1.');
  return { ...value, options: savedOptions(value.options) };
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
