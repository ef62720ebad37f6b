import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, statSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Need } from './need.js';
import { onceForAllSuites } from './once-for-all-suites.js';
import { packageCopyFor, preparePackageCopy } from './package-copy.js';

/** An example with large dependencies that `npm ci` in the main folder does not install. */
export interface Example {
  /** Path of the example in the copy of the package. */
  readonly folder: string;
  readonly dependencies: Need;
  /** Builds the copies of the package and the example once for all suites. Installs dependencies if necessary. */
  prepare(): Promise<void>;
}

export function exampleNamed(name: string): Example {
  const original = resolve('examples', name);
  const packageCopy = packageCopyFor(name);
  const folder = join(packageCopy, 'examples', name);
  const isInstalled = hasInstalled(original);
  const dependencies = {
    name: `the dependencies of examples/${name}`,
    // True in CI, which installs the dependencies when it prepares the example.
    isMet: isInstalled || process.env['CI'] !== undefined,
    reason: `not installed; run npm ci in examples/${name}`,
  };
  const prepare = async (): Promise<void> => {
    await preparePackageCopy(name);
    await onceForAllSuites(`example-${name}`, () => {
      if (!isInstalled) npm(original, 'ci', '--loglevel=error');
      linkDependencies(original, folder);
      symlinkSync(packageCopy, join(folder, 'node_modules/stepwise'));
      npm(folder, 'run', '-s', 'build');
    });
  };
  return { folder, dependencies, prepare };
}

const npm = (folder: string, ...args: string[]) =>
  execFileSync('npm', args, { cwd: folder, stdio: 'inherit' });

/**
 * Gives the copy the same dependencies as the original, except for `stepwise`, which must be the copy of the
 * package.
 */
function linkDependencies(original: string, copy: string): void {
  const installed = join(original, 'node_modules');
  const linked = join(copy, 'node_modules');
  mkdirSync(linked);
  for (const name of readdirSync(installed).filter((each) => each !== 'stepwise'))
    symlinkSync(join(installed, name), join(linked, name));
}

function hasInstalled(folder: string): boolean {
  const lockFile = join(folder, 'package-lock.json');
  // npm writes this file at the end of an installation.
  const installedFile = join(folder, 'node_modules/.package-lock.json');
  return existsSync(installedFile) && statSync(installedFile).mtimeMs >= statSync(lockFile).mtimeMs;
}
