import type { Attachment } from '../../../contract/attachment.js';
import type { ConversationItem } from '../../../conversation/convert/conversation-items.js';
import { parseArguments } from '../../../conversation/convert/convert-openai.js';
import { type ClientTools, FREEFORM_PARAMETER } from '../client-tools.js';
import { attachmentIn, fileTextIn } from '../read-attachments.js';
import { placeholderOf } from '../read-fields.js';
import type { ChatMessage } from './chat-schema.js';
import { callState, messageState } from './chat-state.js';

/** The conversation in a request body. */
export interface ReadMessages {
  readonly instructions: string;
  readonly items: readonly ConversationItem[];
  /** Number of images and other parts that were replaced by placeholders. */
  readonly replaced: number;
}

/** Reads messages. System and developer texts are instructions, wherever they are in the conversation. */
export function readMessages(messages: readonly ChatMessage[], tools: ClientTools): ReadMessages {
  const system = messages.filter(({ role }) => role === 'system' || role === 'developer');
  const instructions = system.map(textOf).filter((text) => text !== '');
  return {
    instructions: instructions.join('\n\n'),
    items: messages.flatMap((message) => toItems(message, tools)),
    replaced: messages.flatMap(({ content = [] }) => content.filter(isReplaced)).length,
  };
}

type Part = NonNullable<ChatMessage['content']>[number];
type ToolCall = NonNullable<ChatMessage['tool_calls']>[number];

function toItems(message: ChatMessage, tools: ClientTools): ConversationItem[] {
  const text = textOf(message);
  switch (message.role) {
    case 'system':
    case 'developer':
      return [];
    case 'user':
      return [{ type: 'text', role: 'user', text, origin: null, attachments: attachmentsOf(message) }];
    case 'tool':
    case 'function':
      return [
        {
          type: 'result',
          callId: message.tool_call_id ?? '',
          text,
          isError: false,
          origin: null,
          attachments: attachmentsOf(message),
        },
      ];
    case 'assistant':
      return assistantItems(message, text, tools);
  }
}

function assistantItems(message: ChatMessage, text: string, tools: ClientTools): ConversationItem[] {
  const { tool_calls: sent = [], function_call: called } = message;
  const given = sent.length === 0 && called ? [{ function: called }] : sent;
  const read = given.flatMap((call) => toCall(call, tools));
  const providerState = messageState(message);
  if (read.length === 0)
    return text === '' ? [] : [{ type: 'text', role: 'assistant', text, origin: null, providerState }];
  // The provider state of a whole reply is kept with its first call.
  const calls = read.map((call, index) =>
    index === 0 && call.providerState === undefined ? { ...call, providerState } : call,
  );
  return [{ type: 'calls', text, calls }];
}

function toCall(call: ToolCall, tools: ClientTools) {
  const { id = '', function: called, custom } = call;
  const base = { id, origin: null, providerState: callState(call) };
  if (custom) {
    const args = { [FREEFORM_PARAMETER]: custom.input ?? '' };
    return [{ ...base, name: tools.nameOf(custom), args }];
  }
  if (!called) return [];
  const { arguments: written = '' } = called;
  const args = typeof written === 'string' ? parseArguments(written) : written;
  return [{ ...base, name: tools.nameOf(called), args }];
}

/** Joins the texts of parts and the refusal with line breaks. */
function textOf({ content = [], refusal }: ChatMessage): string {
  const texts = [...content.map(partText), refusal ?? ''];
  return texts.filter((text) => text !== '').join('\n');
}

const attachmentsOf = ({ content = [] }: ChatMessage): Attachment[] =>
  content.flatMap((part) => fileIn(part) ?? []);

/** Returns the image or the PDF of a part. A file that is given by an address is not fetched. */
function fileIn({ image_url: image, file }: Part): Attachment | undefined {
  const url = typeof image === 'string' ? image : (image?.url ?? file?.file_data);
  return url === undefined ? undefined : attachmentIn(url);
}

/** Types of parts that add no text: the model's reasoning, which some gateways send back in Anthropic's form. */
const silent = new Set(['thinking', 'redacted_thinking']);

const isReplaced = (part: Part): boolean =>
  textIn(part) === undefined && fileIn(part) === undefined && !silent.has(part.type);

const textIn = ({ text, refusal, file }: Part): string | undefined =>
  text ?? refusal ?? fileTextIn(file?.file_data ?? '', file?.filename);

const partText = (part: Part): string => textIn(part) ?? (isReplaced(part) ? placeholderOf(part.type) : '');
