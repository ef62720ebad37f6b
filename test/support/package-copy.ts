import { cpSync, mkdirSync, symlinkSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { onceForAllSuites } from './once-for-all-suites.js';

const COPIED = [
  'package.json',
  'tsconfig.json',
  'tsconfig.build.json',
  'openapi.yaml',
  'README.md',
  'src',
  'scripts',
  'examples',
];

/** Returns the path of a copy of the package. Each user of this function has a copy of its own. */
export const packageCopyFor = (user: string): string => resolve('.build/package-copies', user);

/** Copies the sources of the package and its examples, so that tests can compile them without changing `dist`. */
export const preparePackageCopy = (user: string): Promise<void> =>
  onceForAllSuites(`package-copy-${user}`, () => {
    const folder = packageCopyFor(user);
    mkdirSync(folder, { recursive: true });
    const isSource = (path: string) => !['node_modules', 'dist'].includes(basename(path));
    for (const path of COPIED) cpSync(path, join(folder, path), { recursive: true, filter: isSource });
    symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  });
