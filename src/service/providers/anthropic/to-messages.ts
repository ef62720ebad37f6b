import type {
  ContentBlockParam,
  MessageParam,
  TextBlockParam,
  ToolResultBlockParam,
} from '@anthropic-ai/sdk/resources/messages';
import type { Message, Part } from '../../step/provider.js';
import { signedBlocks } from './signed-blocks.js';

type TextPart = Extract<Part, { type: 'text' }>;
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
 * Puts the tail into the last tool result. A text after the results would teach the model to expect one, and to
 * reply with nothing when it is missing.
 */
function userBlocks(parts: readonly Part[]): ContentBlockParam[] {
  const results = parts.filter((part) => part.type === 'tool_result');
  const texts = joinBlank(parts).filter((part) => part.type === 'text');
  const [first, ...others] = texts;
  const tail = first?.tail && others.length === 0 ? first : undefined;
  if (!tail || results.length === 0)
    return [...results.map((result) => resultBlock(result)), ...texts.map(textBlock)];
  return results.map((result, index) => resultBlock(result, index === results.length - 1 ? tail : undefined));
}

/**
 * Returns a tool result block. A breakpoint cannot be inside a result, and on a result with a tail it would mark a
 * text that no later step repeats.
 */
function resultBlock(
  { callId, text, isError, breakpoint }: ToolResultPart,
  tail?: TextPart,
): ToolResultBlockParam {
  const texts = [text, tail?.text ?? ''].filter((each) => each.trim() !== '');
  return {
    type: 'tool_result',
    tool_use_id: callId,
    ...(texts.length > 0 && { content: texts.map((each) => ({ type: 'text', text: each })) }),
    ...(isError && { is_error: true }),
    ...(breakpoint && !tail && ephemeral),
  };
}

const textBlock = ({ text, breakpoint }: TextPart): TextBlockParam => ({
  type: 'text',
  text,
  ...(breakpoint && ephemeral),
});

/**
 * Joins each blank text with the text before it, otherwise with the one after it, because Anthropic rejects blank
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
