import { spawnSync } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { SKIPS_FILE, type Skip } from './skip-reporter.js';

/** Something that some tests need and that not every machine has. */
export interface Need {
  /** Name in the list of skipped suites, such as `redis-server`. */
  readonly name: string;
  readonly isMet: boolean;
  /** Why the machine does not meet the need; "not installed" by default. */
  readonly reason?: string;
  /** Set for a property of the machine, such as its operating system, that CI cannot install. */
  readonly isOptionalInCi?: boolean;
}

/**
 * Returns Jest's `describe` and `test`, or their `skip` if the machine lacks something; the test run then ends with the
 * name of the suite and of what it needs. In CI a missing program is an error.
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

/** Returns the first command that this machine can run with its argument, such as `['valkey-server', '--version']`. */
export const findCommand = (...commands: readonly (readonly [string, string])[]): string | undefined =>
  commands.find(([command, argument]) => spawnSync(command, [argument]).status === 0)?.[0];

/** A program that is found by its name and answers `--version`. */
export const program = (name: string): Need => ({
  name,
  isMet: findCommand([name, '--version']) !== undefined,
});

export const linux: Need = {
  name: 'Linux',
  isMet: process.platform === 'linux',
  reason: `this is ${process.platform}`,
  isOptionalInCi: true,
};

function recordSkip(name: string, reason: string): void {
  const file = process.env[SKIPS_FILE];
  if (file === undefined) return;
  const skip: Skip = { suite: expect.getState().testPath ?? '', name, reason };
  appendFileSync(file, `${JSON.stringify(skip)}\n`);
}
