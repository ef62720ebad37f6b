import { type ClientToolHost, InputNeeded, type InputRequest } from '../actions/client-tools.js';
import { pause } from '../base/until-aborted.js';
import type { RunState } from './run-state.js';

const DEFAULT_INPUT_TIMEOUT_MS = 300_000;

/** Gives the SDK's own tools access to the run. */
export function runHost(run: RunState): ClientToolHost {
  const timeoutMs = run.options.inputTimeoutMs ?? DEFAULT_INPUT_TIMEOUT_MS;
  return {
    inputTimeoutMs: timeoutMs,
    get tasks() {
      return run.tasks;
    },
    setTasks: async (tasks) => {
      run.setTasks(tasks);
      await run.emit({ type: 'tasks_updated', tasks });
    },
    requestInput: async (question, signal) => {
      const request = { ...question, timeoutMs };
      await run.emit({ type: 'agent_request_input', ...request });
      const { onInputRequest } = run.options;
      if (!onInputRequest) throw new InputNeeded(request);
      const answer = await askWithin(timeoutMs, signal, (ended) => onInputRequest(request, ended));
      return answer ?? endQuestion(run, request);
    },
    requestCompaction: () => {
      run.compactionRequested = true;
    },
  };
}

async function endQuestion(run: RunState, request: InputRequest): Promise<undefined> {
  await run.emit({ type: 'agent_request_input_timeout', ...request });
  if (run.options.onInputTimeout !== 'continue') throw new InputNeeded(request);
}

/** Returns the answer, or undefined if the time is up first. Cancels the timer or the question, whichever is still open. */
async function askWithin(
  timeoutMs: number,
  signal: AbortSignal,
  ask: (signal: AbortSignal) => Promise<string>,
): Promise<string | undefined> {
  const controller = new AbortController();
  const stop = () => controller.abort(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  try {
    const timeUp = pause(timeoutMs, controller.signal).then(() => undefined);
    timeUp.catch(() => undefined);
    return await Promise.race([ask(controller.signal), timeUp]);
  } finally {
    signal.removeEventListener('abort', stop);
    controller.abort();
  }
}
