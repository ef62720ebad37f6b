import type { TurnInput } from '../contract/history.js';

export interface OpenCall {
  readonly id: string;
  readonly name: string;
}

/**
 * The calls of a history that nothing answers yet. An observation answers the call with its id, else the oldest
 * open one; calls without an id are counted `call_<n>` from the start (SPEC §2).
 */
export function openCalls(history: readonly TurnInput[]): readonly OpenCall[] {
  const open: OpenCall[] = [];
  let calls = 0;
  for (const { role, toolCall, toolCallId } of history) {
    if (role === 'assistant' && toolCall) calls += 1;
    if (role === 'assistant' && toolCall)
      open.push({ name: toolCall.name, id: toolCall.id ?? `call_${calls}` });
    if (role !== 'tool_observation') continue;
    const index = open.findIndex(({ id }) => id === toolCallId);
    if (index >= 0 || toolCallId == null) open.splice(Math.max(index, 0), 1);
  }
  return open;
}
