import { showExact } from '../screen/shown-text.js';
import type { Terminal } from '../screen/terminal.js';
import { onStop } from '../session/on-stop.js';
import type { OpenSession } from '../session/open-session.js';
import type { Session } from '../session/session.js';
import { runSlashCommand } from '../session/slash-commands.js';
import { exitCodes } from './usage.js';

const HOW_TO_LEAVE = '(Ctrl-C again, or Ctrl-D, leaves)';

/**
 * Task after task until the person leaves. An empty line goes on where a run was stopped or a saved one was
 * resumed. Resolves to the exit code.
 */
export async function interact(opened: OpenSession): Promise<number> {
  const ended = new AbortController();
  const stops = onStop(() => {
    ended.abort();
    opened.session.interrupt();
  });
  try {
    await runLines(opened, ended.signal);
    return ended.signal.aborted ? exitCodes.stopped : exitCodes.answered;
  } finally {
    stops.end();
  }
}

/** The signal ends it from outside: the terminal is closed. */
async function runLines({ session, switchModel }: OpenSession, signal: AbortSignal): Promise<void> {
  const { terminal, screen } = session.parts;
  let left = false;
  const host = { session, switchModel, leave: () => (left = true) };
  while (!left) {
    const line = await nextLine(terminal, signal);
    if (line === undefined) break;
    if (line.startsWith('/')) screen.print(await runSlashCommand(host, line));
    else if (line.trim() !== '' || session.history.length > 0) await runLine(session, line.trim());
  }
}

/** The next line that the person did not take back; undefined for leaving. */
async function nextLine(terminal: Terminal, signal: AbortSignal): Promise<string | undefined> {
  let wasToldHow = false;
  while (!signal.aborted) {
    const typed = await terminal.readLine(`\n${terminal.paint('cyan', '›')} `, { signal });
    if (typed.type === 'line') return typed.text;
    const wantsToLeave = typed.type === 'cancelled' && typed.key === 'ctrl-c' && typed.wasEmpty;
    if (typed.type === 'ended' || (wantsToLeave && wasToldHow)) return undefined;
    if (wantsToLeave) terminal.progress.write(`${terminal.paint('dim', HOW_TO_LEAVE)}\n`);
    wasToldHow = wantsToLeave;
  }
  return undefined;
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
    screen.print(showExact(error instanceof Error ? error.message : String(error)));
  } finally {
    keys.end();
  }
}
