import { isObject } from '../../../contract/fields.js';
import type { ConversationItem } from '../../../conversation/convert/conversation-items.js';
import { readState } from '../carried-state.js';
import type { ClientTools } from '../client-tools.js';
import { placeholderOf } from '../read-fields.js';
import type { Block, Message } from './messages-schema.js';

/** The conversation in a body. */
export interface ReadConversation {
  /** Texts of the messages whose role is `system`. */
  readonly instructions: readonly string[];
  readonly items: readonly ConversationItem[];
  /** Number of images and documents that were replaced by placeholders. */
  readonly replaced: number;
  /** Number of states of reasoning that another service made. */
  readonly foreignStates: number;
}

/** Reads messages. Reasoning is left out: models get their own only as state. */
export function readConversation(messages: readonly Message[], tools: ClientTools): ReadConversation {
  const blocks = messages.flatMap(({ content }) => content);
  const shown = [...blocks, ...blocks.flatMap(({ content }) => content)];
  return {
    instructions: messages.filter(({ role }) => role === 'system').map(({ content }) => textOf(content)),
    items: messages.flatMap((message) => itemsOf(message, tools)),
    replaced: shown.filter(({ type }) => type === 'image' || type === 'document').length,
    foreignStates: blocks.filter(isForeign).length,
  };
}

function itemsOf({ role, content }: Message, tools: ClientTools): ConversationItem[] {
  if (role === 'system') return [];
  if (role === 'assistant') return assistantItems(content, tools);
  const results = content.filter(({ type }) => type === 'tool_result').map(toResult);
  const text = textOf(content);
  return text === '' ? results : [...results, { type: 'text', role, text, origin: null }];
}

/** Reads a reply. A state belongs to the call after it; after the last call, or without one, to the text. */
function assistantItems(content: readonly Block[], tools: ClientTools): ConversationItem[] {
  const text = textOf(content);
  let state: unknown;
  const calls = content.flatMap((block) => {
    state = stateIn(block) ?? state;
    if (block.type !== 'tool_use') return [];
    const call = toCall(block, tools, state);
    state = undefined;
    return [call];
  });
  if (calls.length > 0) return [{ type: 'calls', text, calls }];
  return text === '' ? [] : [{ type: 'text', role: 'assistant', text, origin: null, ...withState(state) }];
}

const stateIn = ({ type, data }: Block): unknown =>
  type === 'redacted_thinking' && data !== undefined ? readState(data) : undefined;

const withState = (state: unknown) => (state === undefined ? {} : { providerState: state });

function isForeign({ type, signature, data }: Block): boolean {
  if (type === 'thinking') return signature !== undefined && signature !== '';
  return type === 'redacted_thinking' && readState(data ?? '') === undefined;
}

function toCall({ id = '', name = '', input }: Block, tools: ClientTools, state: unknown) {
  const args = isObject(input) ? input : { input };
  return { id, name: tools.nameOf({ name }), args, origin: null, ...withState(state) };
}

function toResult({ tool_use_id: callId = '', content, is_error: isError = false }: Block): ConversationItem {
  return { type: 'result', callId, text: textOf(content), isError, origin: null };
}

/** Types of blocks that are no text of their own. */
const silent = new Set(['tool_use', 'tool_result', 'thinking', 'redacted_thinking']);

/** Joins the texts of blocks, as lines. */
function textOf(
  blocks: readonly {
    readonly type: string;
    readonly text?: string | undefined;
    readonly tool_name?: string | undefined;
  }[],
): string {
  const texts = blocks
    .filter(({ type }) => !silent.has(type))
    .map(({ type, text, tool_name: tool }) => text ?? tool ?? placeholderOf(type));
  return texts.filter((text) => text !== '').join('\n');
}
