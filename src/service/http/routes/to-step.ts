import type { ContextReport } from '../../../contract/context-report.js';
import type { Turn } from '../../../contract/history.js';
import type { Step, Warning } from '../../../contract/step.js';
import type { StepRequest } from '../../../contract/step-request.js';
import type { StepResult } from '../../step/react-step.js';

export interface StepAnswer {
  readonly include: StepRequest['include'];
  /** The history as sent. */
  readonly history: readonly unknown[];
  readonly warnings: readonly Warning[];
  readonly requestId: string;
}

/** The body of a step: the agent's result with the caller's own turns in front, as much of it as was asked for. */
export function toStep(result: StepResult, { include, history, warnings, requestId }: StepAnswer): Step {
  return {
    ...result,
    // The raw turns: they passed the schema, which keeps what it does not know.
    updated_conversation_history:
      include?.history === false ? null : [...(history as Turn[]), ...result.new_turns],
    context_report: result.context_report && toReport(result.context_report, include?.report),
    completion_text: include?.completion_text ? result.completion_text : null,
    warnings: [...warnings, ...result.warnings],
    request_id: requestId,
  };
}

/** The report in the form that was asked for; the summary leaves out what is simply included (rule: context-report). */
export function toReport(
  report: ContextReport,
  form: 'full' | 'summary' | 'none' = 'summary',
): ContextReport | null {
  if (form === 'none') return null;
  if (form === 'full') return report;
  return { ...report, items: report.items.filter(({ status }) => status !== 'included') };
}
