import { explainEnd, type RunResult } from './run-result.js';

/** Advice for the developer; user interfaces show only `explainEnd`. */
const HOW_TO_DECIDE = 'Decide with client.resume, or pass approve to client.run.';

/** A run that ended without an answer, as `run.text()` and `run.textStream()` report it. */
export class RunFailedError extends Error {
  /** Always `RunFailedError`, also in another realm. */
  override readonly name = 'RunFailedError';
  /** Code of the error, such as `missing_api_key`; for a run that ended without an error, its stop reason. */
  readonly code: string;
  /** The result of the run, with its error and a history to continue from. */
  readonly result: RunResult;

  /** Creates the error from the result of a run without an answer. */
  constructor(result: RunResult) {
    super([explainEnd(result), ...(result.pending.length > 0 ? [HOW_TO_DECIDE] : [])].join('\n'));
    this.code = result.error?.code ?? result.stopReason;
    this.result = result;
  }
}

/** Returns the answer of a run. Throws `RunFailedError` if the run ended without one, also at the step limit. */
export function answerOf(result: RunResult): string {
  const { answer, stopReason } = result;
  const isAnswered = stopReason === 'answered' || stopReason === 'denied';
  if (isAnswered && answer !== null) return answer;
  throw new RunFailedError(result);
}
