import type { Attachment } from '../../../contract/attachment.js';
import { isObject } from '../../../contract/fields.js';
import type { ConversationItem } from '../../../conversation/convert/conversation-items.js';
import { readState } from '../client-state.js';
import type { ClientTools } from '../client-tools.js';
import { toAttachment } from '../read-attachments.js';
import { placeholderOf } from '../read-fields.js';
import { replyItems } from '../reply-items.js';
import type { Block, Message } from './messages-schema.js';

/** The conversation in a request body. */
export interface ReadConversation {
  /** Texts of the messages whose role is `system`. */
  readonly instructions: readonly string[];
  readonly items: readonly ConversationItem[];
  /** Number of blocks, such as images, that were replaced by placeholders. */
  readonly replaced: number;
  /** Number of reasoning blocks whose state another service signed or encrypted. */
  readonly foreignStates: number;
}

/** Reads messages. Leaves out reasoning: a model gets its own reasoning back only as provider state. */
export function readConversation(messages: readonly Message[], tools: ClientTools): ReadConversation {
  const blocks = messages.flatMap(({ content }) => content);
  const results = blocks.filter(({ type }) => type === 'tool_result');
  const shown = [...blocks, ...results.flatMap(({ content }) => content)];
  return {
    instructions: messages.filter(({ role }) => role === 'system').map(({ content }) => textOf(content)),
    items: messages.flatMap((message) => itemsOf(message, tools)),
    replaced: shown.filter((block) => hasText(block) && textIn(block) === undefined).length,
    foreignStates: blocks.filter(isForeign).length,
  };
}

function itemsOf({ role, content }: Message, tools: ClientTools): ConversationItem[] {
  if (role === 'system') return [];
  if (role === 'assistant') return assistantItems(content, tools);
  const results = content.filter(({ type }) => type === 'tool_result').map(toResult);
  const text = textOf(content);
  const attachments = attachmentsOf(content);
  if (text === '' && attachments.length === 0) return results;
  return [...results, { type: 'text', role, text, origin: null, attachments }];
}

const assistantItems = (content: readonly Block[], tools: ClientTools): ConversationItem[] =>
  replyItems(
    textOf(content),
    content.map((block) =>
      block.type === 'tool_use' ? { call: toCall(block, tools) } : { state: stateIn(block) },
    ),
  );

const stateIn = ({ type, data }: Block): unknown =>
  type === 'redacted_thinking' && data !== undefined ? readState(data) : undefined;

function isForeign({ type, signature, data }: Block): boolean {
  if (type === 'thinking') return signature !== undefined && signature !== '';
  return type === 'redacted_thinking' && readState(data ?? '') === undefined;
}

function toCall({ id = '', name = '', input }: Block, tools: ClientTools) {
  return { id, name: tools.nameOf({ name }), args: isObject(input) ? input : { input } };
}

function toResult({ tool_use_id: callId = '', content, is_error: isError = false }: Block): ConversationItem {
  const attachments = attachmentsOf(content);
  return { type: 'result', callId, text: textOf(content), isError, origin: null, attachments };
}

/** Types of blocks that add no text to the message. */
const silent = new Set(['tool_use', 'tool_result', 'thinking', 'redacted_thinking']);

/** A block of a message, or of a tool's result. */
type AnyBlock = Pick<Block, 'type' | 'text' | 'tool_name' | 'source'>;

/** Returns the image or the PDF of a block. A file that is given by an address or an id is not fetched. */
function fileIn({ source }: AnyBlock): Attachment | undefined {
  const { type, media_type: mediaType = '', data = '' } = source ?? {};
  return type === 'base64' ? toAttachment(mediaType, data) : undefined;
}

const attachmentsOf = (blocks: readonly AnyBlock[]): Attachment[] =>
  blocks.flatMap((block) => fileIn(block) ?? []);

/**
 * Returns the text of a block: its own text, the name of a referenced tool, or the content of a plain-text document.
 */
const textIn = ({ text, source, tool_name: tool }: AnyBlock): string | undefined =>
  text ?? tool ?? (source?.type === 'text' ? source.data : undefined);

/** Returns whether a block adds its text, or a placeholder, to the message. */
const hasText = (block: AnyBlock): boolean => !silent.has(block.type) && !fileIn(block);

/** Joins the texts of blocks with line breaks. */
function textOf(blocks: readonly AnyBlock[]): string {
  const texts = blocks.filter(hasText).map((block) => textIn(block) ?? placeholderOf(block.type));
  return texts.filter((text) => text !== '').join('\n');
}
