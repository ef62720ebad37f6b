import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { until } from './until.js';

const MAX_PREPARATION_MS = 900_000;

/**
 * Does slow work, such as a build, in the first suite that needs it. Suites in other workers of Jest wait until it
 * is done.
 */
export async function onceForAllSuites(name: string, work: () => void): Promise<void> {
  // Compiling the tests deletes `.build`, so the work is repeated whenever the sources have changed.
  const folder = resolve('.build/once', name);
  const outcome = `${folder}/outcome`;
  if (claims(folder)) writeFileSync(outcome, errorOf(work));
  await until(() => existsSync(outcome), Boolean, MAX_PREPARATION_MS);
  const error = readFileSync(outcome, 'utf8');
  if (error !== '') throw new Error(`${name}: ${error}`);
}

/** Creates the folder that claims the work. Returns false if another worker was faster. */
function claims(folder: string): boolean {
  mkdirSync(dirname(folder), { recursive: true });
  try {
    mkdirSync(folder);
    return true;
  } catch {
    return false;
  }
}

function errorOf(work: () => void): string {
  try {
    work();
    return '';
  } catch (error) {
    return String(error);
  }
}
