import type {
  ResponseCustomToolCall,
  ResponseFunctionToolCall,
  ResponseOutputMessage,
  ResponseReasoningItem,
} from 'openai/resources/responses/responses';
import { writeState } from '../client-state.js';
import { freeformText } from '../client-tools.js';
import type { Answer, AnswerCall, AnswerIdentity } from '../wire.js';

type Status = 'in_progress' | 'completed' | 'incomplete';

export type MessageItem = ResponseOutputMessage;
export type ReasoningItem = ResponseReasoningItem;
export type CallItem = (ResponseFunctionToolCall | ResponseCustomToolCall) & {
  readonly id: string;
  readonly status: Status;
};
export type OutputItem = MessageItem | ReasoningItem | CallItem;

export type ContentPart = MessageItem['content'][number];

/** A function that returns an item with its id, which contains the item's index in the output. */
export type Placed<Item extends OutputItem = OutputItem> = (identity: AnswerIdentity, place: number) => Item;

/** Returns the output items of an answer that is not streamed. */
export function outputOf(answer: Answer): OutputItem[] {
  const { text, reasoning } = answer;
  const parts = [...(text === '' ? [] : [textPart(text)]), ...closingParts(answer, text === '')];
  const placed: Placed[] = [
    ...(reasoning === '' ? [] : [reasoningItem({ summary: reasoning })]),
    ...(parts.length === 0 ? [] : [messageItem(parts, messageStatus(answer))]),
    ...closingItems(answer),
  ];
  return placed.map((place, index) => place(answer, index));
}

/** Returns the parts of a message after its text: a refusal, or an empty text if the answer is empty otherwise. */
export function closingParts({ refusal, calls }: Answer, isEmpty: boolean): ContentPart[] {
  if (refusal) return [{ type: 'refusal', refusal }];
  return isEmpty && calls.length === 0 ? [textPart('')] : [];
}

/**
 * Returns the items after the text: a reasoning item with the answer's provider state, if it has one, then the calls,
 * each preceded by a reasoning item with its own provider state, if it has one.
 */
export function closingItems({ calls, providerState }: Answer): Placed<ReasoningItem | CallItem>[] {
  return [
    ...stateItems(providerState),
    ...calls.flatMap((call) => [...stateItems(call.providerState), callItem(call)]),
  ];
}

const stateItems = (state: unknown): Placed<ReasoningItem>[] =>
  state === undefined ? [] : [reasoningItem({ state })];

/**
 * Creates a reasoning item with a provider state, or with the reasoning as a summary, because all clients read
 * summaries.
 */
export function reasoningItem({
  summary = '',
  state,
}: {
  summary?: string;
  state?: unknown;
}): Placed<ReasoningItem> {
  return (identity, place) => ({
    id: `rs_${identity.id}${place}`,
    type: 'reasoning',
    summary: summary === '' ? [] : [{ type: 'summary_text', text: summary }],
    ...(state !== undefined && { encrypted_content: writeState(state) }),
  });
}

export const messageItem =
  (content: ContentPart[], status: Status): Placed<MessageItem> =>
  (identity, place) => ({
    id: `msg_${identity.id}${place}`,
    type: 'message',
    role: 'assistant',
    status,
    content,
  });

export const messageStatus = ({ end }: Answer): Status => (end === 'length' ? 'incomplete' : 'completed');

export const textPart = (text: string): ContentPart => ({
  type: 'output_text',
  text,
  annotations: [],
  logprobs: [],
});

function callItem({ id: call_id, tool, parameters, argumentsText }: AnswerCall): Placed<CallItem> {
  const { name, namespace } = tool;
  const named = {
    call_id,
    name,
    ...(namespace !== undefined && { namespace }),
    status: 'completed',
  } as const;
  return ({ id }, place) =>
    tool.kind === 'custom'
      ? { id: `ctc_${id}${place}`, type: 'custom_tool_call', ...named, input: freeformText(parameters) }
      : { id: `fc_${id}${place}`, type: 'function_call', ...named, arguments: argumentsText };
}
