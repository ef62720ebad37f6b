import { renderCall, renderJsonAction, renderXmlCall } from '../../../conversation/call-text.js';
import type {
  ActionUnit,
  Observation,
  PairedCall,
  Unit,
  UnitAttachment,
} from '../../../conversation/units.js';
import { fence } from '../../context/fence.js';
import { leftOutNote, shownNote, shownOf } from '../history/attachments.js';
import type { Message, Part } from '../provider.js';
import type { TaughtProtocol, WrittenProtocol } from '../types.js';
import { describeFound } from './deferred-tools.js';
import { notRunTemplate } from './templates/orders.js';

/**
 * Renders a unit as messages. Every text is free of lone surrogates and ends with a line break, so that adjacent
 * texts can be joined.
 */
export function renderUnit(unit: Unit, protocol: TaughtProtocol): Message[] {
  switch (unit.type) {
    case 'user':
      return [message('user', ...userParts(unit))];
    case 'assistant':
      return [message('assistant', ...state(unit.providerState), text(unit.content))];
    case 'stray_observation':
      return [message('user', ...observationParts(unit))];
    case 'action':
      if (protocol !== 'native') return renderWrittenAction(unit, protocol);
      return unit.isWritten ? renderWrittenAction(unit, 'text') : renderNativeAction(unit);
  }
}

export type WrittenCall = Pick<PairedCall, 'name' | 'parameters'>;

/** Writes a complete reply with an action, in the form that the prompt asks for. */
export function writeAction(protocol: WrittenProtocol, thought: string, call: WrittenCall): string {
  const { name, parameters } = call;
  if (protocol === 'json') return renderJsonAction(thought, name, parameters);
  if (protocol === 'xml') return (thought && `${thought}\n`) + renderXmlCall(name, parameters);
  return `${thought && `Thought: ${thought}\n`}Action: ${renderCall(name, parameters)}`;
}

function renderWrittenAction(unit: ActionUnit, protocol: WrittenProtocol): Message[] {
  return unit.calls.flatMap((call, index) => [
    message('assistant', text(writeAction(protocol, index === 0 ? unit.thought : '', call))),
    message('user', ...observationParts(call)),
  ]);
}

function renderNativeAction({ thought, calls, providerState }: ActionUnit): Message[] {
  const called = calls.flatMap((call): Part[] => [
    ...state(call.providerState),
    { type: 'tool_call', id: call.id, name: call.name, arguments: call.parameters },
  ]);
  const results = calls.map((call): Part => {
    const isError = call.observation?.isError ?? false;
    const attachments = shownOf(call.observation?.attachments);
    const result = { type: 'tool_result', callId: call.id, text: observationText(call), isError } as const;
    return attachments.length === 0 ? result : { ...result, attachments };
  });
  const thoughts = thought === '' ? [] : [text(thought)];
  return [message('assistant', ...state(providerState), ...thoughts, ...called), message('user', ...results)];
}

type Observed = Partial<Pick<PairedCall, 'name' | 'observation'>>;

/** Images come before the text that asks about them, as Anthropic recommends. */
function userParts({ content, attachments }: Extract<Unit, { type: 'user' }>): Part[] {
  if (!attachments) return [text(content)];
  const texts = [content, leftOutNote(attachments)].filter((each) => each.trim() !== '');
  return [...shownOf(attachments).map(toPart), ...texts.map(text)];
}

function observationParts(observed: Observed): Part[] {
  const attachments = shownOf(observed.observation?.attachments);
  return [{ type: 'text', text: observationText(observed) }, ...attachments.map(toPart)];
}

const toPart = (attachment: UnitAttachment): Part => ({ type: 'attachment', attachment });

/**
 * Appends two texts after the fence: the definitions of tools that a tool search found, and notes about attachments.
 * They come from the service, and a fence encloses only untrusted tool output.
 */
function observationText(observed: Observed): string {
  const { attachments, found } = observed.observation ?? {};
  const fenced = fenceObservation(observed) + (found ? describeFound(found) : '');
  return attachments ? fenced + shownNote(attachments) + leftOutNote(attachments) : fenced;
}

function fenceObservation({ name, observation }: Observed): string {
  const observed = observation ? observedText(observation) : notRunTemplate;
  return fence({ tag: 'observation', attributes: name ? { tool: name } : {}, text: observed });
}

function observedText({ text: observed, isError }: Observation): string {
  return isError ? `Error: ${observed}` : observed;
}

function state(providerState: unknown): Part[] {
  return providerState == null ? [] : [{ type: 'provider_state', state: providerState }];
}

/** Returns a text part without lone surrogates, which cannot be sent to a provider. */
function text(content: string): Part {
  const wellFormed = content.toWellFormed();
  return { type: 'text', text: wellFormed.endsWith('\n') ? wellFormed : `${wellFormed}\n` };
}

function message(role: Message['role'], ...parts: Part[]): Message {
  return { role, parts };
}
