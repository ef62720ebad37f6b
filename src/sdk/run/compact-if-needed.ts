import { withHint } from '../base/error-hints.js';
import { StepwiseError } from '../base/stepwise-error.js';
import type { RunState } from './run-state.js';

/**
 * Minimum number of steps between two compactions that the service suggests, because a history that was just
 * shortened hardly gets shorter.
 */
const MIN_STEPS_BETWEEN = 3;

/**
 * Shortens the history if the model asked for it, or if the run has a compaction policy and the service suggests it by
 * `should_compact`. Reports a failed compaction and continues: the service fits the history into each prompt anyway.
 */
export async function compactIfNeeded(run: RunState): Promise<void> {
  if (!run.compactionRequested && !isDue(run)) return;
  run.compactionRequested = false;
  run.lastCompactionStep = run.stepNumber;
  try {
    await compact(run);
  } catch (error) {
    if (run.signal.aborted || !(error instanceof StepwiseError)) throw error;
    await run.emit({
      type: 'agent_error',
      error: withHint(error.toStepError(), run.llmConfig),
      retryInMs: null,
    });
  }
}

function isDue({ options, responses, stepNumber, lastCompactionStep }: RunState): boolean {
  if (!options.compaction || !responses.at(-1)?.signals?.should_compact) return false;
  return lastCompactionStep === undefined || stepNumber - lastCompactionStep >= MIN_STEPS_BETWEEN;
}

async function compact(run: RunState): Promise<void> {
  const { strategy, targetTokens } = run.options.compaction ?? { strategy: 'mask' as const };
  const { tokenLimit, reservedOutputTokens } = run.llmConfig;
  const request = {
    project_id: run.projectId,
    session_id: run.sessionId,
    conversation_history: run.history,
    target_tokens: targetTokens ?? Math.floor((tokenLimit - reservedOutputTokens) / 4),
    strategy,
    llm_config: run.llmConfig,
  };
  const compaction = await run.service.compact(request, run.callOptions);
  if (!compaction.changed) return;
  run.history = compaction.conversation_history;
  if (compaction.usage) run.addUsage(compaction.usage);
  const { tokens_before, tokens_after } = compaction;
  await run.emit({ type: 'context_compacted', tokensBefore: tokens_before, tokensAfter: tokens_after });
}
