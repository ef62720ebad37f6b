import { renderCall, renderJsonAction, renderXmlCall } from '../../../conversation/call-text.js';
import type { ActionUnit, Observation, PairedCall, Unit } from '../../../conversation/units.js';
import { type Fenced, fence, fenceInShares } from '../../context/fence.js';
import { eventLoopShare } from '../../event-loop/event-loop-share.js';
import type { TokenCounter } from '../../tokens/token-counter.js';
import type { Message, ModelProfile, Part } from '../provider.js';
import { notRunTemplate } from './templates/orders.js';

/** The form in which past steps are shown: the very form the model is taught to write. */
export type TaughtProtocol = WrittenProtocol | 'native';

type WrittenProtocol = 'text' | 'xml' | 'json';

/** A unit as messages. Every text ends with a line break, so that neighbouring texts join cleanly. */
export async function renderUnit(unit: Unit, protocol: TaughtProtocol): Promise<Message[]> {
  switch (unit.type) {
    case 'user':
      return [message('user', text(unit.content))];
    case 'assistant':
      return [message('assistant', ...state(unit.providerState), text(unit.content))];
    case 'stray_observation':
      return [message('user', text(await renderObservation(unit.observation)))];
    case 'action':
      return protocol === 'native' ? renderNativeAction(unit) : renderWrittenAction(unit, protocol);
  }
}

const writers = {
  text: writeTextAction,
  xml: writeXmlAction,
  json: (thought, { name, parameters }) => renderJsonAction(thought, name, parameters),
} as const satisfies Record<WrittenProtocol, (thought: string, call: PairedCall) => string>;

async function renderWrittenAction(unit: ActionUnit, protocol: WrittenProtocol): Promise<Message[]> {
  const write = writers[protocol];
  const messages: Message[] = [];
  for (const call of unit.calls) {
    const thought = messages.length === 0 ? unit.thought : '';
    messages.push(message('assistant', text(write(thought, call))));
    messages.push(message('user', text(await renderObservation(call.observation, call.name))));
  }
  return messages;
}

function writeTextAction(thought: string, call: PairedCall): string {
  const action = `Action: ${renderCall(call.name, call.parameters)}`;
  return thought === '' ? action : `Thought: ${thought}\n${action}`;
}

function writeXmlAction(thought: string, call: PairedCall): string {
  const action = renderXmlCall(call.name, call.parameters);
  return thought === '' ? action : `${thought}\n${action}`;
}

async function renderNativeAction({ thought, calls, providerState }: ActionUnit): Promise<Message[]> {
  const called = calls.map(
    (call): Part => ({ type: 'tool_call', id: call.id, name: call.name, arguments: call.parameters }),
  );
  const results: Part[] = [];
  for (const { id: callId, name, observation } of calls) {
    const shown = await renderObservation(observation, name);
    results.push({ type: 'tool_result', callId, text: shown, isError: observation?.isError ?? false });
  }
  const said = thought === '' ? [] : [text(thought)];
  return [message('assistant', ...state(providerState), ...said, ...called), message('user', ...results)];
}

/** A longer text is fenced in shares of the event loop (rule: loop-share). */
const FENCED_AT_ONCE = 64 * 1024;

async function renderObservation(observation: Observation | undefined, tool?: string): Promise<string> {
  const fenced: Fenced = {
    tag: 'observation',
    attributes: tool ? { tool } : {},
    text: observation ? shownText(observation) : notRunTemplate,
  };
  return fenced.text.length > FENCED_AT_ONCE ? fenceInShares(fenced) : fence(fenced);
}

function shownText({ text: observed, isError }: Observation): string {
  return isError ? `Error: ${observed}` : observed;
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

/** How this request's prompt is counted. */
export interface Scale {
  readonly tokens: TokenCounter;
  readonly framing: ModelProfile['framing'];
  readonly margin: ModelProfile['countMargin'];
  readonly protocol: TaughtProtocol;
  /** Ends counting and rendering with the step. */
  readonly signal: AbortSignal;
}

/** Tokens that a provider's own framing of a call or a result may take: an estimate on the safe side. */
const NATIVE_PART_FRAMING = 12;

/** Tokens that may come or go where two texts meet at white space or `/`; elsewhere the seam is exact. */
const SEAM_SLACK = 4;

/** A unit as it is shown. */
export interface RenderedUnit {
  readonly messages: readonly Message[];
  /** Upper bound of what it adds to a prompt: its messages may still be merged with their neighbours. */
  readonly tokens: number;
}

/** What rendering a unit books of the event loop: so much for each, and for each character. */
const RENDERING = 256;
const WRITING = 1 / 8;

export async function renderAndWeigh(unit: Unit, scale: Scale): Promise<RenderedUnit> {
  const messages = await renderUnit(unit, scale.protocol);
  await eventLoopShare.take(RENDERING + WRITING * charactersOf(messages), scale.signal);
  let tokens = 0;
  for (const message of messages) {
    const [first] = message.parts;
    const seam = first?.type === 'text' && /^[\s/]/.test(first.text) ? SEAM_SLACK : 0;
    tokens += seam + (await tokensOfMessage(message, scale));
  }
  return { messages, tokens };
}

function charactersOf(messages: readonly Message[]): number {
  let characters = 0;
  for (const { parts } of messages) {
    for (const part of parts) if ('text' in part) characters += part.text.length;
  }
  return characters;
}

/** Tokens of a message as it is sent, framing included. */
export async function tokensOfMessage({ parts }: Message, { tokens, framing }: Scale): Promise<number> {
  let sum = framing.message;
  let texts: string[] = [];
  for (const part of parts) {
    if (part.type === 'text') {
      texts.push(part.text);
      continue;
    }
    // Neighbouring texts are sent as one; everything else stands alone.
    if (texts.length > 0) sum += await tokens.countJoined(texts);
    texts = [];
    sum += NATIVE_PART_FRAMING + (await tokens.countJoined(textsOf(part)));
  }
  return texts.length > 0 ? sum + (await tokens.countJoined(texts)) : sum;
}

/** What a part that is no text is counted by. */
function textsOf(part: Exclude<Part, { type: 'text' }>): string[] {
  switch (part.type) {
    case 'tool_call':
      return [part.name, JSON.stringify(part.arguments)];
    case 'tool_result':
      return [part.text];
    case 'provider_state':
      return [JSON.stringify(part.state)];
  }
}
