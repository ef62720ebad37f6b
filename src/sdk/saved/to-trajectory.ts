import { toDefinition } from '../run/build-request.js';
import type { RunResult } from '../run/run-result.js';
import type { RunState } from '../run/run-state.js';
import { savedOptions, type Trajectory } from './trajectory.js';

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
