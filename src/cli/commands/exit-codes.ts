import type { RunResult } from '../../sdk/run/run-result.js';

/** What the shell is told (SPEC §12). */
export const exitCodes = {
  answered: 0,
  error: 1,
  step_limit: 2,
  denied: 3,
  needs_input: 4,
  stopped: 130,
} as const satisfies Record<RunResult['stop_reason'], number>;
