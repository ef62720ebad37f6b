import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * Installs the packages that the bench compares with (`bench/peers/package.json`); this package itself does
 * not depend on them.
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

/** Imports a peer by its file path, since it is not a dependency of this package. */
export async function importPeer(path: string): Promise<Record<string, unknown>> {
  return import(pathToFileURL(resolve('bench/peers/node_modules', path)).href);
}
