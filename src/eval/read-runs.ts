import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join, relative, sep } from 'node:path';
import { isObject } from '../conversation/is-object.js';
import { readTrajectory } from '../sdk/saved/read-trajectory.js';
import { BASELINE_FORMAT } from './baseline.js';
import { type EvalRun, toEvalRun } from './eval-run.js';

/** A run, or a file that could not be read as a run, with the reason. */
export type FoundRun = EvalRun | { readonly file: string; readonly reason: string };

/** Maximum size of the file of a run, above the 64 MiB that a recorded run may have. */
const MAX_FILE_BYTES = 128 * 1_048_576;

/** Formats of the files that an evaluation itself writes, which may be in the same folder as the runs. */
const ownFormats: readonly unknown[] = ['stepwise-eval', BASELINE_FORMAT];

/**
 * Yields the saved runs of the given files and folders in a fixed order. Reads each file only when the caller
 * requests the next run. For a file that is damaged or is not a saved run, yields the reason. Rejects if a given path
 * does not exist.
 */
export async function* readRuns(paths: readonly string[]): AsyncGenerator<FoundRun> {
  for (const path of paths) {
    const isFolder = (await stat(path)).isDirectory();
    const files = isFolder ? await jsonFilesIn(path) : [path];
    for (const file of files) {
      const inside = isFolder ? relative(path, file).split(sep).join('/') : basename(file);
      const found = await readRun(
        file,
        paths.length > 1 && isFolder ? `${basename(path)}/${inside}` : inside,
      );
      if (found) yield found;
    }
  }
}

async function jsonFilesIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith('.json'))
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort();
}

async function readRun(file: string, name: string): Promise<FoundRun | undefined> {
  try {
    const { size } = await stat(file);
    if (size > MAX_FILE_BYTES) return { file: name, reason: 'it is larger than 128 MiB' };
    const text = await readFile(file, 'utf8');
    if (isOwnFile(text)) return undefined;
    return toEvalRun(name, readTrajectory(text));
  } catch (error) {
    return { file: name, reason: error instanceof Error ? error.message : String(error) };
  }
}

/** Returns whether a text is a report or a baseline. Parses only a text that begins like one of them. */
function isOwnFile(text: string): boolean {
  if (!/^\s*\{\s*"format":\s*"stepwise-eval/.test(text.slice(0, 100))) return false;
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) && ownFormats.includes(value['format']);
  } catch {
    return true; // a report that is being written
  }
}
