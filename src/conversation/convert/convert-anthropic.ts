import type { TurnInput } from '../../contract/history.js';
import type { ToolDefinition } from '../../contract/tool.js';
import { isObject } from '../is-object.js';
import {
  type ConversationItem,
  fromVendorName,
  type ResultItem,
  type TextItem,
  toItems,
  toTurns,
  toVendorName,
} from './conversation-items.js';
import { type Residue, residueOf, restore } from './conversation-residue.js';

/** A message of Anthropic's Messages API, limited to the fields that a history needs. */
export interface AnthropicMessage {
  /** Role of the message; tool results have the role `user`. */
  readonly role: 'user' | 'assistant';
  /** Content of the message: plain text, or blocks. */
  readonly content: string | readonly AnthropicBlock[];
}

/** A content block of a message. */
export type AnthropicBlock =
  | {
      /** Kind of the block. */
      readonly type: 'text';
      /** The text. */
      readonly text: string;
    }
  | {
      /** Kind of the block. */
      readonly type: 'tool_use';
      /** Id by which a result refers to this call. */
      readonly id: string;
      /** Name of the tool. */
      readonly name: string;
      /** The arguments. */
      readonly input: unknown;
    }
  | {
      /** Kind of the block. */
      readonly type: 'tool_result';
      /** Id of the call. */
      readonly tool_use_id: string;
      /** The result as text, or as blocks. */
      readonly content?:
        | string
        | readonly {
            /** Kind of the block. */
            readonly type: string;
            /** The text of a text block. */
            readonly text?: string | undefined;
          }[]
        | undefined;
      /** True if the call failed. */
      readonly is_error?: boolean | undefined;
    };

/** A tool definition of the Messages API. */
export interface AnthropicTool {
  /** Name of the tool. */
  readonly name: string;
  /** Description of the tool for the model. */
  readonly description?: string | undefined;
  /** JSON Schema of the arguments. */
  readonly input_schema: Readonly<Record<string, unknown>>;
}

/**
 * Inserted before a history that begins with the assistant, because Anthropic requires the first message to have
 * the role `user`.
 */
const opening: TextItem = { type: 'text', role: 'user', text: 'Continue.', origin: null };

/**
 * Converts our history into Anthropic's messages. The residue contains the fields that these messages cannot
 * express.
 */
export function toAnthropicMessages(history: readonly TurnInput[]): {
  /** The messages of the conversation. */
  readonly messages: readonly AnthropicMessage[];
  /** The parts of the history that the messages cannot express. */
  readonly residue: Residue;
} {
  const items = toItems(history);
  const opened = startsWithAssistant(items) ? [opening, ...items] : items;
  const messages = groupMessages(opened);
  return { messages, residue: residueOf(history, opened, readTurns(messages)) };
}

/**
 * Converts Anthropic's messages into our history. If given the residue of `toAnthropicMessages`, restores the
 * original history.
 */
export function fromAnthropicMessages(
  messages: readonly AnthropicMessage[],
  residue: Residue = [],
): {
  /** The history in our format, which a run can continue. */
  readonly history: readonly TurnInput[];
} {
  return { history: restore(readTurns(messages), residue) };
}

/** Converts our tool definition to Anthropic's format. */
export const toAnthropicTool = ({ name, description, inputSchema }: ToolDefinition): AnthropicTool => ({
  name: toVendorName(name),
  ...(description !== undefined && { description }),
  input_schema: inputSchema,
});

/** Converts Anthropic's tool definition to ours. Anthropic's format has no annotations. */
export const fromAnthropicTool = ({ name, description, input_schema }: AnthropicTool): ToolDefinition => ({
  name: fromVendorName(name),
  description,
  inputSchema: input_schema,
  annotations: undefined,
});

const readTurns = (messages: readonly AnthropicMessage[]): TurnInput[] =>
  toTurns(messages.flatMap(messageItems));

const startsWithAssistant = ([first]: readonly ConversationItem[]): boolean =>
  first !== undefined && (first.type === 'calls' || (first.type === 'text' && first.role === 'assistant'));

/** Converts items to messages. Puts the results of one step into one user message, as Anthropic requires. */
function groupMessages(items: readonly ConversationItem[]): AnthropicMessage[] {
  const messages: { role: 'user' | 'assistant'; content: AnthropicBlock[] }[] = [];
  let previous: ConversationItem | undefined;
  for (const item of items) {
    const last = messages.at(-1);
    if (item.type === 'result' && previous?.type === 'result' && last) last.content.push(resultBlock(item));
    else messages.push({ role: roleOf(item), content: blocksOf(item) });
    previous = item;
  }
  return messages;
}

const roleOf = (item: ConversationItem): 'user' | 'assistant' =>
  item.type === 'text' ? item.role : item.type === 'calls' ? 'assistant' : 'user';

function blocksOf(item: ConversationItem): AnthropicBlock[] {
  if (item.type === 'text') return [{ type: 'text', text: item.text }];
  if (item.type === 'result') return [resultBlock(item)];
  const text: AnthropicBlock[] = item.text.trim() === '' ? [] : [{ type: 'text', text: item.text }];
  const uses = item.calls.map(
    ({ id, name, args }): AnthropicBlock => ({ type: 'tool_use', id, name: toVendorName(name), input: args }),
  );
  return [...text, ...uses];
}

const resultBlock = ({ callId, text, isError }: ResultItem): AnthropicBlock => ({
  type: 'tool_result',
  tool_use_id: callId,
  content: text,
  ...(isError && { is_error: true }),
});

/**
 * Converts a message to items: the results first, then the text. If an assistant's message contains calls, its text
 * becomes part of their item.
 */
function messageItems({ role, content }: AnthropicMessage): ConversationItem[] {
  const blocks: readonly AnthropicBlock[] =
    typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  const calls = blocks.flatMap((block) => (block.type === 'tool_use' ? [toCall(block)] : []));
  const results = blocks.flatMap((block) => (block.type === 'tool_result' ? [toResult(block)] : []));
  const text = blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
  if (calls.length > 0) return [{ type: 'calls', text, calls }];
  const texts: TextItem[] = text === '' ? [] : [{ type: 'text', role, text, origin: null }];
  return [...results, ...texts];
}

function toCall({ id, name, input }: Extract<AnthropicBlock, { type: 'tool_use' }>) {
  return { id, name: fromVendorName(name), args: isObject(input) ? { ...input } : { input }, origin: null };
}

function toResult({
  tool_use_id,
  content = '',
  is_error,
}: Extract<AnthropicBlock, { type: 'tool_result' }>): ResultItem {
  const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  const text = parts.map((part) => part.text ?? `(${part.type})`).join('');
  return { type: 'result', callId: tool_use_id, text, isError: is_error === true, origin: null };
}
