import { renderCall, renderJsonAction, renderXmlCall } from '../../../conversation/call-text.js';
import type { ActionUnit, Observation, PairedCall, Unit } from '../../../conversation/units.js';
import { fence } from '../../context/fence.js';
import type { Message, Part } from '../provider.js';
import { notRunTemplate } from './templates/orders.js';

/** The form in which past steps are shown: the very form the model is taught to write. */
export type TaughtProtocol = WrittenProtocol | 'native';

type WrittenProtocol = 'text' | 'xml' | 'json';

/** A unit as messages. Every text is well formed and ends with a line break, so that neighbouring texts join cleanly. */
export function renderUnit(unit: Unit, protocol: TaughtProtocol): Message[] {
  switch (unit.type) {
    case 'user':
      return [message('user', text(unit.content))];
    case 'assistant':
      return [message('assistant', ...state(unit.providerState), text(unit.content))];
    case 'stray_observation':
      return [message('user', text(fenced(unit)))];
    case 'action':
      return protocol === 'native' ? renderNativeAction(unit) : renderWrittenAction(unit, protocol);
  }
}

const writers = {
  text: writeTextAction,
  xml: writeXmlAction,
  json: (thought, { name, parameters }) => renderJsonAction(thought, name, parameters),
} as const satisfies Record<WrittenProtocol, (thought: string, call: WrittenCall) => string>;

type WrittenCall = Pick<PairedCall, 'name' | 'parameters'>;

/** A whole reply that acts, as the model is taught to write it. */
export const writeAction = (protocol: WrittenProtocol, thought: string, call: WrittenCall): string =>
  writers[protocol](thought, call);

function renderWrittenAction(unit: ActionUnit, protocol: WrittenProtocol): Message[] {
  const messages: Message[] = [];
  for (const call of unit.calls) {
    const thought = messages.length === 0 ? unit.thought : '';
    messages.push(message('assistant', text(writeAction(protocol, thought, call))));
    messages.push(message('user', text(fenced(call))));
  }
  return messages;
}

function writeTextAction(thought: string, call: WrittenCall): string {
  const action = `Action: ${renderCall(call.name, call.parameters)}`;
  return thought === '' ? action : `Thought: ${thought}\n${action}`;
}

function writeXmlAction(thought: string, call: WrittenCall): string {
  const action = renderXmlCall(call.name, call.parameters);
  return thought === '' ? action : `${thought}\n${action}`;
}

function renderNativeAction({ thought, calls, providerState }: ActionUnit): Message[] {
  const called = calls.map(
    (call): Part => ({ type: 'tool_call', id: call.id, name: call.name, arguments: call.parameters }),
  );
  const results = calls.map((call): Part => {
    const isError = call.observation?.isError ?? false;
    return { type: 'tool_result', callId: call.id, text: fenced(call), isError };
  });
  const said = thought === '' ? [] : [text(thought)];
  return [message('assistant', ...state(providerState), ...said, ...called), message('user', ...results)];
}

type Observed = Partial<Pick<PairedCall, 'name' | 'observation'>>;

function fenced({ name, observation }: Observed): string {
  const text = observation ? shownText(observation) : notRunTemplate;
  return fence({ tag: 'observation', attributes: name ? { tool: name } : {}, text });
}

function shownText({ text: observed, isError }: Observation): string {
  return isError ? `Error: ${observed}` : observed;
}

function state(providerState: unknown): Part[] {
  return providerState == null ? [] : [{ type: 'provider_state', state: providerState }];
}

/** Half characters would not survive the way to a provider. */
function text(content: string): Part {
  const fit = content.toWellFormed();
  return { type: 'text', text: fit.endsWith('\n') ? fit : `${fit}\n` };
}

function message(role: Message['role'], ...parts: Part[]): Message {
  return { role, parts };
}
