import { readTrajectory, type Trajectory } from 'stepwise';
import * as vscode from 'vscode';
import { type KeptValue, keptValue, type Places } from './kept-files.js';

/** In characters of JSON. */
const MAX_LENGTH = 2_000_000;

interface Kept {
  readonly json: string;
  readonly isRunning: boolean;
}

/** The newest run, so that it outlives a reload of the window. It holds no key. */
export class KeptRun {
  readonly #place: KeptValue;
  #lastWrite: Promise<void> = Promise.resolve();
  #hasFailed = false;

  constructor(places: Places) {
    this.#place = keptValue(places, 'run');
  }

  /** Undefined where there is none, or what is there is no run. */
  async read(): Promise<{ readonly saved: Trajectory; readonly isRunning: boolean } | undefined> {
    try {
      const { json, isRunning }: Partial<Kept> = Object(await this.#place.read());
      return json === undefined ? undefined : { saved: readTrajectory(json), isRunning: isRunning === true };
    } catch {
      return undefined;
    }
  }

  /** Resolves when the run is where a reload finds it. Where that fails, the person is told once. */
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

/** A run that is too long to be kept whole keeps its history, to go on from; its steps are not shown again. */
function bounded(saved: Trajectory): string {
  const json = JSON.stringify(saved);
  if (json.length <= MAX_LENGTH) return json;
  const { context: _, ...options } = saved.options;
  const short = { ...saved, options, responses: [], observations: [], began_with: [] };
  const rest = JSON.stringify(short);
  if (rest.length <= MAX_LENGTH) return rest;
  return JSON.stringify({ ...short, history: [], result: null });
}
