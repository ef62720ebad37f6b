import { readPipedInput } from '../context/piped-input.js';
import { openSession, type View } from '../session/open-session.js';
import { interact } from './interactive.js';
import { NO_TASK } from './read-arguments.js';
import { runOnce } from './run-once.js';
import { exitCodes, UsageError } from './usage.js';

const NO_PIPED_DATA = 'No data arrived on standard input within 3 s; continuing without it.';

/** Runs the task of the command line, or the tasks that a person types. Resolves to the exit code. */
export async function runTasks(argument: string | undefined, view: View): Promise<number> {
  const { flags, screen } = view;
  const onNothing = argument === undefined ? undefined : () => screen.print(NO_PIPED_DATA);
  const piped = await readPipedInput(process.stdin, onNothing);
  const task = argument ?? (process.stdin.isTTY ? undefined : pipedTask(piped, flags));
  const context = argument === undefined ? undefined : piped;
  const earlyKeys = task === undefined ? view.terminal.keyboard.hold(leave) : undefined;
  const opening = openSession(view, { interactive: task === undefined, piped: context });
  const opened = await opening.catch((error: unknown) => {
    earlyKeys?.end();
    throw error;
  });
  try {
    return await (earlyKeys ? interact(opened, earlyKeys) : runOnce(opened.session, task ?? ''));
  } finally {
    await opened.close();
  }
}

const leave = () => process.exit(exitCodes.stopped);

/** Returns the piped input as the task. A saved run that continues needs no new task. */
function pipedTask(piped: string | undefined, { resume, continueNewest }: View['flags']): string {
  if (piped === undefined && resume === undefined && !continueNewest) throw new UsageError(NO_TASK);
  return piped ?? '';
}
