import type { Compaction, CompactionRequest } from '../../../contract/compaction.js';
import type { Turn } from '../../../contract/history.js';
import type { Warning } from '../../../contract/step.js';
import {
  KEPT_UNITS,
  observationsOf,
  readUnits,
  turnsOf,
  type Unit,
  type UnitAttachment,
} from '../../../conversation/units.js';
import { listed, weighAttachments } from '../history/attachments.js';
import { stub, weighWholeUnits } from '../history/unit-forms.js';
import { scaleOf } from '../prompt/weigh-messages.js';
import { type CompactionDependencies, summarizeHistory } from './summarize-history.js';

/** The response to a compaction, without the request id. */
type CompactionResult = Omit<Compaction, 'request_id'>;

/**
 * Shortens a history (rules: compaction-mask, compaction-summarize). The result is a valid history of complete
 * units. Shortening it a second time would change nothing.
 */
export async function compactHistory(
  request: CompactionRequest,
  dependencies: CompactionDependencies,
): Promise<CompactionResult> {
  const { conversation_history: history, target_tokens: target } = request;
  const scale = scaleOf(dependencies, 'text');
  const weigh = (units: readonly Unit[]) =>
    weighWholeUnits(weighAttachments(units, dependencies.profile.vision), scale);
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
  const changed = turns.some((turn, index) => turn !== history[index]);
  if (request.strategy === 'summarize' && changed && after >= before) {
    return { ...untouched, usage, warnings: [...warnings, summaryTooLong, stillTooLong(before, target)] };
  }
  return {
    conversation_history: turns,
    changed,
    tokens_before: before,
    tokens_after: after,
    usage,
    warnings: [...warnings, ...(after > target ? [stillTooLong(after, target)] : [])],
  };
}

/**
 * Replaces old observations by one-line summaries, oldest first, until `excess` tokens are saved. Leaves error
 * messages unchanged.
 */
async function maskHistory(
  history: readonly Turn[],
  excess: number,
  weigh: (units: readonly Unit[]) => Promise<number>,
): Promise<Turn[]> {
  const turns = [...history];
  let saved = 0;
  for (const unit of readUnits(history).slice(0, -KEPT_UNITS)) {
    if (saved >= excess) break;
    maskUnitIn(turns, unit);
    const masked = turnsOf(unit).flatMap((index) => turns[index] ?? []);
    saved += (await weigh([unit])) - (await weigh(readUnits(masked)));
  }
  return turns;
}

function maskUnitIn(turns: Turn[], unit: Unit): void {
  for (const { index, text, isError, attachments } of observationsOf(unit)) {
    const turn = turns[index];
    const content = attachments ? stubOfAttachments(text, attachments.all) : stub(text);
    if (turn && !isError && content !== text) turns[index] = maskTurn(turn, content);
  }
}

/** Replaces the text of an observation, and removes its attachments. */
function maskTurn({ attachments: _, ...turn }: Turn, content: string): Turn {
  if (!turn.toolResult) return { ...turn, content };
  const { result: __, ...toolResult } = turn.toolResult;
  return { ...turn, content, toolResult };
}

/** Returns a one-line placeholder for attachments. A later compaction leaves it unchanged. */
function stubOfAttachments(text: string, attachments: readonly UnitAttachment[]): string {
  const line = `${stub(text)} [${listed(attachments)} left out]`.trim();
  return stub(line);
}

const summaryTooLong: Warning = {
  code: 'summary_too_long',
  message: 'The summary is not shorter than the turns that it would replace; the history is unchanged.',
};

function stillTooLong(after: number, target: number): Warning {
  const message = `${after} tokens remain, more than the target of ${target}: the task, the latest turns and errors are never cut.`;
  return { code: 'target_not_reached', message };
}
