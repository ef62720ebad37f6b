import type { Branch } from '../../../src/playground/run/branch.js';
import { playSaved } from '../../../src/playground/run/play-saved.js';
import type { RunOptions } from '../../../src/sdk/run/run-options.js';
import { readTrajectory } from '../../../src/sdk/saved/read-trajectory.js';
import { finish } from '../../support/run-harness.js';
import type { Script } from '../../support/scripted-service.js';

/** Returns a run as the page holds it after opening its file. */
export async function savedBranch(script: readonly Script[], options?: Partial<RunOptions>): Promise<Branch> {
  const { run } = await finish(script, options);
  const saved = readTrajectory(JSON.stringify(run.save()));
  return { id: 'run-1', label: 'A run', origin: 'file', parent: null, saved, view: await playSaved(saved) };
}
