import type { ContextReport } from '../../../contract/context-report.js';
import type { Turn } from '../../../contract/history.js';
import type { Step, Warning } from '../../../contract/step.js';
import type { StepRequest } from '../../../contract/step-request.js';
import type { StepResult } from '../../step/react-step.js';
import { toSourceTurn } from '../to-source-step.js';

export interface StepAnswer {
  readonly include: StepRequest['include'];
  /** The history as the caller sent it. */
  readonly history: readonly unknown[];
  readonly warnings: readonly Warning[];
  readonly requestId: string;
}

/**
 * Builds the response body of a step. Appends the new turns to the caller's own, and leaves out parts that were not
 * requested.
 */
export function toStep(result: StepResult, { include, history, warnings, requestId }: StepAnswer): Step {
  const newTurns = include?.extensions === false ? result.new_turns.map(toSourceTurn) : result.new_turns;
  return {
    ...result,
    // Cast: the raw turns have passed the schema, which keeps unknown fields.
    updated_conversation_history: include?.history === false ? null : [...(history as Turn[]), ...newTurns],
    context_report: result.context_report && toReport(result.context_report, include?.report),
    completion_text: include?.completion_text ? result.completion_text : null,
    warnings: [...warnings, ...result.warnings],
    request_id: requestId,
  };
}

/**
 * Returns the report as requested: complete, as a summary, or null. The summary omits items that are included
 * completely (rule: context-report).
 */
export function toReport(
  report: ContextReport,
  form: 'full' | 'summary' | 'none' = 'summary',
): ContextReport | null {
  if (form === 'none') return null;
  if (form === 'full') return report;
  return { ...report, items: report.items.filter(({ status }) => status !== 'included') };
}
