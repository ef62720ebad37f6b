import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LineHistory, MAX_LINES } from '../input/line-history.js';
import { looksSecret } from './looks-secret.js';
import { stateFolder, writeAtomically } from './user-files.js';

/** Maximum length of a line that is saved. */
const MAX_LINE_CHARS = 10_000;

/** Returns true for a line that must not be saved: it looks like it contains a secret, or is very long. */
export const isExcludedFromHistory = (line: string): boolean =>
  line.length > MAX_LINE_CHARS || looksSecret(line);

/** Opens the input history of earlier sessions. New lines are saved in a file that only this person can read. */
export async function openHistory(file = join(stateFolder(), 'history.json')): Promise<LineHistory> {
  const verdicts = new Map<string, boolean>();
  const isIncluded = (line: string): boolean => {
    if (!verdicts.has(line)) verdicts.set(line, !isExcludedFromHistory(line));
    return verdicts.get(line) === true;
  };
  let written = Promise.resolve();
  /** Adds a line to the current file, since other sessions write to it too. */
  const append = async (line: string) => {
    const earlier = await readLines(file);
    const lines = line === earlier.at(-1) ? earlier : [...earlier, line];
    const kept = lines.filter(isIncluded).slice(-MAX_LINES);
    await writeAtomically(file, `${JSON.stringify(kept, null, 1)}\n`);
  };
  // Writes follow each other. A failed write is ignored, since the history is not essential.
  const keep = (line: string) => {
    written = written.then(() => append(line)).catch(() => undefined);
  };
  return new LineHistory(await readLines(file), keep);
}

/** Reads the saved lines; a missing or damaged file has none. */
async function readLines(file: string): Promise<readonly string[]> {
  try {
    const value: unknown = JSON.parse(await readFile(file, 'utf8'));
    return Array.isArray(value) ? value.filter((line) => typeof line === 'string') : [];
  } catch {
    return [];
  }
}
