import { text as readAll } from 'node:stream/consumers';
import { openSession, type View } from '../session/open-session.js';
import { interact } from './interactive.js';
import { NO_TASK } from './read-arguments.js';
import { runOnce } from './run-once.js';
import { UsageError } from './usage.js';

/** The task of the command line, or the ones that a person types. Resolves to the exit code. */
export async function runTasks(given: string | undefined, view: View): Promise<number> {
  const task = given ?? (await pipedTask(view));
  const opened = await openSession(view, { interactive: task === undefined });
  try {
    return await (task === undefined ? interact(opened) : runOnce(opened.session, task));
  } finally {
    await opened.close();
  }
}

/** Without a person at the keyboard, the task is what is piped in; a saved run has its own. */
async function pipedTask({ flags }: View): Promise<string | undefined> {
  if (process.stdin.isTTY) return undefined;
  const piped = (await readAll(process.stdin)).trim();
  if (piped === '' && !flags.resume) throw new UsageError(NO_TASK);
  return piped;
}
