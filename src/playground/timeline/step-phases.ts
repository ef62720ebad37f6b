import type { ActionView, ModelCallView, StepView } from '../../sdk/index.js';

/** A phase of a step and its progress. */
export interface PhaseState {
  readonly name: 'Reason' | 'Act' | 'Observe' | 'Answer';
  readonly state: 'pending' | 'active' | 'done' | 'failed';
}

/** Returns the phases of a step. Without the service's phases, one model call both reasons and acts. */
export function stepPhases({ calls, actions }: StepView): readonly PhaseState[] {
  const strict = calls.some(({ phase }) => phase !== null);
  const reason = strict ? calls.find(({ phase }) => phase === 'reason') : calls.at(-1);
  if (!strict && hasAnswered(reason) && actions.length === 0) {
    return [
      { name: 'Reason', state: 'done' },
      { name: 'Answer', state: 'done' },
    ];
  }
  const observe = calls.find(({ phase }) => phase === 'observe');
  return [
    { name: 'Reason', state: stateOfCall(reason) },
    { name: 'Act', state: actions.length > 0 ? stateOfActions(actions) : stateOfAct(calls, strict) },
    { name: 'Observe', state: strict ? stateOfCall(observe) : stateOfObservations(actions) },
  ];
}

const hasAnswered = (call: ModelCallView | undefined): boolean =>
  call?.response?.status === 'direct_response_provided' &&
  call.response.parse?.outcome !== 'malformed_action';

function stateOfCall(call: ModelCallView | undefined): PhaseState['state'] {
  if (!call) return 'pending';
  if (call.response) return call.response.status === 'error' ? 'failed' : 'done';
  return call.isAbandoned ? 'failed' : 'active';
}

const stateOfAct = (calls: readonly ModelCallView[], strict: boolean): PhaseState['state'] =>
  strict ? stateOfCall(calls.findLast(({ phase }) => phase === 'act')) : 'pending';

function stateOfActions(actions: readonly ActionView[]): PhaseState['state'] {
  const isSettled = ({ state }: ActionView) =>
    ['done', 'failed', 'denied', 'skipped', 'stopped'].includes(state);
  if (!actions.every(isSettled)) return 'active';
  return actions.every(({ state }) => state === 'done') ? 'done' : 'failed';
}

const stateOfObservations = (actions: readonly ActionView[]): PhaseState['state'] =>
  actions.length > 0 && actions.every(({ observation }) => observation !== null) ? 'done' : 'pending';
