import type { Compaction, CompactionRequestInput } from '../../contract/compaction.js';
import type { TurnInput } from '../../contract/history.js';
import { randomId } from '../../sdk/base/random-id.js';
import type { RunOptions } from '../../sdk/run/run-options.js';

/** Share of the prompt that the history may fill after `/compact`. */
const COMPACT_SHARE = 1 / 8;

interface Compacting extends Pick<RunOptions, 'projectId' | 'sessionId'> {
  readonly llmConfig: CompactionRequestInput['llm_config'];
}

/** Returns the request that shortens a history enough for a long further conversation. */
export function compactionRequest(
  history: readonly TurnInput[],
  { projectId = randomId(), sessionId = randomId(), llmConfig }: Compacting,
): CompactionRequestInput {
  const { tokenLimit, reservedOutputTokens } = llmConfig;
  return {
    project_id: projectId,
    session_id: sessionId,
    conversation_history: [...history],
    target_tokens: Math.floor((tokenLimit - reservedOutputTokens) * COMPACT_SHARE),
    strategy: 'mask',
    llm_config: llmConfig,
  };
}

/** Describes the outcome of a compaction. `newConversation` says how to start one, if shortening is not enough. */
export function describeCompaction(
  { changed, tokens_before, tokens_after, warnings }: Compaction,
  newConversation: string,
): string {
  if (changed) return `The history was shortened from ${tokens_before} to ${tokens_after} tokens.`;
  const isLong = warnings.some(({ code }) => code === 'target_not_reached');
  if (!isLong) return `The history is already short: ${tokens_before} tokens.`;
  return `The history cannot be shortened further: its ${tokens_before} tokens are tasks, answers, errors and the latest turns. ${newConversation}`;
}
