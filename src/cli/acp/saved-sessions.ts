import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { SessionInfo } from '@agentclientprotocol/sdk';
import type { Trajectory } from '../../sdk/run/trajectory.js';
import { showTextLine } from '../screen/shown-text.js';
import { readSavedRun, savedRunsFolder } from '../state/saved-runs.js';

/** Runs that are looked through, the newest first. */
const MAX_RUNS = 200;
/** In characters. */
const MAX_TITLE = 100;

interface SavedSession {
  readonly info: SessionInfo;
  /** Its newest run: that has the history of all. */
  readonly run: Trajectory;
}

/** The sessions over a folder that were saved, here or at a terminal, the newest first. What is damaged is left out. */
export async function* savedSessions(folder: string): AsyncGenerator<SavedSession> {
  const seen = new Set<string>();
  for (const file of await newestFiles(folder)) {
    const run = await readSavedRun(file).catch(() => undefined);
    if (!run || seen.has(run.session_id)) continue;
    seen.add(run.session_id);
    yield { info: await describe(run, { file, folder }), run };
  }
}

/** The newest run of a session over the folder, or undefined. */
export async function findSavedSession(folder: string, sessionId: string): Promise<Trajectory | undefined> {
  for await (const { info, run } of savedSessions(folder)) if (info.sessionId === sessionId) return run;
  return undefined;
}

async function describe(run: Trajectory, { file, folder }: { file: string; folder: string }) {
  const first = run.history.find(({ role, kind }) => role === 'user' && !kind)?.content ?? run.task;
  const { mtime } = await stat(file);
  return {
    sessionId: run.session_id,
    cwd: folder,
    title: showTextLine(first).slice(0, MAX_TITLE),
    updatedAt: mtime.toISOString(),
  };
}

/** Names of runs begin with their time. */
async function newestFiles(folder: string): Promise<readonly string[]> {
  const runs = savedRunsFolder(folder);
  const names = await readdir(runs).catch(() => []);
  const files = names.filter((name) => name.endsWith('.json'));
  return files
    .sort()
    .reverse()
    .slice(0, MAX_RUNS)
    .map((name) => join(runs, name));
}
