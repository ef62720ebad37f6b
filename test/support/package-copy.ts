import { cpSync, mkdirSync, symlinkSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { onceForAllSuites } from './once-for-all-suites.js';

/** A copy of the sources of the package and its examples, so that tests can compile them without touching `dist`. */
export const packageCopy = resolve('.build/package-copy');

const COPIED = [
  'package.json',
  'tsconfig.json',
  'tsconfig.build.json',
  'openapi.yaml',
  'openapi',
  'README.md',
  'src',
  'scripts',
  'examples',
];

export const preparePackageCopy = (): Promise<void> =>
  onceForAllSuites('package-copy', () => {
    mkdirSync(packageCopy);
    const isSource = (path: string) => !['node_modules', 'dist'].includes(basename(path));
    for (const path of COPIED) cpSync(path, join(packageCopy, path), { recursive: true, filter: isSource });
    symlinkSync(resolve('node_modules'), join(packageCopy, 'node_modules'));
  });
