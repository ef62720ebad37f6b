import { type RunView, readTrajectory, type Trajectory } from '../../../sdk/index.js';
import { playSaved } from '../../run/play-saved.js';

/** A saved run, and what the page shows of it. */
export interface OpenedRun {
  readonly saved: Trajectory;
  readonly view: RunView;
}

/** Why a file is not shown, in one sentence. */
export class RunRefused extends Error {
  override readonly name = 'RunRefused';
}

/** In bytes, and in steps: more would keep the page busy for long. */
const MAX_BYTES = 32 * 1024 * 1024;
const MAX_RESPONSES = 1_000;

/** Reads a saved run of the command, the SDK or this page. Rejects with `RunRefused`. */
export async function readRunFile(file: Pick<Blob, 'size' | 'text'>): Promise<OpenedRun> {
  if (file.size > MAX_BYTES) {
    throw new RunRefused(
      `It has ${megabytes(file.size)} MB; a saved run of ${megabytes(MAX_BYTES)} MB can be shown.`,
    );
  }
  const json = await file.text().catch(() => {
    throw new RunRefused('The browser could not read it.');
  });
  const saved = read(json);
  const { length } = saved.responses;
  if (length > MAX_RESPONSES) {
    throw new RunRefused(
      `It has ${length.toLocaleString('en')} model calls; a run of ${MAX_RESPONSES.toLocaleString('en')} can be shown.`,
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

/** `TypeError` and `RangeError` say what is wrong with a file. */
const refusalOf = (error: unknown): RunRefused =>
  new RunRefused(
    error instanceof TypeError || error instanceof RangeError ? error.message : 'It cannot be played.',
  );

const megabytes = (bytes: number): string => (bytes / 1024 / 1024).toFixed(0);
