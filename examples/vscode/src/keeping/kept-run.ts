import { readTrajectory, type Trajectory } from 'stepwise';
import * as vscode from 'vscode';
import { type KeptValue, keptValue, type Places } from './kept-files.js';

/** Maximum length of the stored JSON, in characters. */
const MAX_LENGTH = 2_000_000;

interface Kept {
  readonly json: string;
  readonly isRunning: boolean;
}

/** Stores the newest run, so that it survives a reload of the window. Contains no key. */
export class KeptRun {
  readonly #place: KeptValue;
  #lastWrite: Promise<void> = Promise.resolve();
  #hasFailed = false;

  constructor(places: Places) {
    this.#place = keptValue(places, 'run');
  }

  /** Reads the stored run; undefined if it is missing or invalid. */
  async read(): Promise<{ readonly saved: Trajectory; readonly isRunning: boolean } | undefined> {
    try {
      const { json, isRunning }: Partial<Kept> = Object(await this.#place.read());
      return json === undefined ? undefined : { saved: readTrajectory(json), isRunning: isRunning === true };
    } catch {
      return undefined;
    }
  }

  /** Stores the run for a reload of the window. Resolves when it is stored; reports the first failure to the person. */
  write(saved: Trajectory | null): Promise<void> {
    const kept: Kept | null = saved && { json: bounded(saved), isRunning: saved.result === null };
    this.#lastWrite = this.#lastWrite.then(() => this.#place.write(kept)).catch(() => this.#warn());
    return this.#lastWrite;
  }

  #warn(): void {
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    vscode.window.showWarningMessage(
      'Stepwise: the run cannot be kept, and would be gone after a reload of the window. “Export run” writes it to a file.',
    );
  }
}

/**
 * Returns the run as JSON. If it is too long, its steps are dropped; the history suffices to continue the run. If that
 * is still too long, the history is dropped, too.
 */
function bounded(saved: Trajectory): string {
  const json = JSON.stringify(saved);
  if (json.length <= MAX_LENGTH) return json;
  const { context: _, ...options } = saved.options;
  const short = { ...saved, options, responses: [], observations: [], beganWith: [] };
  const rest = JSON.stringify(short);
  if (rest.length <= MAX_LENGTH) return rest;
  return JSON.stringify({ ...short, history: [], result: null });
}
