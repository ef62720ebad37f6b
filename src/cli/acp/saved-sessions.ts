import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { SessionInfo } from '@agentclientprotocol/sdk';
import type { Trajectory } from '../../sdk/run/trajectory.js';
import { showTextLine } from '../screen/visible-text.js';
import { readSavedRun, savedRunsFolder } from '../state/saved-runs.js';

/** Maximum number of saved runs to read, newest first. */
const MAX_RUNS = 200;
const MAX_TITLE_CHARS = 100;

interface SavedSession {
  readonly info: SessionInfo;
  /** The newest run of the session. Its history includes the turns of the earlier runs. */
  readonly run: Trajectory;
}

/**
 * Yields the saved sessions of a folder, newest first, whether they began in an editor or a terminal. Damaged files
 * are skipped.
 */
export async function* savedSessions(folder: string): AsyncGenerator<SavedSession> {
  const seen = new Set<string>();
  for (const file of await newestRunFiles(folder)) {
    const run = await readSavedRun(file).catch(() => undefined);
    if (!run || seen.has(run.sessionId)) continue;
    seen.add(run.sessionId);
    yield { info: await describe(run, { file, folder }), run };
  }
}

/** Returns the newest run of a session in this folder, or undefined. */
export async function findSavedSession(folder: string, sessionId: string): Promise<Trajectory | undefined> {
  for await (const { info, run } of savedSessions(folder)) if (info.sessionId === sessionId) return run;
  return undefined;
}

async function describe(run: Trajectory, { file, folder }: { file: string; folder: string }) {
  const { mtime } = await stat(file);
  return {
    sessionId: run.sessionId,
    cwd: folder,
    title: titleOf(run),
    updatedAt: mtime.toISOString(),
  };
}

/** Returns the beginning of the first task as the title of a session. */
export function titleOf({ history, task }: Trajectory): string {
  const first = history.find(({ role, kind }) => role === 'user' && !kind)?.content ?? task;
  return showTextLine(first).slice(0, MAX_TITLE_CHARS);
}

/** Returns the newest run files. Their names begin with the time, so sorting by name is enough. */
async function newestRunFiles(folder: string): Promise<readonly string[]> {
  const runs = savedRunsFolder(folder);
  const names = await readdir(runs).catch(() => []);
  const files = names.filter((name) => name.endsWith('.json'));
  return files
    .sort()
    .reverse()
    .slice(0, MAX_RUNS)
    .map((name) => join(runs, name));
}
