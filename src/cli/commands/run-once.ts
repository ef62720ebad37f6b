import { spellUnseen } from '../../sdk/base/unseen.js';
import type { RunResult } from '../../sdk/run/run-result.js';
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
    const result = await session.run(task);
    const { stopReason } = result;
    screen.printForScript(textForScript(result, session.parts.answerSchema !== undefined));
    const saved = await save(session);
    return saved ? exitCodes[stopReason] : exitCodes.error;
  } finally {
    keys.end();
    stops.end();
  }
}

/**
 * Returns the answer for standard output. With `--answer-schema` it is JSON or nothing, so that a program can read it;
 * invisible characters are escaped, which JSON allows, instead of removed.
 */
function textForScript({ stopReason, answer, value }: RunResult, isTyped: boolean): string | null {
  if (!isTyped) return answer;
  if (stopReason !== 'answered' && stopReason !== 'denied') return null;
  return spellUnseen(JSON.stringify(value), (_, character) => character.split('').map(escapeUnit).join(''));
}

const escapeUnit = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

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
