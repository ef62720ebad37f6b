import { execFileSync } from 'node:child_process';
import { existsSync, statSync, writeFileSync } from 'node:fs';

/** An example with dependencies of its own, large ones among them, which the product does not install. */
export interface Example {
  readonly folder: string;
  /** Whether they are installed; in CI they will be. */
  readonly canRun: boolean;
  /** Installs what the example needs, where that is to be done, and builds package and example: once for all its suites. */
  prepare(): void;
}

export function exampleNamed(name: string): Example {
  const folder = new URL(`../../../examples/${name}/`, import.meta.url).pathname;
  const isInstalled = hasInstalled(folder);
  const canRun = isInstalled || process.env['CI'] !== undefined;
  if (!canRun) process.stderr.write(`Left out: run npm ci in examples/${name} first.\n`);
  /** Gone as soon as the tests are compiled anew. */
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
  /** Npm's own note of what it has installed. */
  const installedFile = `${folder}node_modules/.package-lock.json`;
  return existsSync(installedFile) && statSync(installedFile).mtimeMs >= statSync(lockFile).mtimeMs;
}
