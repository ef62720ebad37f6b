import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LineHistory, MAX_LINES } from '../input/line-history.js';
import { looksSecret } from './looks-secret.js';
import { stateFolder, writeWhole } from './user-files.js';

/** In characters: a line that is longer is not kept for another day. */
const MAX_LENGTH = 10_000;

/** True for a line that is not to be kept: it looks like it holds a secret, or is very long. */
export const isNotKept = (line: string): boolean => line.length > MAX_LENGTH || looksSecret(line);

/** What was typed in earlier sessions; each new line is kept, in the person's own files and readable for nobody else. */
export async function openHistory(file = join(stateFolder(), 'history.json')): Promise<LineHistory> {
  const judged = new Map<string, boolean>();
  const isToBeKept = (line: string): boolean => {
    if (!judged.has(line)) judged.set(line, !isNotKept(line));
    return judged.get(line) === true;
  };
  let written = Promise.resolve();
  /** To what stands there by now: other sessions write to it too. */
  const append = async (line: string) => {
    const earlier = await readLines(file);
    const lines = line === earlier.at(-1) ? earlier : [...earlier, line];
    const kept = lines.filter(isToBeKept).slice(-MAX_LINES);
    await writeWhole(file, `${JSON.stringify(kept, null, 1)}\n`);
  };
  // One after the other; of no consequence where it cannot be written.
  const keep = (line: string) => {
    written = written.then(() => append(line)).catch(() => undefined);
  };
  return new LineHistory(await readLines(file), keep);
}

/** What is damaged or not there has no lines. */
async function readLines(file: string): Promise<readonly string[]> {
  try {
    const value: unknown = JSON.parse(await readFile(file, 'utf8'));
    return Array.isArray(value) ? value.filter((line) => typeof line === 'string') : [];
  } catch {
    return [];
  }
}
