import type {
  ChatCompletionContentPartText,
  ChatCompletionMessageFunctionToolCall,
  ChatCompletionMessageParam,
} from 'openai/resources/chat/completions';
import type { Message, Part, Prompt } from '../../../step/provider.js';
import { limitBreakpoints, MAX_BREAKPOINTS } from '../../vendor-limits.js';
import { readCallState, readMessageState } from './chat-state.js';

type TextPart = Extract<Part, { type: 'text' }>;
type Content = string | ChatCompletionContentPartText[];
type ToolCall = ChatCompletionMessageFunctionToolCall & ReturnType<typeof readCallState>;

/**
 * Returns the prompt as Chat Completions messages: a system message, tool results as `tool` messages directly
 * after the message that called, and no empty message. Breakpoints are written only if the model supports them.
 */
export function toMessages(prompt: Prompt, breakpoints: boolean): ChatCompletionMessageParam[] {
  const { system, systemBreakpoint } = prompt;
  const contentOf = breakpoints ? markedContentOf : joined;
  const left = MAX_BREAKPOINTS - Number(systemBreakpoint);
  const messages = breakpoints ? limitBreakpoints(prompt.messages, left) : prompt.messages;
  const all = system === '' ? [] : [systemMessage(system, systemBreakpoint, contentOf)];
  for (const message of messages) {
    all.push(
      ...(message.role === 'user' ? userMessages(message, contentOf) : assistantMessages(message, contentOf)),
    );
  }
  return all;
}

type ContentOf = (texts: readonly TextPart[]) => Content;

function systemMessage(text: string, breakpoint: boolean, contentOf: ContentOf): ChatCompletionMessageParam {
  return { role: 'system', content: contentOf([{ type: 'text', text, breakpoint }]) };
}

function userMessages({ parts }: Message, contentOf: ContentOf): ChatCompletionMessageParam[] {
  const results = parts.filter((part) => part.type === 'tool_result');
  const texts = textsOf(parts);
  return [
    ...results.map(
      ({ callId, text, breakpoint = false }): ChatCompletionMessageParam => ({
        role: 'tool',
        tool_call_id: callId,
        content: contentOf([{ type: 'text', text, breakpoint }]),
      }),
    ),
    ...(texts.length === 0 ? [] : [{ role: 'user' as const, content: contentOf(texts) }]),
  ];
}

function assistantMessages({ parts }: Message, contentOf: ContentOf): ChatCompletionMessageParam[] {
  return splitByState(parts).flatMap((own) => assistantMessage(own, contentOf));
}

function assistantMessage(parts: readonly Part[], contentOf: ContentOf): ChatCompletionMessageParam[] {
  const texts = textsOf(parts);
  const calls = toToolCalls(parts);
  if (texts.length === 0 && calls.length === 0) return [];
  const content = texts.length === 0 ? null : contentOf(texts);
  const [first] = parts;
  const state = first?.type === 'provider_state' ? readMessageState(first.state) : {};
  return [{ role: 'assistant', content, ...state, ...(calls.length > 0 && { tool_calls: calls }) }];
}

/** Splits a message before each state of a whole reply: the texts of another reply must not be joined to it. */
function splitByState(parts: readonly Part[]): Part[][] {
  const messages: Part[][] = [[]];
  for (const part of parts) {
    const begins = part.type === 'provider_state' && Object.keys(readMessageState(part.state)).length > 0;
    if (begins) messages.push([part]);
    else messages.at(-1)?.push(part);
  }
  return messages;
}

/** Returns the calls, each with its part of the state before it. */
function toToolCalls(parts: readonly Part[]): ToolCall[] {
  const calls: ToolCall[] = [];
  let state: ReturnType<typeof readCallState> = {};
  for (const part of parts) {
    if (part.type === 'provider_state') state = readCallState(part.state);
    if (part.type !== 'tool_call') continue;
    calls.push({ ...toToolCall(part), ...state });
    state = {};
  }
  return calls;
}

const textsOf = (parts: readonly Part[]): TextPart[] =>
  parts.filter((part) => part.type === 'text').filter(({ text }) => text !== '');

const toToolCall = (call: Extract<Part, { type: 'tool_call' }>): ChatCompletionMessageFunctionToolCall => ({
  id: call.id,
  type: 'function',
  function: { name: call.name, arguments: JSON.stringify(call.arguments) },
});

const joined = (texts: readonly TextPart[]): string => texts.map(({ text }) => text).join('');

/** Returns one string; if there are breakpoints, a list with one text part up to each breakpoint. */
function markedContentOf(texts: readonly TextPart[]): Content {
  if (!texts.some(({ text, breakpoint }) => breakpoint && text !== '')) return joined(texts);
  const content: ChatCompletionContentPartText[] = [];
  let begun = '';
  for (const { text, breakpoint } of texts) {
    begun += text;
    if (!breakpoint || begun === '') continue;
    content.push({ type: 'text', text: begun, prompt_cache_breakpoint: { mode: 'explicit' } });
    begun = '';
  }
  return begun === '' ? content : [...content, { type: 'text', text: begun }];
}

/** Returns the text of a content part. Our messages contain no other kinds of parts. */
const textOfPart = (part: object): string => ('text' in part ? String(part.text) : '');

/** Returns the same messages without breakpoints, for a model that refuses them. */
export function withoutBreakpoints(
  messages: readonly ChatCompletionMessageParam[],
): ChatCompletionMessageParam[] {
  return messages.map((message) => {
    const { content } = message;
    return Array.isArray(content) ? { ...message, content: content.map(textOfPart).join('') } : message;
  });
}
