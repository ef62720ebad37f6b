import { readPipedInput } from '../context/piped-input.js';
import { openSession, type View } from '../session/open-session.js';
import { interact } from './interactive.js';
import { NO_TASK } from './read-arguments.js';
import { runOnce } from './run-once.js';
import { exitCodes, UsageError } from './usage.js';

const NOTHING_CAME = 'No data arrived on standard input within 3 s; continuing without it.';

/** Runs the task of the command line, or the tasks that a person types. Resolves to the exit code. */
export async function runTasks(given: string | undefined, view: View): Promise<number> {
  const { flags, screen } = view;
  const onNothing = given === undefined ? undefined : () => screen.print(NOTHING_CAME);
  const piped = await readPipedInput(process.stdin, onNothing);
  const task = given ?? (process.stdin.isTTY ? undefined : pipedTask(piped, flags));
  const context = given === undefined ? undefined : piped;
  const held = task === undefined ? view.terminal.keyboard.hold(leave) : undefined;
  const opening = openSession(view, { interactive: task === undefined, piped: context });
  const opened = await opening.catch((error: unknown) => {
    held?.end();
    throw error;
  });
  try {
    return await (held ? interact(opened, held) : runOnce(opened.session, task ?? ''));
  } finally {
    await opened.close();
  }
}

const leave = () => process.exit(exitCodes.stopped);

/** Returns the piped input as the task. A saved run that continues needs no new task. */
function pipedTask(piped: string | undefined, { resume, goOn }: View['flags']): string {
  if (piped === undefined && resume === undefined && !goOn) throw new UsageError(NO_TASK);
  return piped ?? '';
}
