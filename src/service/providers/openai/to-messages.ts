import type {
  ChatCompletionContentPartText,
  ChatCompletionMessageFunctionToolCall,
  ChatCompletionMessageParam,
} from 'openai/resources/chat/completions';
import type { Message, Part, Prompt } from '../../agent/provider.js';
import { limitBreakpoints, MOST_BREAKPOINTS } from '../vendor-limits.js';

type TextPart = Extract<Part, { type: 'text' }>;
type Content = string | ChatCompletionContentPartText[];

/**
 * The prompt as Chat Completions messages: a system message; tool results as `tool` messages directly after the
 * message that called; no empty message. Breakpoints are written only if the model takes them.
 */
export function toMessages(prompt: Prompt, breakpoints: boolean): ChatCompletionMessageParam[] {
  const { system, systemBreakpoint } = prompt;
  const left = breakpoints ? MOST_BREAKPOINTS - Number(systemBreakpoint) : 0;
  const messages = limitBreakpoints(prompt.messages, left);
  return [
    ...(system === '' ? [] : [systemMessage(system, breakpoints && systemBreakpoint)]),
    ...messages.flatMap((message) =>
      message.role === 'user' ? userMessages(message) : assistantMessages(message),
    ),
  ];
}

function systemMessage(text: string, breakpoint: boolean): ChatCompletionMessageParam {
  return { role: 'system', content: contentOf([{ type: 'text', text, breakpoint }]) };
}

function userMessages({ parts }: Message): ChatCompletionMessageParam[] {
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

function assistantMessages({ parts }: Message): ChatCompletionMessageParam[] {
  const texts = textsOf(parts);
  const calls = parts.filter((part) => part.type === 'tool_call').map(toToolCall);
  if (texts.length === 0 && calls.length === 0) return [];
  const content = texts.length === 0 ? null : contentOf(texts);
  return [{ role: 'assistant', content, ...(calls.length > 0 && { tool_calls: calls }) }];
}

const textsOf = (parts: readonly Part[]): TextPart[] =>
  parts.filter((part) => part.type === 'text').filter(({ text }) => text !== '');

const toToolCall = (call: Extract<Part, { type: 'tool_call' }>): ChatCompletionMessageFunctionToolCall => ({
  id: call.id,
  type: 'function',
  function: { name: call.name, arguments: JSON.stringify(call.arguments) },
});

/** One string; if there are breakpoints, a text part up to each of them. */
function contentOf(texts: readonly TextPart[]): Content {
  if (!texts.some(({ text, breakpoint }) => breakpoint && text !== ''))
    return texts.map(({ text }) => text).join('');
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
