import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { readTrajectory, type Trajectory } from '../../sdk/saved/trajectory.js';
import { UsageError } from '../commands/usage.js';
import { stateFolder, writeWhole } from './user-files.js';

/**
 * Where the runs over a project folder are saved: with the person, not in the project, where searching the code
 * would find them (rule: saved-runs). `folder` is its real path.
 */
export function savedRunsFolder(folder: string): string {
  const id = createHash('sha256').update(folder).digest('hex').slice(0, 12);
  return join(stateFolder(), 'runs', `${basename(folder)}-${id}`);
}

/** Saves a run, in `file` or among the runs of the folder. Resolves to the file. */
export async function saveRun(saved: Trajectory, { folder, file }: { folder: string; file?: string }) {
  const target = file ?? join(savedRunsFolder(folder), runName(saved.task));
  await writeWhole(target, `${JSON.stringify(saved, null, 1)}\n`);
  return target;
}

/** `2026-11-21T23-05-10-how-is-the-discount.json` */
function runName(task: string): string {
  const time = new Date().toISOString().slice(0, 19).replaceAll(':', '-');
  const words = task.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const name = words.slice(0, 5).join('-').slice(0, 80);
  return `${[time, ...(name ? [name] : [])].join('-')}.json`;
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
