import type { Attachment } from '../../contract/attachment.js';
import type { TurnInput } from '../../contract/history.js';
import type { Task } from '../../contract/step-request.js';
import { callsOf, type PairedCall, readUnits } from '../../conversation/units.js';

/** The initial history of a run; `taskIsNew` is true if the task is not part of it yet. */
export interface Beginning {
  readonly history: readonly TurnInput[];
  readonly taskIsNew: boolean;
}

/**
 * Continues the history of an earlier run. If that run ended with an open question, the task is its answer and becomes
 * its observation.
 */
export function takeUpHistory(
  task: string,
  history: readonly TurnInput[],
  attachments: readonly Attachment[] = [],
): Beginning {
  const question = openCalls(history).find(({ name }) => name === 'request_input');
  if (!question || task === '') return { history, taskIsNew: task !== '' };
  const { id } = question;
  const answer: TurnInput = {
    role: 'tool_observation',
    content: task,
    toolCallId: id,
    toolResult: { success: true },
    ...(attachments.length > 0 && { attachments: [...attachments] }),
  };
  return { history: [...history, answer], taskIsNew: false };
}

/**
 * Returns the TODO list that a run begins with. The list of a conversation belongs to its task: a new task starts with an
 * empty one, unless the task answers a question or continues the run (rule: client-tools).
 */
export function tasksFor(
  task: string,
  { history, tasks }: { readonly history: readonly TurnInput[]; readonly tasks: readonly Task[] },
): readonly Task[] {
  const isNewTask = history.length > 0 && takeUpHistory(task, history).taskIsNew;
  return isNewTask ? [] : tasks;
}

/** Returns the calls that have no observation yet. */
export const openCalls = (history: readonly TurnInput[]): readonly PairedCall[] =>
  callsOf(readUnits(history)).filter(({ observation }) => observation === undefined);
