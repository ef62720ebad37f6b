import type { ContextReport } from '../../../contract/context-report.js';
import type { Turn } from '../../../contract/history.js';
import type { SourceStep } from '../../../contract/source-step.js';
import type { ErrorResponse, Step, Warning } from '../../../contract/step.js';
import type { StepRequest } from '../../../contract/step-request.js';
import type { StepResult } from '../../step/react-step.js';

interface StepAnswer {
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
export function toStep(
  result: StepResult,
  { include, history, warnings, requestId }: StepAnswer,
): Step | SourceStep {
  const isSource = include?.extensions === false;
  const newTurns = isSource ? result.new_turns.map(toSourceTurn) : result.new_turns;
  const step: Step = {
    ...result,
    // Cast: the raw turns have passed the schema, which keeps unknown fields.
    updated_conversation_history: include?.history === false ? null : [...(history as Turn[]), ...newTurns],
    context_report: result.context_report && toReport(result.context_report, include?.report),
    completion_text: include?.completion_text ? result.completion_text : null,
    warnings: [...warnings, ...result.warnings],
    request_id: requestId,
  };
  return isSource ? toSourceStep(step) : step;
}

/** Reduces a response body to the fields that remain with `include.extensions: false` (rule: source-fields). */
export function toSourceStep(step: Step | ErrorResponse): SourceStep {
  const { action_details: action, error } = step;
  return {
    session_id: step.session_id,
    thought: step.thought,
    action_details: action && {
      tool_name: action.tool_name,
      tool_args: action.tool_args,
      raw_action_string: action.raw_action_string,
    },
    direct_response: step.direct_response,
    updated_conversation_history: step.updated_conversation_history,
    iterations_remaining: step.iterations_remaining,
    // Cast: a request without extensions cannot have phases, so the status is never `phase_completed`.
    status: step.status as SourceStep['status'],
    ...(error && { error }),
  };
}

/**
 * Removes the extension fields from a turn that a step added. Must not be called for turns of the caller, which
 * stay as sent.
 */
function toSourceTurn({ role, content, timestamp, toolCall }: Turn): Turn {
  const call = toolCall && { name: toolCall.name, parameters: toolCall.parameters };
  return { role, content, timestamp, ...(call && { toolCall: call }) };
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
