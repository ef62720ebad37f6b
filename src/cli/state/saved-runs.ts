import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Trajectory } from '../../sdk/run/trajectory.js';
import { readTrajectory } from '../../sdk/saved/read-trajectory.js';
import { UsageError } from '../commands/usage.js';
import { looksSecret } from './looks-secret.js';
import { stateFolder, writeAtomically } from './user-files.js';

/**
 * Returns the folder for the saved runs of a project. It is with the person's files, since a search of the project
 * would find runs saved there (rule: saved-runs). `folder` is the project's real path.
 */
export function savedRunsFolder(folder: string): string {
  const id = createHash('sha256').update(folder).digest('hex').slice(0, 12);
  return join(stateFolder(), 'runs', `${basename(folder)}-${id}`);
}

/** Returns an unused file name for a run that begins now. */
export function newRunFile(folder: string, task: string): string {
  const name = join(savedRunsFolder(folder), runName(task));
  const names = [name, ...Array.from({ length: 99 }, (_, index) => `${name}-${index + 2}`)];
  return `${names.find((each) => !existsSync(`${each}.json`)) ?? name}.json`;
}

/** Returns the id that `--resume` accepts for a file. */
export const runId = (file: string): string => basename(file, '.json');

/** Saves a run in a file that only this person can read. */
export async function saveRun(saved: Trajectory, file: string): Promise<void> {
  await writeAtomically(file, `${JSON.stringify(saved, null, 1)}\n`);
}

/** Maximum number of characters of a task that are used for the name of its run. */
const MAX_NAMING_CHARS = 2_000;

/**
 * Returns a name such as `2026-11-21T23-05-10-123-how-is-the-discount`. Names are visible in listings, so a task that
 * looks secret gets the time alone.
 */
function runName(task: string): string {
  const time = new Date().toISOString().slice(0, 23).replaceAll(/[:.]/g, '-');
  const words = looksSecret(task.slice(0, MAX_NAMING_CHARS))
    ? []
    : (task.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
  const name = words.slice(0, 5).join('-').slice(0, 80);
  return [time, ...(name ? [name] : [])].join('-');
}

/** Reads a saved run. Throws `UsageError` if the file is missing or no saved run. */
export async function readSavedRun(file: string): Promise<Trajectory> {
  const text = await readFile(file, 'utf8').catch(() => {
    throw new UsageError(
      `Cannot read the file ${file}. To create such a file, start a run with --save FILE.`,
    );
  });
  try {
    return readTrajectory(text);
  } catch (error) {
    throw new UsageError(`${file}: ${error instanceof Error ? error.message : error}`);
  }
}

/** Finds a run by file, by id or its beginning, or by number in the list. Throws `UsageError` if there is none. */
export async function findSavedRun(folder: string, wanted: string): Promise<Trajectory> {
  if (existsSync(wanted) || /[/\\]|\.json$/.test(wanted)) return readSavedRun(wanted);
  const ids = await savedIds(folder);
  const numbered = /^[1-9]\d{0,2}$/.test(wanted) ? ids.at(-Number(wanted)) : undefined;
  const found = ids.filter((id) => id.startsWith(wanted));
  const id = numbered ?? found.find((each) => each === wanted) ?? found[0];
  if (id === undefined)
    throw new UsageError(`There is no saved run ${wanted} of this folder, and no such file.`);
  if (found.length > 1 && id !== wanted && id !== numbered)
    throw new UsageError(`${wanted} matches several runs: ${found.slice(-5).join(', ')}.`);
  return readSavedRun(fileOf(folder, id));
}

/** Returns the newest run of this folder. Throws `UsageError` if there is none. */
export async function newestSavedRun(folder: string): Promise<Trajectory> {
  const id = (await savedIds(folder)).at(-1);
  if (id === undefined) throw new UsageError(NOTHING_SAVED);
  return readSavedRun(fileOf(folder, id));
}

export const NOTHING_SAVED = 'There is no saved run of this folder to continue.';

/** A saved run as listed for a person. */
export interface SavedRun {
  /** Position in the list; 1 is the newest. */
  readonly number: number;
  readonly id: string;
  readonly began: Date;
  readonly saved: Trajectory;
}

/** Returns the newest runs of this folder, newest first. Damaged files are skipped. */
export async function listSavedRuns(folder: string, maxCount: number): Promise<readonly SavedRun[]> {
  const ids = (await savedIds(folder)).slice(-maxCount).reverse();
  const runs = ids.map(async (id, index): Promise<readonly SavedRun[]> => {
    const saved = await readSavedRun(fileOf(folder, id)).catch(() => undefined);
    return saved ? [{ number: index + 1, id, began: beginOf(id), saved }] : [];
  });
  return (await Promise.all(runs)).flat();
}

const fileOf = (folder: string, id: string): string => join(savedRunsFolder(folder), `${id}.json`);

/** Reads the start time (UTC) from an id. */
const beginOf = (id: string): Date => new Date(`${id.slice(0, 13)}:${id.slice(14, 16)}:${id.slice(17, 19)}Z`);

/** Returns all ids, oldest first, since ids begin with the time. */
async function savedIds(folder: string): Promise<readonly string[]> {
  const names = await readdir(savedRunsFolder(folder)).catch(() => []);
  return names
    .filter((name) => /^\d{4}-\d\d-\d\dT.*\.json$/.test(name))
    .map(runId)
    .sort(new Intl.Collator('en', { numeric: true }).compare);
}
