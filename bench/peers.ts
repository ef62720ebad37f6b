import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * Installs the packages that the benchmark compares with (`bench/peers/package.json`). The service itself does not
 * depend on them.
 */
export function installPeers(): void {
  if (existsSync('bench/peers/node_modules/@portkey-ai')) return;
  console.log('Installing the packages to compare with into bench/peers …');
  const options = [
    'ci',
    '--prefix',
    'bench/peers',
    '--legacy-peer-deps',
    '--ignore-scripts',
    '--no-audit',
    '--silent',
  ];
  execFileSync('npm', options, { stdio: 'inherit' });
}

/**
 * Imports a package that is installed in `bench/peers` by its file path, because it is not a dependency of Stepwise.
 */
export async function importPeer(path: string): Promise<Record<string, unknown>> {
  return import(pathToFileURL(resolve('bench/peers/node_modules', path)).href);
}
