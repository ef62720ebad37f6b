import type { Turn } from '../../../contract/history.js';
import type { ErrorResponse, StepError } from '../../../contract/step.js';
import { blankStep } from '../../../conversation/blank-step.js';
import type { RequestState } from '../middleware/request-state.js';

/** The one body of every failure: what was not read is null, never empty (SPEC §3). */
export function errorResponse(
  error: StepError,
  { id, echo }: Pick<RequestState, 'id' | 'echo'>,
): ErrorResponse {
  return {
    session_id: echo?.sessionId ?? null,
    status: 'error',
    iterations_remaining: echo?.iterationsLeft ?? null,
    ...blankStep,
    // The raw turns: they passed the schema, which keeps what it does not know.
    updated_conversation_history: (echo?.history ?? null) as Turn[] | null,
    provider: error.provider,
    error,
    request_id: id,
  };
}
