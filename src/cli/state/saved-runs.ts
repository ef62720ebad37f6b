import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Trajectory } from '../../sdk/run/trajectory.js';
import { readTrajectory } from '../../sdk/saved/read-trajectory.js';
import { UsageError } from '../commands/usage.js';
import { looksSecret } from './looks-secret.js';
import { stateFolder, writeWhole } from './user-files.js';

/**
 * Where the runs over a project folder are saved: with the person, not in the project, where searching the code
 * would find them (rule: saved-runs). `folder` is its real path.
 */
export function savedRunsFolder(folder: string): string {
  const id = createHash('sha256').update(folder).digest('hex').slice(0, 12);
  return join(stateFolder(), 'runs', `${basename(folder)}-${id}`);
}

/** The file of a run that begins now, which is not there yet. */
export function newRunFile(folder: string, task: string): string {
  const name = join(savedRunsFolder(folder), runName(task));
  const names = [name, ...Array.from({ length: 99 }, (_, index) => `${name}-${index + 2}`)];
  return `${names.find((each) => !existsSync(`${each}.json`)) ?? name}.json`;
}

/** What `--resume` takes for it. */
export const runId = (file: string): string => basename(file, '.json');

/** Writes a run down as it stands, readable for nobody else. */
export async function saveRun(saved: Trajectory, file: string): Promise<void> {
  await writeWhole(file, `${JSON.stringify(saved, null, 1)}\n`);
}

/** In characters: of a longer task, what its name is made of. */
const NAMING_LENGTH = 2_000;

/** `2026-11-21T23-05-10-123-how-is-the-discount`; a name is seen where the file is not, so of what looks secret the time alone. */
function runName(task: string): string {
  const time = new Date().toISOString().slice(0, 23).replaceAll(/[:.]/g, '-');
  const words = looksSecret(task.slice(0, NAMING_LENGTH))
    ? []
    : (task.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
  const name = words.slice(0, 5).join('-').slice(0, 80);
  return [time, ...(name ? [name] : [])].join('-');
}

/** Throws `UsageError` for a file that is not there or is no saved run. */
export async function readSavedRun(file: string): Promise<Trajectory> {
  const text = await readFile(file, 'utf8').catch(() => {
    throw new UsageError(`There is no readable file ${file}. A run is saved with --save FILE.`);
  });
  try {
    return readTrajectory(text);
  } catch (error) {
    throw new UsageError(`${file}: ${error instanceof Error ? error.message : error}`);
  }
}

/** The run to go on from: a file, the id of a run over this folder or its beginning, or its number in the list. Throws `UsageError`. */
export async function findSavedRun(folder: string, wanted: string): Promise<Trajectory> {
  if (existsSync(wanted) || /[/\\]|\.json$/.test(wanted)) return readSavedRun(wanted);
  const ids = await savedIds(folder);
  const numbered = /^[1-9]\d{0,2}$/.test(wanted) ? ids.at(-Number(wanted)) : undefined;
  const found = ids.filter((id) => id.startsWith(wanted));
  const id = numbered ?? found.find((each) => each === wanted) ?? found[0];
  if (id === undefined)
    throw new UsageError(`There is no saved run ${wanted} of this folder, and no such file.`);
  if (found.length > 1 && id !== wanted && id !== numbered)
    throw new UsageError(`${wanted} is the beginning of several runs: ${found.slice(-5).join(', ')}.`);
  return readSavedRun(fileOf(folder, id));
}

/** The newest run over this folder. Throws `UsageError` where there is none. */
export async function newestSavedRun(folder: string): Promise<Trajectory> {
  const id = (await savedIds(folder)).at(-1);
  if (id === undefined) throw new UsageError(NOTHING_SAVED);
  return readSavedRun(fileOf(folder, id));
}

export const NOTHING_SAVED = 'There is no saved run of this folder to continue.';

/** A saved run as a person knows it again. */
export interface SavedRun {
  /** In the list, from 1 for the newest. */
  readonly number: number;
  readonly id: string;
  readonly began: Date;
  readonly saved: Trajectory;
}

/** The newest runs over this folder, newest first; what is damaged is left out. */
export async function listSavedRuns(folder: string, most: number): Promise<readonly SavedRun[]> {
  const ids = (await savedIds(folder)).slice(-most).reverse();
  const runs = ids.map(async (id, index): Promise<readonly SavedRun[]> => {
    const saved = await readSavedRun(fileOf(folder, id)).catch(() => undefined);
    return saved ? [{ number: index + 1, id, began: beginOf(id), saved }] : [];
  });
  return (await Promise.all(runs)).flat();
}

const fileOf = (folder: string, id: string): string => join(savedRunsFolder(folder), `${id}.json`);

/** An id begins with it, in universal time. */
const beginOf = (id: string): Date => new Date(`${id.slice(0, 13)}:${id.slice(14, 16)}:${id.slice(17, 19)}Z`);

/** Oldest first: ids begin with the time. */
async function savedIds(folder: string): Promise<readonly string[]> {
  const names = await readdir(savedRunsFolder(folder)).catch(() => []);
  return names
    .filter((name) => /^\d{4}-\d\d-\d\dT.*\.json$/.test(name))
    .map(runId)
    .sort(new Intl.Collator('en', { numeric: true }).compare);
}
