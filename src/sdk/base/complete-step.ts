import type { TurnInput } from '../../contract/history.js';
import type { StepRequestInput } from '../../contract/step-request.js';
import { blankStep } from '../../conversation/blank-step.js';
import { isObject } from '../../conversation/is-object.js';
import { callsOf, readUnits } from '../../conversation/units.js';
import { isTurn } from './wire-shapes.js';

/**
 * Adds the missing fields to the response of a step with `include.extensions: false` (rule: source-fields). `new_turns`
 * are the turns after those of the request, and the call gets its id from the history. All other missing fields are
 * null or empty. Returns any other body as it is.
 */
export function completeStep(body: unknown, request: StepRequestInput): unknown {
  const isReduced = request.include?.extensions === false && isObject(body) && !('new_turns' in body);
  if (!isReduced) return body;
  const { action_details: action, updated_conversation_history: turns } = body;
  const history: readonly TurnInput[] = Array.isArray(turns) && turns.every(isTurn) ? turns : [];
  return {
    ...blankStep,
    request_id: '',
    error: null,
    ...body,
    new_turns: history.slice(request.conversation_history.length),
    action_details: isObject(action)
      ? { requires_approval: false, ...action, id: newestId(history) }
      : action,
  };
}

/** Applies `completeStep` to the step in the last event of a stream. Returns any other event as it is. */
export const completeEvent = (event: unknown, request: StepRequestInput): unknown =>
  isObject(event) && event['type'] === 'step.completed'
    ? { ...event, step: completeStep(event['step'], request) }
    : event;

const newestId = (history: readonly TurnInput[]): string =>
  callsOf(readUnits(history)).at(-1)?.id ?? 'call_1';
