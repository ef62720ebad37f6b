import { readTrajectory, type Trajectory } from 'stepwise';
import type * as vscode from 'vscode';

const KEY = 'stepwise.run';

/** In characters of JSON: the editor keeps this state in one small data base. */
const MAX_LENGTH = 2_000_000;

interface Kept {
  readonly json: string;
  readonly isRunning: boolean;
}

/** The newest run in the workspace's own state, so that it outlives a reload of the window. It holds no key. */
export class KeptRun {
  readonly #state: vscode.Memento;

  constructor(state: vscode.Memento) {
    this.#state = state;
  }

  /** Undefined where there is none, or what is there is no run. */
  read(): { readonly saved: Trajectory; readonly isRunning: boolean } | undefined {
    const kept = this.#state.get<Kept>(KEY);
    if (!kept) return undefined;
    try {
      return { saved: readTrajectory(kept.json), isRunning: kept.isRunning };
    } catch {
      return undefined;
    }
  }

  async write(saved: Trajectory | null): Promise<void> {
    await this.#state.update(
      KEY,
      saved ? { json: bounded(saved), isRunning: saved.result === null } : undefined,
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
