import { spawnSync } from 'node:child_process';

/** A requirement of some tests that not every machine meets. */
export interface Need {
  /** Name by which the list of skipped suites shows the need, such as `redis-server`. */
  readonly name: string;
  readonly isMet: boolean;
  /** Reason why the machine does not meet the need; by default "not installed". */
  readonly reason?: string;
  /** True for a property of the machine that CI cannot install, such as its operating system. */
  readonly isOptionalInCi?: boolean;
}

/**
 * Returns the first command that this machine can run. Each is given with an argument for the trial, such as
 * `['valkey-server', '--version']`.
 */
export const findCommand = (...commands: readonly (readonly [string, string])[]): string | undefined =>
  commands.find(([command, argument]) => spawnSync(command, [argument]).status === 0)?.[0];

/** Returns the need for a program, which is met if the program is found by its name and answers `--version`. */
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
