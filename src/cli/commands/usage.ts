import type { RunResult } from '../../sdk/run/run-result.js';

/** The command line cannot be understood, or names what is not there; the message says why. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** What the shell is told (rule: exit-codes). */
export const exitCodes = {
  answered: 0,
  error: 1,
  step_limit: 2,
  denied: 3,
  needs_input: 4,
  stopped: 130,
} as const satisfies Record<RunResult['stop_reason'], number>;
