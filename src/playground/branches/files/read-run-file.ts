import { type RunView, readTrajectory, type Trajectory } from '../../../sdk/index.js';
import { playSaved } from '../../run/play-saved.js';

/** A saved run and its view. */
export interface OpenedRun {
  readonly saved: Trajectory;
  readonly view: RunView;
}

/** Error for a file that cannot be opened; its message explains the reason in one sentence. */
export class RunRefused extends Error {
  override readonly name = 'RunRefused';
}

/** Maximum size of a run, in bytes and in steps: a larger one would block the page for too long. */
const MAX_BYTES = 32 * 1024 * 1024;
const MAX_RESPONSES = 1_000;

/** Reads a run saved by the CLI, the SDK or this page. Rejects with `RunRefused`. */
export async function readRunFile(file: Pick<Blob, 'size' | 'text'>): Promise<OpenedRun> {
  if (file.size > MAX_BYTES) {
    throw new RunRefused(
      `It has ${megabytes(file.size)} MB; the maximum for a saved run is ${megabytes(MAX_BYTES)} MB.`,
    );
  }
  const json = await file.text().catch(() => {
    throw new RunRefused('The browser could not read it.');
  });
  const saved = read(json);
  const { length } = saved.responses;
  if (length > MAX_RESPONSES) {
    throw new RunRefused(
      `It has ${length.toLocaleString('en')} model calls; the maximum is ${MAX_RESPONSES.toLocaleString('en')}.`,
    );
  }
  return { saved, view: await play(saved) };
}

function read(json: string): Trajectory {
  try {
    return readTrajectory(json);
  } catch (error) {
    throw refusalOf(error);
  }
}

async function play(saved: Trajectory): Promise<RunView> {
  try {
    return await playSaved(saved);
  } catch (error) {
    throw refusalOf(error);
  }
}

/**
 * Converts an error to a refusal. `TypeError` and `RangeError` explain what is wrong with the file; other
 * errors do not.
 */
const refusalOf = (error: unknown): RunRefused =>
  new RunRefused(
    error instanceof TypeError || error instanceof RangeError ? error.message : 'It cannot be replayed.',
  );

const megabytes = (bytes: number): string => (bytes / 1024 / 1024).toFixed(0);
