import type { Attachment } from '../../../contract/attachment.js';
import type { ConversationItem } from '../../../conversation/convert/conversation-items.js';
import { parseArguments } from '../../../conversation/convert/convert-openai.js';
import { readState } from '../client-state.js';
import { type ClientTools, FREEFORM_PARAMETER } from '../client-tools.js';
import { attachmentIn, fileTextIn } from '../read-attachments.js';
import { placeholderOf } from '../read-fields.js';
import { replyItems } from '../reply-items.js';
import { type Item, isKnownItem, type Part } from './responses-schema.js';

/** The conversation in a request body. */
export interface ReadItems {
  /** Texts of the messages whose role is `system` or `developer`. */
  readonly instructions: readonly string[];
  readonly items: readonly ConversationItem[];
  /** Number of images and other parts that were replaced by placeholders. */
  readonly replaced: number;
  /** Number of reasoning items that another service encrypted. */
  readonly foreignStates: number;
  /** Number of items of unsupported types, which were left out. */
  readonly skipped: number;
}

/** Reads items. Leaves out reasoning: a model gets its own reasoning back only as provider state. */
export function readItems(items: readonly Item[], tools: ClientTools): ReadItems {
  const known = items.filter(({ type }) => isKnownItem(type));
  const shown = known.filter(({ type }) => type !== 'reasoning');
  return {
    instructions: known.filter(isInstruction).map(({ content }) => textOf(content)),
    items: repliesAndOthers(known.filter((item) => !isInstruction(item))).flatMap((group) =>
      Array.isArray(group) ? itemsOfReply(group, tools) : [otherItem(group)],
    ),
    replaced: shown.flatMap(({ content, output }) => [...content, ...output].filter(isReplaced)).length,
    foreignStates: known.filter(isForeign).length,
    skipped: items.length - known.length,
  };
}

const isInstruction = ({ type, role }: Item): boolean =>
  type === 'message' && (role === 'system' || role === 'developer');

const isOfReply = ({ type, role }: Item): boolean =>
  type === 'reasoning' || isCall(type) || (type === 'message' && role === 'assistant');

const isCall = (type: string): boolean => type === 'function_call' || type === 'custom_tool_call';

/** Groups adjacent items of the model into one list per reply. Other items stay single. */
function repliesAndOthers(items: readonly Item[]): (Item | Item[])[] {
  const groups: (Item | Item[])[] = [];
  for (const item of items) {
    const last = groups.at(-1);
    if (!isOfReply(item)) groups.push(item);
    else if (Array.isArray(last)) last.push(item);
    else groups.push([item]);
  }
  return groups;
}

function otherItem({ type, content, output, call_id: callId = '' }: Item): ConversationItem {
  const parts = type === 'message' ? content : output;
  const read = {
    text: textOf(parts),
    attachments: parts.flatMap((part) => fileIn(part) ?? []),
    origin: null,
  };
  if (type === 'message') return { type: 'text', role: 'user', ...read };
  return { type: 'result', callId, isError: false, ...read };
}

function itemsOfReply(items: readonly Item[], tools: ClientTools): ConversationItem[] {
  const texts = items.filter(({ type }) => type === 'message').map(({ content }) => textOf(content));
  return replyItems(
    texts.filter((each) => each !== '').join('\n\n'),
    items.map((item) => (isCall(item.type) ? { call: toCall(item, tools) } : { state: stateIn(item) })),
  );
}

const stateIn = ({ type, encrypted_content: content }: Item): unknown =>
  type === 'reasoning' && content !== undefined ? readState(content) : undefined;

const isForeign = (item: Item): boolean => Boolean(item.encrypted_content) && stateIn(item) === undefined;

function toCall(
  { call_id: id = '', name = '', namespace, input, arguments: written = '', type }: Item,
  tools: ClientTools,
) {
  const given = typeof written === 'string' ? parseArguments(written) : written;
  const args = type === 'custom_tool_call' ? { [FREEFORM_PARAMETER]: input ?? '' } : given;
  return { id, name: tools.nameOf({ name, namespace }), args };
}

/** Returns the image or the PDF of a part. A file that is given by an address or an id is not fetched. */
function fileIn({ image_url: image, file_data: file }: Part): Attachment | undefined {
  const url = image ?? file;
  return url === undefined ? undefined : attachmentIn(url);
}

const textIn = ({ text, refusal, file_data: file = '', filename }: Part): string | undefined =>
  text ?? refusal ?? fileTextIn(file, filename);

const isReplaced = (part: Part): boolean => textIn(part) === undefined && !fileIn(part);

/** Joins the texts of parts with line breaks. */
const textOf = (parts: readonly Part[]): string =>
  parts
    .filter((part) => !fileIn(part))
    .map((part) => textIn(part) ?? placeholderOf(part.type))
    .join('\n');
