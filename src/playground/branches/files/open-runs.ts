import { addRun } from '../../state/runs.js';
import { notice } from './notice.js';
import { RunRefused, readRunFile } from './read-run-file.js';

/**
 * Opens the runs in these files and shows the last one. Shows a notice about the files that cannot be opened, after the
 * sentences in `others`.
 */
export async function openRuns(files: Iterable<File>, others: readonly string[] = []): Promise<void> {
  const refusals = [...others];
  for (const file of files) {
    const refusal = await openRun(file, file.name);
    if (refusal !== null) refusals.push(refusal);
  }
  notice.value = refusals.length > 0 ? refusals.join(' ') : null;
}

/** Opens a run file; returns null, or the reason why it was refused. `id` names the run in links. */
export async function openRun(file: Blob, name: string, id?: string): Promise<string | null> {
  try {
    const { saved, view } = await readRunFile(file);
    addRun(
      { label: saved.task ? `${saved.task} (${name})` : name, origin: 'file', parent: null, view, saved },
      id,
    );
    return null;
  } catch (error) {
    if (!(error instanceof RunRefused)) throw error;
    return `${name}: ${error.message}`;
  }
}
