import { showExact } from '../screen/visible-text.js';
import { onStop } from '../session/on-stop.js';
import type { Session } from '../session/session.js';
import { saveRun } from '../state/saved-runs.js';
import { exitCodes } from './usage.js';

/** Runs one task to its end. Resolves to the exit code. */
export async function runOnce(session: Session, task: string): Promise<number> {
  const { terminal, screen } = session.parts;
  const keys = terminal.watchKeys((key) => {
    if (key === 'escape' || key === 'ctrl-c') session.interrupt();
    else if (key === 'shift-tab') session.parts.edits.toggle();
  });
  const stops = onStop(() => session.interrupt());
  try {
    const { stop_reason, answer } = await session.run(task);
    screen.printForScript(answer);
    const saved = await save(session);
    return saved ? exitCodes[stop_reason] : exitCodes.error;
  } finally {
    keys.end();
    stops.end();
  }
}

/** Writes the run to the file of `--save`. Returns false if that fails, for example on a full disk. */
async function save({ parts, last }: Session): Promise<boolean> {
  const file = parts.flags.save;
  if (file === undefined || !last) return true;
  try {
    await saveRun(last.run.save(), file);
    return true;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    parts.screen.print(showExact(`The run could not be saved: ${reason}`));
    return false;
  }
}
