import { describeMissing, findMentions } from '../context/mentions.js';
import type { HeldKeys } from '../input/keyboard.js';
import { Prompt } from '../input/prompt.js';
import { showExact } from '../screen/visible-text.js';
import { onStop } from '../session/on-stop.js';
import type { OpenSession } from '../session/open-session.js';
import { isRefused, type Session } from '../session/session.js';
import { completeLine } from '../slash/complete-line.js';
import { runSlashCommand } from '../slash/slash-commands.js';
import { openHistory } from '../state/history-file.js';
import { runId } from '../state/saved-runs.js';
import { exitCodes } from './usage.js';

/** Reads and runs tasks until the person leaves. Resolves to the exit code. */
export async function interact(opened: OpenSession, held: HeldKeys): Promise<number> {
  const { session } = opened;
  const history = await openHistory();
  const ended = new AbortController();
  const stops = onStop(() => {
    ended.abort();
    session.interrupt();
  });
  const prompt = new Prompt(session.parts.terminal, {
    history,
    held,
    onStop: () => session.interrupt(),
    onShiftTab: () => session.parts.edits.toggle(),
    complete: (before) => completeLine(session, before),
  });
  try {
    await runLines(opened, { prompt, signal: ended.signal });
    return ended.signal.aborted ? exitCodes.stopped : exitCodes.answered;
  } finally {
    prompt.close();
    stops.end();
    printHowToContinue(session);
  }
}

function printHowToContinue({ parts, last }: Session): void {
  if (!last?.isSaved) return;
  const text = `Saved. stepwise --continue goes on from here, --resume ${runId(last.file)} at any time.`;
  parts.screen.print(parts.terminal.paint('dim', showExact(text)));
}

interface Lines {
  readonly prompt: Prompt;
  /** Aborted when the terminal is closed. */
  readonly signal: AbortSignal;
}

async function runLines(opened: OpenSession, { prompt, signal }: Lines): Promise<void> {
  const { session, switchModel } = opened;
  let left = false;
  const host = { session, switchModel, leave: () => (left = true) };
  let returnedLine: string | undefined;
  const runLine = async (line: string): Promise<void> => {
    if (line.startsWith('/') || line.trim() === '?')
      session.parts.screen.print(await runSlashCommand(host, line));
    else if (line.startsWith('!')) await session.runOwnCommand(line.slice(1).trim());
    else if (line !== returnedLine && (await returnMistyped(session, { prompt, line }))) returnedLine = line;
    else await runTask(session, line.trim());
  };
  while (!left) {
    const line = await prompt.next(signal);
    if (line === undefined) break;
    await runLine(line).catch((error: unknown) => printError(session, error));
  }
}

/**
 * If a path of the task does not exist but resembles an existing one, puts the task back into the input line, so that
 * the person can correct it, and returns true.
 */
async function returnMistyped(
  { parts: { root } }: Session,
  { prompt, line }: { prompt: Prompt; line: string },
): Promise<boolean> {
  const { missing } = await findMentions(root, line);
  const mistyped = missing.filter(({ nearest }) => nearest !== undefined);
  if (mistyped.length === 0) return false;
  prompt.giveBack(line, [...mistyped.map(describeMissing), '(Enter sends it as it is)']);
  return true;
}

const TASK_REFUSED =
  'The task was refused and is not part of the conversation. Press ↑ to shorten it. If the conversation itself is too long, /new clears it.';

async function runTask(session: Session, task: string): Promise<void> {
  const result = await session.run(task);
  if (isRefused(result)) session.parts.screen.print(TASK_REFUSED);
}

/** Prints an error of a command, or one that occurs before a run begins. The session continues. */
function printError({ parts: { screen } }: Session, error: unknown): void {
  screen.hold();
  screen.print(showExact(error instanceof Error ? error.message : String(error)));
}
