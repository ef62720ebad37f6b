import type { TurnInput } from '../../contract/history.js';
import type { ToolDefinition } from '../../contract/tool.js';
import { isObject } from '../base/is-object.js';
import {
  type ConversationItem,
  fromVendorName,
  toItems,
  toTurns,
  toVendorName,
} from './conversation-items.js';
import { type Residue, residueOf, restore } from './conversation-residue.js';

/** Chat Completions messages, as far as a history needs them. */
export type OpenAiMessage =
  | { readonly role: 'system' | 'developer' | 'user'; readonly content: OpenAiContent }
  | {
      readonly role: 'assistant';
      readonly content?: OpenAiContent | null | undefined;
      readonly tool_calls?: readonly OpenAiToolCall[] | undefined;
    }
  | { readonly role: 'tool'; readonly tool_call_id: string; readonly content: OpenAiContent };

/** Text alone, or parts of which the texts are read. */
export type OpenAiContent = string | readonly { readonly type: string; readonly text?: string | undefined }[];

/** A call as OpenAI writes it; the arguments are JSON text. */
export interface OpenAiToolCall {
  /** Names the result that belongs to the call. */
  readonly id: string;
  readonly type: 'function';
  /** Which tool, with what. */
  readonly function: { readonly name: string; readonly arguments: string };
}

/** A tool as Chat Completions takes it. */
export interface OpenAiTool {
  readonly type: 'function';
  /** Its name, what it does, and the JSON Schema of its arguments. */
  readonly function: {
    readonly name: string;
    readonly description?: string | undefined;
    readonly parameters?: Readonly<Record<string, unknown>> | undefined;
  };
}

/** Our history as messages that OpenAI takes, and what they cannot hold. */
export function toOpenAiMessages(history: readonly TurnInput[]): {
  readonly messages: readonly OpenAiMessage[];
  readonly residue: Residue;
} {
  const items = toItems(history);
  const messages = items.map(toMessage);
  return { messages, residue: residueOf(history, items, readTurns(messages)) };
}

/**
 * A history from OpenAI's messages; with the residue of `toOpenAiMessages` it is the very history again. System
 * messages are instructions, not history.
 */
export function fromOpenAiMessages(
  messages: readonly OpenAiMessage[],
  residue: Residue = [],
): { readonly history: readonly TurnInput[]; readonly instructions: string | null } {
  const system = messages.filter(({ role }) => role === 'system' || role === 'developer');
  const instructions = system.map(({ content }) => textOf(content)).join('\n\n');
  return { history: restore(readTurns(messages), residue), instructions: instructions || null };
}

/** A tool definition as OpenAI takes it. */
export const toOpenAiTool = ({ name, description, inputSchema }: ToolDefinition): OpenAiTool => ({
  type: 'function',
  function: {
    name: toVendorName(name),
    ...(description !== undefined && { description }),
    parameters: inputSchema,
  },
});

/** The tool definition that `toOpenAiTool` was given; annotations do not travel. */
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

/** Errors are read as results: there is no mark for them in these messages. */
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

/** A model may have written arguments that are no JSON object; they are kept as they are written. */
function parseArguments(written: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(written || '{}');
    if (isObject(value)) return { ...value };
  } catch {
    // Kept below.
  }
  return { arguments: written };
}

function textOf(content: OpenAiContent | null | undefined): string {
  if (typeof content === 'string') return content;
  return (content ?? []).map((part) => part.text ?? `(${part.type})`).join('');
}
