import type {
  ChatCompletionContentPart,
  ChatCompletionContentPartText,
  ChatCompletionMessageFunctionToolCall,
  ChatCompletionMessageParam,
} from 'openai/resources/chat/completions';
import type { Message, Part, Prompt } from '../../../step/provider.js';
import type { ModelTraits } from '../../models/model-traits.js';
import {
  type ContentForm,
  type ContentOf,
  contentOfParts,
  contentWriter,
  dataUrl,
  isPdf,
  PDF_NAME,
  withoutMarks,
} from '../marked-content.js';
import { readCallState, readMessageState } from './chat-state.js';

type ToolCall = ChatCompletionMessageFunctionToolCall & ReturnType<typeof readCallState>;

type FilePart = Extract<ChatCompletionContentPart, { type: 'image_url' | 'file' }>;

type Write = ContentOf<'text', FilePart>;

/**
 * Writes attachments. Images get `detail: high` if the service can compute how many tokens the model charges for
 * that; otherwise the provider chooses the detail.
 */
const formOf = (highDetail: boolean): ContentForm<'text', FilePart> => ({
  text: 'text',
  file: (attachment) =>
    isPdf(attachment)
      ? { type: 'file', file: { filename: PDF_NAME, file_data: dataUrl(attachment) } }
      : { type: 'image_url', image_url: { url: dataUrl(attachment), ...(highDetail && { detail: 'high' }) } },
});

/**
 * Returns the prompt as Chat Completions messages: a system message, tool results as `tool` messages directly
 * after the message with the calls, and no empty message. Breakpoints are written only if the model supports
 * them.
 */
export function toMessages(
  { system, systemBreakpoint, messages }: Prompt,
  { cacheBreakpoints, vision }: ModelTraits,
): ChatCompletionMessageParam[] {
  const contentOf = contentWriter(formOf(vision !== undefined), cacheBreakpoints);
  const all = system === '' ? [] : [systemMessage(system, systemBreakpoint, contentOf)];
  for (const message of messages) {
    all.push(
      ...(message.role === 'user' ? userMessages(message, contentOf) : assistantMessages(message, contentOf)),
    );
  }
  return all;
}

function systemMessage(text: string, breakpoint: boolean, contentOf: Write): ChatCompletionMessageParam {
  return { role: 'system', content: textContent({ text, breakpoint }, contentOf) };
}

/**
 * `tool` messages may contain only text, so the attachments of tool results are put at the beginning of the next
 * user message.
 */
function userMessages({ parts }: Message, contentOf: Write): ChatCompletionMessageParam[] {
  const results = parts.filter((part) => part.type === 'tool_result');
  const files = results.flatMap(({ attachments = [] }) =>
    attachments.map((attachment) => ({ type: 'attachment' as const, attachment })),
  );
  const content = [...files, ...contentOfParts(parts)];
  return [
    ...results.map(
      ({ callId, text, breakpoint = false }): ChatCompletionMessageParam => ({
        role: 'tool',
        tool_call_id: callId,
        content: textContent({ text, breakpoint }, contentOf),
      }),
    ),
    ...(content.length === 0 ? [] : [{ role: 'user' as const, content: contentOf(content) }]),
  ];
}

function textContent(
  { text, breakpoint }: { readonly text: string; readonly breakpoint: boolean },
  contentOf: Write,
): string | ChatCompletionContentPartText[] {
  // Cast: for a single text part, `contentOf` returns a string, or a list of text parts if it has a cache
  // breakpoint; never a file.
  return contentOf([{ type: 'text', text, breakpoint }]) as string | ChatCompletionContentPartText[];
}

function assistantMessages({ parts }: Message, contentOf: Write): ChatCompletionMessageParam[] {
  return splitByState(parts).flatMap((own) => assistantMessage(own, contentOf));
}

function assistantMessage(parts: readonly Part[], contentOf: Write): ChatCompletionMessageParam[] {
  const texts = contentOfParts(parts).filter((part) => part.type === 'text');
  const calls = toToolCalls(parts);
  if (texts.length === 0 && calls.length === 0) return [];
  const content = texts.length === 0 ? null : (contentOf(texts) as string | ChatCompletionContentPartText[]); // texts alone
  const [first] = parts;
  const state = first?.type === 'provider_state' ? readMessageState(first.state) : {};
  return [{ role: 'assistant', content, ...state, ...(calls.length > 0 && { tool_calls: calls }) }];
}

/**
 * Splits an assistant message before each provider state that belongs to a whole reply, so that the texts of
 * different replies are not joined.
 */
function splitByState(parts: readonly Part[]): Part[][] {
  const messages: Part[][] = [[]];
  for (const part of parts) {
    const begins = part.type === 'provider_state' && Object.keys(readMessageState(part.state)).length > 0;
    if (begins) messages.push([part]);
    else messages.at(-1)?.push(part);
  }
  return messages;
}

/** Returns the tool calls, each with its part of the provider state before it. */
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

const toToolCall = (call: Extract<Part, { type: 'tool_call' }>): ChatCompletionMessageFunctionToolCall => ({
  id: call.id,
  type: 'function',
  function: { name: call.name, arguments: JSON.stringify(call.arguments) },
});

/** Returns the same messages without breakpoints, for a model that refuses them. */
export function withoutBreakpoints(
  messages: readonly ChatCompletionMessageParam[],
): ChatCompletionMessageParam[] {
  // Cast: only the breakpoints are removed, so the type stays the same.
  return messages.map(
    (message) => ({ ...message, content: withoutMarks(message.content) }) as typeof message,
  );
}
