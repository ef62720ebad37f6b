import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/** What the bench compares with and the package does not need; see `bench/peers/package.json`. */
export function installPeers(): void {
  if (existsSync('bench/peers/node_modules/@portkey-ai')) return;
  console.log('installing the peers into bench/peers …');
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

/** Imports by file, since the peers are no dependency of this package. */
export async function importPeer(path: string): Promise<Record<string, unknown>> {
  return import(pathToFileURL(resolve('bench/peers/node_modules', path)).href);
}
