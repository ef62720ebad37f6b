import { execFileSync } from 'node:child_process';
import { existsSync, statSync, writeFileSync } from 'node:fs';

/** An example with its own, partly large dependencies, which the product does not install. */
export interface Example {
  readonly folder: string;
  /** True if the dependencies are installed; always true in CI, which installs them. */
  readonly canRun: boolean;
  /** Installs the dependencies if needed and builds the package and the example, once for all its suites. */
  prepare(): void;
}

export function exampleNamed(name: string): Example {
  const folder = new URL(`../../../examples/${name}/`, import.meta.url).pathname;
  const isInstalled = hasInstalled(folder);
  const canRun = isInstalled || process.env['CI'] !== undefined;
  if (!canRun) process.stderr.write(`Left out: run npm ci in examples/${name} first.\n`);
  /** Marker of a finished build; compiling the tests deletes it. */
  const builtFile = new URL(`../../built-${name}`, import.meta.url);
  const npm = (...args: string[]) => execFileSync('npm', args, { cwd: folder, stdio: 'inherit' });
  const prepare = (): void => {
    if (existsSync(builtFile)) return;
    if (!isInstalled) npm('ci', '--loglevel=error');
    npm('run', '-s', 'build');
    writeFileSync(builtFile, '');
  };
  return { folder, canRun, prepare };
}

function hasInstalled(folder: string): boolean {
  const lockFile = `${folder}package-lock.json`;
  /** File that npm writes after an installation. */
  const installedFile = `${folder}node_modules/.package-lock.json`;
  return existsSync(installedFile) && statSync(installedFile).mtimeMs >= statSync(lockFile).mtimeMs;
}
