import { execFileSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';

export const exampleFolder = new URL('../../../../examples/durable-restate/', import.meta.url).pathname;

const lockFile = `${exampleFolder}package-lock.json`;
/** Npm's own note of what it has installed. */
const installedFile = `${exampleFolder}node_modules/.package-lock.json`;

const isInstalled =
  existsSync(installedFile) && statSync(installedFile).mtimeMs >= statSync(lockFile).mtimeMs;

/** The example has dependencies of its own, a server of 200 MB among them, which the product does not install. */
export const canRun = isInstalled || process.env['CI'] !== undefined;
if (!canRun) process.stderr.write('Left out: run npm ci in examples/durable-restate first.\n');

/** Installs what the example needs, where that is to be done, and builds package and example. */
export function prepareExample(): void {
  const npm = (...args: string[]) => execFileSync('npm', args, { cwd: exampleFolder, stdio: 'inherit' });
  if (!isInstalled) npm('ci', '--loglevel=error');
  npm('run', '-s', 'build');
}
