import type { TurnInput } from '../../contract/history.js';

/** A call of a history and, once it is answered, its observation; both by their place in the history. */
export interface PairedCall {
  readonly index: number;
  readonly id: string;
  readonly name: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Absent where the call was never run. */
  observation?: number;
}

/**
 * Pairs the calls of a history with their observations, as the service does: an observation belongs to the call
 * with its id, else to the oldest open one; missing and repeated ids become `call_<n>` (SPEC §2).
 */
export function pairCalls(history: readonly TurnInput[]): readonly PairedCall[] {
  const calls: PairedCall[] = [];
  const open: PairedCall[] = [];
  const taken = new Set<string>();
  history.forEach(({ role, toolCall, toolCallId }, index) => {
    if (role === 'assistant' && toolCall) {
      const call = {
        index,
        id: freeId(toolCall.id, taken),
        name: toolCall.name,
        parameters: toolCall.parameters,
      };
      taken.add(call.id);
      calls.push(call);
      open.push(call);
    }
    if (role !== 'tool_observation') return;
    const named = open.findIndex(({ id }) => id === toolCallId);
    const [owner] = open.splice(Math.max(named, 0), 1);
    if (owner) owner.observation = index;
  });
  return calls;
}

/** The calls that nothing answers yet. */
export const openCalls = (history: readonly TurnInput[]): readonly PairedCall[] =>
  pairCalls(history).filter(({ observation }) => observation === undefined);

function freeId(id: string | null | undefined, taken: ReadonlySet<string>): string {
  if (id && !taken.has(id)) return id;
  let number = taken.size + 1;
  while (taken.has(`call_${number}`)) number += 1;
  return `call_${number}`;
}
