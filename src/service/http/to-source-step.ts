import type { Turn } from '../../contract/history.js';
import type { SourceStep } from '../../contract/source-step.js';
import type { ErrorResponse, Step } from '../../contract/step.js';

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
export function toSourceTurn({ role, content, timestamp, toolCall }: Turn): Turn {
  const call = toolCall && { name: toolCall.name, parameters: toolCall.parameters };
  return { role, content, timestamp, ...(call && { toolCall: call }) };
}
