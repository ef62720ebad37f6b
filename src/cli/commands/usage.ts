import type { RunResult } from '../../sdk/run/run-result.js';

/** An invalid command line, or one that names something that does not exist. The message explains it. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Exit codes of the CLI (rule: exit-codes). */
export const exitCodes = {
  answered: 0,
  error: 1,
  step_limit: 2,
  denied: 3,
  needs_input: 4,
  needs_approval: 4,
  stopped: 130,
} as const satisfies Record<RunResult['stopReason'], number>;
