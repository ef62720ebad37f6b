import { toDefinition } from '../run/build-request.js';
import type { RunOptions } from '../run/run-options.js';
import type { RunResult } from '../run/run-result.js';
import type { RunState } from '../run/run-state.js';
import type { SavedOptions, Trajectory } from './trajectory.js';

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

/** What is data and not code. Options that nobody set are not written down. */
function savedOptions(options: RunOptions): SavedOptions {
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
