import type { Message, Part, Prompt } from '../../../step/provider.js';
import type { ModelTraits } from '../../models/model-traits.js';
import {
  type ContentForm,
  type ContentOf,
  contentOfParts,
  contentOfResult,
  contentWriter,
  dataUrl,
  isPdf,
  PDF_NAME,
  withoutMarks,
} from '../marked-content.js';
import { itemsOf, type ReasoningItem } from './response-state.js';

/** An item of the input, limited to the fields that a prompt needs. */
export type InputItem =
  | ReasoningItem
  | { readonly role: 'system' | 'user'; readonly content: unknown }
  // OpenAI does not require the type here, but llama.cpp does.
  | { readonly type: 'message'; readonly role: 'assistant'; readonly content: string }
  | {
      readonly type: 'function_call';
      readonly call_id: string;
      readonly name: string;
      readonly arguments: string;
    }
  | { readonly type: 'function_call_output'; readonly call_id: string; readonly output: unknown };

type Write = ContentOf<'input_text', object>;

/**
 * Writes attachments. Images get high detail if the model's token formula for it is known; otherwise the server
 * decides.
 */
const formOf = (highDetail: boolean): ContentForm<'input_text', object> => ({
  text: 'input_text',
  file: (attachment) =>
    isPdf(attachment)
      ? { type: 'input_file', filename: PDF_NAME, file_data: dataUrl(attachment) }
      : { type: 'input_image', image_url: dataUrl(attachment), detail: highDetail ? 'high' : 'auto' },
});

/**
 * Returns the prompt as items of the Responses API. In a user message, outputs of calls come first; reasoning is
 * directly before the item it led to; no message is empty.
 */
export function toInput(
  { system, systemBreakpoint, messages }: Prompt,
  { cacheBreakpoints, vision }: ModelTraits,
): InputItem[] {
  const contentOf = contentWriter(formOf(vision !== undefined), cacheBreakpoints);
  const head: InputItem[] =
    system === ''
      ? []
      : [
          {
            role: 'system',
            content: contentOf([{ type: 'text', text: system, breakpoint: systemBreakpoint }]),
          },
        ];
  const rest = messages.flatMap((message) =>
    message.role === 'user' ? userItems(message, contentOf) : assistantItems(message.parts),
  );
  return [...head, ...rest];
}

function userItems({ parts }: Message, contentOf: Write): InputItem[] {
  const outputs = parts
    .filter((part) => part.type === 'tool_result')
    .map((result): InputItem => {
      const output = contentOf(contentOfResult(result));
      return { type: 'function_call_output', call_id: result.callId, output };
    });
  const content = contentOfParts(parts);
  return content.length === 0 ? outputs : [...outputs, { role: 'user', content: contentOf(content) }];
}

/**
 * Returns the items of an assistant message, with adjacent texts joined. Omits reasoning that is followed by
 * nothing, because the provider would reject it.
 */
function assistantItems(parts: readonly Part[]): InputItem[] {
  const items: InputItem[] = [];
  let reasoning: ReasoningItem[] = [];
  let text = '';
  const add = (item: InputItem): void => {
    items.push(...reasoning, item);
    reasoning = [];
  };
  const endText = (): void => {
    if (text !== '') add({ type: 'message', role: 'assistant', content: text });
    text = '';
  };
  for (const part of parts) {
    if (part.type === 'text') text += part.text;
    else endText();
    if (part.type === 'provider_state') reasoning.push(...itemsOf(part.state));
    if (part.type === 'tool_call') add(toCall(part));
  }
  endText();
  return items;
}

const toCall = ({ id, name, arguments: args }: Extract<Part, { type: 'tool_call' }>): InputItem => ({
  type: 'function_call',
  call_id: id,
  name,
  arguments: JSON.stringify(args),
});

/** Returns the same items without breakpoints, for a model that refuses them. */
export const withoutBreakpoints = (items: readonly InputItem[]): InputItem[] =>
  items.map((item) => {
    if ('role' in item)
      return item.role === 'assistant' ? item : { ...item, content: withoutMarks(item.content) };
    return item.type === 'function_call_output' ? { ...item, output: withoutMarks(item.output) } : item;
  });
