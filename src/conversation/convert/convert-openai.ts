import type { TurnInput } from '../../contract/history.js';
import type { ToolDefinition } from '../../contract/tool.js';
import { parseJsonKeepingDigits } from '../../parsing/text/exact-json.js';
import { isObject } from '../is-object.js';
import {
  type ConversationItem,
  fromVendorName,
  toItems,
  toTurns,
  toVendorName,
} from './conversation-items.js';
import { type Residue, residueOf, restore } from './conversation-residue.js';

/** A message of OpenAI's Chat Completions API, limited to the fields that a history needs. */
export type OpenAiMessage =
  | {
      /** Author of the message. */
      readonly role: 'system' | 'developer' | 'user';
      /** Content of the message: plain text, or parts. */
      readonly content: OpenAiContent;
    }
  | {
      /** Author of the message. */
      readonly role: 'assistant';
      /** The text before the calls, or the answer. */
      readonly content?: OpenAiContent | null | undefined;
      /** The calls of the message. */
      readonly tool_calls?: readonly OpenAiToolCall[] | undefined;
    }
  | {
      /** Author of the message. */
      readonly role: 'tool';
      /** Id of the call that the message is the result of. */
      readonly tool_call_id: string;
      /** The result. */
      readonly content: OpenAiContent;
    };

/** Plain text, or parts. A part without text, such as an image, is converted to its type in brackets. */
export type OpenAiContent =
  | string
  | readonly {
      /** Kind of the part, such as `text`. */
      readonly type: string;
      /** The text of a text part. */
      readonly text?: string | undefined;
    }[];

/** A tool call in OpenAI's format, with the arguments as JSON text. */
export interface OpenAiToolCall {
  /** Id by which a result refers to this call. */
  readonly id: string;
  /** Kind of the call; this format has only functions. */
  readonly type: 'function';
  /** Name of the tool and its arguments. */
  readonly function: {
    /** Name of the tool. */
    readonly name: string;
    /** The arguments as JSON text. */
    readonly arguments: string;
  };
}

/** A tool definition of the Chat Completions API. */
export interface OpenAiTool {
  /** Kind of the tool; this format has only functions. */
  readonly type: 'function';
  /** Name, description, and JSON Schema of the arguments. */
  readonly function: {
    /** Name of the tool. */
    readonly name: string;
    /** Tells the model what the tool does. */
    readonly description?: string | undefined;
    /** JSON Schema of the arguments. */
    readonly parameters?: Readonly<Record<string, unknown>> | undefined;
  };
}

/**
 * Converts our history into OpenAI's messages. The residue contains the fields that these messages cannot express.
 */
export function toOpenAiMessages(history: readonly TurnInput[]): {
  /** The messages of the conversation. */
  readonly messages: readonly OpenAiMessage[];
  /** The parts of the history that the messages cannot express. */
  readonly residue: Residue;
} {
  const items = toItems(history);
  const messages = items.map(toMessage);
  return { messages, residue: residueOf(history, items, readTurns(messages)) };
}

/**
 * Converts OpenAI's messages into our history. If given the residue of `toOpenAiMessages`, restores the original
 * history. Returns the texts of system messages separately, as `instructions`.
 */
export function fromOpenAiMessages(
  messages: readonly OpenAiMessage[],
  residue: Residue = [],
): {
  /** The history in our format, which a run can continue. */
  readonly history: readonly TurnInput[];
  /** The texts of system messages; null if there are none. */
  readonly instructions: string | null;
} {
  const system = messages.filter(({ role }) => role === 'system' || role === 'developer');
  const instructions = system.map(({ content }) => textOf(content)).join('\n\n');
  return { history: restore(readTurns(messages), residue), instructions: instructions || null };
}

/** Converts our tool definition to OpenAI's format. */
export const toOpenAiTool = ({ name, description, inputSchema }: ToolDefinition): OpenAiTool => ({
  type: 'function',
  function: {
    name: toVendorName(name),
    ...(description !== undefined && { description }),
    parameters: inputSchema,
  },
});

/** Converts OpenAI's tool definition to ours. OpenAI's format has no annotations. */
export const fromOpenAiTool = ({
  function: { name, description, parameters },
}: OpenAiTool): ToolDefinition => ({
  name: fromVendorName(name),
  description,
  inputSchema: parameters ?? { type: 'object', properties: {} },
  annotations: undefined,
});

function toMessage(item: ConversationItem): OpenAiMessage {
  if (item.type === 'text') return { role: item.role, content: item.text };
  if (item.type === 'result') return { role: 'tool', tool_call_id: item.callId, content: item.text };
  return {
    role: 'assistant',
    content: item.text || null,
    tool_calls: item.calls.map(({ id, name, args }) => ({
      id,
      type: 'function',
      function: { name: toVendorName(name), arguments: JSON.stringify(args) },
    })),
  };
}

/** Converts messages to turns. Treats every result as successful, because OpenAI's messages cannot mark errors. */
const readTurns = (messages: readonly OpenAiMessage[]): TurnInput[] => toTurns(messages.flatMap(toItem));

function toItem(message: OpenAiMessage): ConversationItem[] {
  const text = textOf(message.content);
  if (message.role === 'tool') {
    return [{ type: 'result', callId: message.tool_call_id, text, isError: false, origin: null }];
  }
  if (message.role === 'user') return [{ type: 'text', role: 'user', text, origin: null }];
  if (message.role !== 'assistant') return [];
  if (!message.tool_calls?.length) return [{ type: 'text', role: 'assistant', text, origin: null }];
  return [{ type: 'calls', text, calls: message.tool_calls.map(toCall) }];
}

function toCall({ id, function: { name, arguments: written } }: OpenAiToolCall) {
  return { id, name: fromVendorName(name), args: parseArguments(written), origin: null };
}

/**
 * Parses the arguments of a call. Numbers that JavaScript cannot represent become strings of their digits. If the model
 * wrote something other than a JSON object, returns it as text in the field `arguments`.
 */
export function parseArguments(written: string): Readonly<Record<string, unknown>> {
  try {
    const value = parseJsonKeepingDigits(written || '{}');
    if (isObject(value)) return { ...value };
  } catch {
    // The arguments are not JSON, so the last line returns them as text.
  }
  return { arguments: written };
}

function textOf(content: OpenAiContent | null | undefined): string {
  if (typeof content === 'string') return content;
  return (content ?? []).map((part) => part.text ?? `(${part.type})`).join('');
}
