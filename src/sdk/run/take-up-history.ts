import type { TurnInput } from '../../contract/history.js';
import { callsOf, type PairedCall, readUnits } from '../../conversation/units.js';

/** The history a run begins with, and whether its task is still to be told. */
export interface Beginning {
  readonly history: readonly TurnInput[];
  readonly taskIsNew: boolean;
}

/**
 * Goes on from a former run. Where that one ended with a question to the person, the task is the answer and
 * becomes the question's observation.
 */
export function takeUpHistory(task: string, history: readonly TurnInput[] = []): Beginning {
  const question = openCalls(history).find(({ name }) => name === 'request_input');
  if (!question || task === '') return { history, taskIsNew: task !== '' };
  const { id } = question;
  const toolResult = { success: true };
  const answer: TurnInput = { role: 'tool_observation', content: task, toolCallId: id, toolResult };
  return { history: [...history, answer], taskIsNew: false };
}

/** The calls that nothing answers yet. */
export const openCalls = (history: readonly TurnInput[]): readonly PairedCall[] =>
  callsOf(readUnits(history)).filter(({ observation }) => observation === undefined);
