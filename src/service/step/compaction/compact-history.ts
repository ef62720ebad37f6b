import type { Compaction, CompactionRequest } from '../../../contract/compaction.js';
import type { Warning } from '../../../contract/step.js';
import { readUnits, type Unit } from '../../../conversation/units.js';
import { weighWholeUnits } from '../history/unit-forms.js';
import { scaleOf } from '../prompt/weigh-messages.js';
import { maskHistory } from './mask-history.js';
import { type CompactionDependencies, summarizeHistory } from './summarize-history.js';

/** A compaction but for the request id. */
export type CompactionResult = Omit<Compaction, 'request_id'>;

/** A shorter history (rules: compaction-mask, compaction-summarize): valid, its units whole, and the same again when it is called again. */
export async function compactHistory(
  request: CompactionRequest,
  dependencies: CompactionDependencies,
): Promise<CompactionResult> {
  const { conversation_history: history, target_tokens: target } = request;
  const scale = scaleOf(dependencies, 'text');
  const weigh = (units: readonly Unit[]) => weighWholeUnits(units, scale);
  const before = await weigh(readUnits(history));
  const untouched = {
    conversation_history: history,
    changed: false,
    tokens_before: before,
    tokens_after: before,
  };
  if (before <= target) return { ...untouched, usage: null, warnings: [] };
  const { turns, usage, warnings } =
    request.strategy === 'mask'
      ? { turns: await maskHistory(history, before - target, weigh), usage: null, warnings: [] }
      : await summarizeHistory(request, dependencies);
  const after = await weigh(readUnits(turns));
  return {
    conversation_history: turns,
    changed: turns.some((turn, index) => turn !== history[index]),
    tokens_before: before,
    tokens_after: after,
    usage,
    warnings: [...warnings, ...(after > target ? [stillTooLong(after, target)] : [])],
  };
}

function stillTooLong(after: number, target: number): Warning {
  const message = `${after} tokens remain, more than the ${target} asked for: the task, the latest turns and errors are never cut.`;
  return { code: 'target_not_reached', message };
}
