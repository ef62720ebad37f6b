import { sanitize } from '../screen/sanitize.js';
import type { OpenSession } from '../session/open-session.js';
import type { Session } from '../session/session.js';
import { runSlashCommand } from '../session/slash-commands.js';
import { exitCodes } from './usage.js';

/**
 * Task after task until the person leaves. An empty line goes on where a run was stopped or a saved one was
 * resumed. Resolves to the exit code.
 */
export async function interact({ session, switchModel }: OpenSession): Promise<number> {
  const { terminal, screen } = session.parts;
  let left = false;
  const host = { session, switchModel, leave: () => (left = true) };
  while (!left) {
    const line = await terminal.askLine(`\n${terminal.paint('cyan', '›')} `);
    if (line === undefined) break;
    if (line.startsWith('/')) screen.print(await runSlashCommand(host, line));
    else if (line.trim() !== '' || session.history.length > 0) await runLine(session, line.trim());
  }
  return exitCodes.answered;
}

/** Esc and Ctrl-C stop the run, not the program. */
async function runLine(session: Session, task: string): Promise<void> {
  const { terminal, screen } = session.parts;
  const keys = terminal.watchKeys((key) => {
    if (key === 'escape' || key === 'ctrl-c') session.interrupt();
  });
  try {
    await session.run(task);
  } catch (error) {
    screen.hold();
    screen.print(sanitize(error instanceof Error ? error.message : String(error)));
  } finally {
    keys.end();
  }
}
