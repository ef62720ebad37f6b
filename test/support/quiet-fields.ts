import type { ReportItem } from '../../src/contract/context-report.js';
import type { Signals } from '../../src/contract/step.js';

/** The signals of a run in which nothing unusual happened. */
export const quietSignals: Signals = {
  repeated_action: 0,
  repeated_cycle: 0,
  consecutive_read_only: 0,
  consecutive_errors: 0,
  last_iteration: false,
  should_compact: false,
};

/** Returns a row of a context report: a small file that is completely included, changed as the test needs. */
export const reportItem = (changes: Partial<ReportItem>): ReportItem => ({
  kind: 'explicit',
  id: 'a.ts',
  status: 'included',
  tokens: 5,
  original_tokens: 5,
  lines: null,
  reason: null,
  ...changes,
});
