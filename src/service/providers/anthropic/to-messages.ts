import type {
  ContentBlockParam,
  DocumentBlockParam,
  ImageBlockParam,
  MessageParam,
  TextBlockParam,
  ToolResultBlockParam,
} from '@anthropic-ai/sdk/resources/messages';
import type { Message, Part } from '../../step/provider.js';
import { signedBlocks } from './signed-blocks.js';

type TextPart = Extract<Part, { type: 'text' }>;
type AttachmentPart = Extract<Part, { type: 'attachment' }>;
type ToolResultPart = Extract<Part, { type: 'tool_result' }>;

const ephemeral = { cache_control: { type: 'ephemeral' as const } };

/**
 * Returns the messages as Anthropic's blocks: signed reasoning first in its assistant message, tool results first
 * in their user message, no blank text block, and no message without a block.
 */
export function toMessages(messages: readonly Message[]): MessageParam[] {
  return messages
    .map(({ role, parts }) => ({
      role,
      content: role === 'user' ? userBlocks(parts) : assistantBlocks(parts),
    }))
    .filter(({ content }) => content.length > 0);
}

function assistantBlocks(parts: readonly Part[]): ContentBlockParam[] {
  const signed = parts.flatMap((part) => (part.type === 'provider_state' ? signedBlocks(part.state) : []));
  const blocks = joinBlank(parts).flatMap((part): ContentBlockParam[] => {
    if (part.type === 'text') return [textBlock(part)];
    if (part.type !== 'tool_call') return [];
    return [{ type: 'tool_use', id: part.id, name: part.name, input: part.arguments }];
  });
  return [...signed, ...blocks];
}

/**
 * Puts the tail of the prompt into the last tool result. If a separate text followed the results, the model would
 * learn to expect such a text after every result, and would give an empty reply to wait for it.
 */
function userBlocks(parts: readonly Part[]): ContentBlockParam[] {
  const results = parts.filter((part) => part.type === 'tool_result');
  const others = joinBlank(parts).filter((part) => part.type === 'text' || part.type === 'attachment');
  const [first] = others;
  const tail = first?.type === 'text' && first.tail && others.length === 1 ? first : undefined;
  if (!tail || results.length === 0)
    return [...results.map((result) => resultBlock(result)), ...others.map(contentBlock)];
  return results.map((result, index) => resultBlock(result, index === results.length - 1 ? tail : undefined));
}

/**
 * Returns a tool result block. A cache breakpoint cannot be inside a result. On a result that contains the tail, a
 * breakpoint would be useless, because the tail differs in each step.
 */
function resultBlock(
  { callId, text, isError, attachments = [], breakpoint }: ToolResultPart,
  tail?: TextPart,
): ToolResultBlockParam {
  const textIn = (each: string): TextBlockParam[] =>
    each.trim() === '' ? [] : [{ type: 'text', text: each }];
  const content = [...textIn(text), ...attachments.map(fileBlock), ...textIn(tail?.text ?? '')];
  return {
    type: 'tool_result',
    tool_use_id: callId,
    ...(content.length > 0 && { content }),
    ...(isError && { is_error: true }),
    ...(breakpoint && !tail && ephemeral),
  };
}

const contentBlock = (part: TextPart | AttachmentPart): ContentBlockParam =>
  part.type === 'text'
    ? textBlock(part)
    : { ...fileBlock(part.attachment), ...(part.breakpoint && ephemeral) };

function fileBlock({ media_type, data }: AttachmentPart['attachment']): ImageBlockParam | DocumentBlockParam {
  return media_type === 'application/pdf'
    ? { type: 'document', source: { type: 'base64', media_type, data } }
    : { type: 'image', source: { type: 'base64', media_type, data } };
}

const textBlock = ({ text, breakpoint }: TextPart): TextBlockParam => ({
  type: 'text',
  text,
  ...(breakpoint && ephemeral),
});

/**
 * Joins each blank text with the text before it, or else with the text after it, because Anthropic rejects blank
 * blocks.
 */
function joinBlank(parts: readonly Part[]): Part[] {
  const joined: Part[] = [];
  let blank = '';
  for (const part of parts) {
    const last = joined.at(-1);
    if (part.type !== 'text') {
      joined.push(part);
    } else if (part.text.trim() !== '') {
      joined.push({ ...part, text: blank + part.text });
      blank = '';
    } else if (last?.type === 'text') {
      const breakpoint = (last.breakpoint ?? false) || (part.breakpoint ?? false);
      joined[joined.length - 1] = { ...last, text: last.text + part.text, breakpoint };
    } else {
      blank += part.text;
    }
  }
  return joined;
}
