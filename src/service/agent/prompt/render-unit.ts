import { renderCall, renderXmlCall } from '../../../conversation/call-text.js';
import type { ActionUnit, Observation, PairedCall, Unit } from '../../../conversation/units.js';
import { fence } from '../../context/fence.js';
import type { Message, Part } from '../provider.js';
import { notRunTemplate } from './templates/orders.js';

/** The form in which past steps are shown: the very form the model is taught to write. */
export type TaughtProtocol = 'text' | 'xml' | 'native';

/** A unit as messages. Every text ends with a line break, so that neighbouring texts join cleanly. */
export function renderUnit(unit: Unit, protocol: TaughtProtocol): Message[] {
  switch (unit.type) {
    case 'user':
      return [message('user', text(unit.content))];
    case 'assistant':
      return [message('assistant', ...state(unit.providerState), text(unit.content))];
    case 'stray_observation':
      return [message('user', text(renderObservation(unit.observation)))];
    case 'action':
      return protocol === 'native' ? renderNativeAction(unit) : renderWrittenAction(unit, protocol);
  }
}

function renderWrittenAction(unit: ActionUnit, protocol: 'text' | 'xml'): Message[] {
  const write = protocol === 'xml' ? writeXmlAction : writeTextAction;
  return unit.calls.flatMap((call, position) => [
    message('assistant', text(write(position === 0 ? unit.thought : '', call))),
    message('user', text(renderObservation(call.observation, call.name))),
  ]);
}

function writeTextAction(thought: string, call: PairedCall): string {
  const action = `Action: ${renderCall(call.name, call.parameters)}`;
  return thought === '' ? action : `Thought: ${thought}\n${action}`;
}

function writeXmlAction(thought: string, call: PairedCall): string {
  const action = renderXmlCall(call.name, call.parameters);
  return thought === '' ? action : `${thought}\n${action}`;
}

function renderNativeAction({ thought, calls, providerState }: ActionUnit): Message[] {
  const called = calls.map(
    (call): Part => ({ type: 'tool_call', id: call.id, name: call.name, arguments: call.parameters }),
  );
  const results = calls.map(
    (call): Part => ({
      type: 'tool_result',
      callId: call.id,
      text: renderObservation(call.observation, call.name),
      isError: call.observation?.isError ?? false,
    }),
  );
  const said = thought === '' ? [] : [text(thought)];
  return [message('assistant', ...state(providerState), ...said, ...called), message('user', ...results)];
}

function renderObservation(observation: Observation | undefined, tool?: string): string {
  if (!observation)
    return fence({ tag: 'observation', attributes: tool ? { tool } : {}, text: notRunTemplate });
  const shown = observation.isError ? `Error: ${observation.text}` : observation.text;
  return fence({ tag: 'observation', attributes: tool ? { tool } : {}, text: shown });
}

function state(providerState: unknown): Part[] {
  return providerState == null ? [] : [{ type: 'provider_state', state: providerState }];
}

function text(content: string): Part {
  return { type: 'text', text: content.endsWith('\n') ? content : `${content}\n` };
}

function message(role: Message['role'], ...parts: Part[]): Message {
  return { role, parts };
}
