import { spawnSync } from 'node:child_process';
import type { Need } from './need.js';

/** Node.js in a certain major version, as a program that tests can start. */
export interface NodeProgram extends Need {
  readonly path: string;
}

/** Returns this Node.js if it has the version, otherwise one that npm has cached or can fetch. */
export function nodeProgram(major: number): NodeProgram {
  const path = process.version.startsWith(`v${major}.`) ? process.execPath : fromNpm(major);
  const need = { name: `Node.js ${major}`, reason: 'npm could not supply it', isOptionalInCi: true };
  return { ...need, path: path ?? '', isMet: path !== undefined };
}

function fromNpm(major: number): string | undefined {
  const print = ['node', '-p', 'process.version + " " + process.execPath'];
  const { status, stdout } = spawnSync('npx', ['--prefer-offline', '-y', '-p', `node@${major}`, ...print], {
    encoding: 'utf8',
    timeout: 120_000,
  });
  return status === 0 ? new RegExp(`^v${major}\\.\\S+ (.+)$`, 'm').exec(stdout)?.[1] : undefined;
}
