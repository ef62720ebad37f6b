import { spawnSync } from 'node:child_process';

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

/** Returns the first command that this machine can run with its argument, such as `['valkey-server', '--version']`. */
export const findCommand = (...commands: readonly (readonly [string, string])[]): string | undefined =>
  commands.find(([command, argument]) => spawnSync(command, [argument]).status === 0)?.[0];

/** Returns the need for a program that is found by its name and answers `--version`. */
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
