import { appendFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import type { Need } from './need.js';
import { SKIPS_FILE, type Skip } from './skip-reporter.js';

/**
 * Returns Jest's `describe` and `test`; or their `skip` variants if the machine does not meet a need. The test run
 * then reports at its end which suite was skipped and which need is missing. In CI a missing program is an error.
 */
export function needs(...all: readonly Need[]): {
  readonly describe: typeof describe.skip;
  readonly test: typeof test.skip;
} {
  const missing = all.filter(({ isMet }) => !isMet);
  if (missing.length === 0) return { describe, test };
  const required = missing.filter(({ isOptionalInCi }) => !isOptionalInCi);
  if (process.env['CI'] !== undefined && required.length > 0)
    throw new Error(`CI must not skip tests. Install ${required.map(({ name }) => name).join(', ')}.`);
  for (const { name, reason = 'not installed' } of missing) recordSkip(name, reason);
  return { describe: describe.skip, test: test.skip };
}

function recordSkip(name: string, reason: string): void {
  const file = process.env[SKIPS_FILE];
  if (file === undefined) return;
  const skip: Skip = { suite: expect.getState().testPath ?? '', name, reason };
  appendFileSync(file, `${JSON.stringify(skip)}\n`);
}
