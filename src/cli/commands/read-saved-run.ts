import { readFile } from 'node:fs/promises';
import { readTrajectory, type Trajectory } from '../../sdk/saved/trajectory.js';
import { UsageError } from './read-arguments.js';

/** Throws `UsageError` for a file that is not there or is no saved run. */
export async function readSavedRun(file: string): Promise<Trajectory> {
  try {
    return readTrajectory(await readFile(file, 'utf8'));
  } catch (error) {
    throw new UsageError(`${file}: ${error instanceof Error ? error.message : error}`);
  }
}
