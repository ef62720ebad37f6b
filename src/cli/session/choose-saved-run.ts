import type { Trajectory } from '../../sdk/run/trajectory.js';
import { UsageError } from '../commands/usage.js';
import { cut } from '../display/wrap.js';
import { LEAVING_KEYS, PICKER_INDENT } from '../input/picker.js';
import type { Terminal } from '../screen/terminal.js';
import { showTextLine } from '../screen/visible-text.js';
import { looksSecret } from '../state/looks-secret.js';
import { findSavedRun, listSavedRuns, NOTHING_SAVED, type SavedRun } from '../state/saved-runs.js';

/** Maximum number of listed runs. Older ones can be named by their id. */
const MAX_LISTED = 20;

/** Maximum characters of a listed task, more than fit into a row. */
const MAX_TASK_CHARS = 500;

/** Lists the newest runs of a folder, one per row, newest first. Throws `UsageError` if there is none. */
export async function savedRunList(folder: string, width: number): Promise<string> {
  const runs = await newestRuns(folder);
  return runs.map((run) => cut(`${String(run.number).padStart(3)}. ${describe(run)}`, width)).join('\n');
}

async function newestRuns(folder: string): Promise<readonly SavedRun[]> {
  const runs = await listSavedRuns(folder, MAX_LISTED);
  if (runs.length === 0) throw new UsageError(NOTHING_SAVED);
  return runs;
}

/**
 * Asks the person which saved run to continue. Throws `UsageError` if there is no terminal or the person chooses none.
 */
export async function chooseSavedRun(folder: string, terminal: Terminal): Promise<Trajectory> {
  if (!terminal.isInteractive) {
    const list = await savedRunList(folder, Number.POSITIVE_INFINITY);
    throw new UsageError(`--resume needs the number of a run, its id or its file:\n${list}`);
  }
  const chosen = await (terminal.isLive ? pickNumber(folder, terminal) : askNumber(folder, terminal));
  if (chosen === undefined) throw new UsageError('No run was chosen.');
  return findSavedRun(folder, chosen);
}

/**
 * Lets the person choose with arrow keys; the newest run is selected at first. Returns undefined if the person chooses
 * none.
 */
async function pickNumber(folder: string, terminal: Terminal): Promise<string | undefined> {
  const runs = await newestRuns(folder);
  const rows = runs.map((run) => cut(describe(run), terminal.width - PICKER_INDENT));
  const choices = [...rows.map((row) => ({ row, keys: [] })), { row: '[esc] none', keys: LEAVING_KEYS }];
  terminal.display.print('Which run?');
  const index = await terminal.choose(choices, { signal: new AbortController().signal, selected: 0 });
  return runs[index] && String(runs[index].number);
}

/** Asks for a number, on a terminal on which a list cannot be redrawn. */
async function askNumber(folder: string, terminal: Terminal): Promise<string | undefined> {
  terminal.display.print(await savedRunList(folder, terminal.width));
  const answer = await terminal.askLine('Which one? A number, or Enter for the newest: ');
  return answer === undefined ? undefined : answer.trim() || '1';
}

/** Renders a row such as `2026-11-22 21:30  3 steps, answered    How is the discount calculated?`. */
function describe({ began, saved }: SavedRun): string {
  const { task, responses, result } = saved;
  const steps = result?.steps.length ?? responses.length;
  const end = result ? ends[result.stopReason] : 'cut off';
  const outcome = `${steps} ${steps === 1 ? 'step' : 'steps'}, ${end}`;
  // The Swedish locale writes dates as ISO 8601 does.
  const time = began.toLocaleString('sv-SE', { dateStyle: 'short', timeStyle: 'short' });
  const beginning = task.slice(0, MAX_TASK_CHARS);
  const visibleTask = looksSecret(beginning)
    ? '(not shown: it looks like it holds a secret)'
    : showTextLine(beginning);
  return `${time}  ${outcome.padEnd(22)}  ${visibleTask || '(continued)'}`;
}

const ends = {
  answered: 'answered',
  denied: 'denied',
  step_limit: 'step limit',
  stopped: 'stopped',
  needs_input: 'asks',
  needs_approval: 'waits',
  error: 'failed',
} as const satisfies Record<NonNullable<Trajectory['result']>['stopReason'], string>;
