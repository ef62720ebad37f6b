import { z } from 'zod';
import { type CompletionEvent, ProviderError } from '../../step/provider.js';
import { RepeatedFrame } from '../repeated-frame.js';
import { parseJson } from '../upstream/read-upstream-body.js';
import { ArrivedEvents, type ServerSentEvent, untilSilent } from '../upstream/server-sent-events.js';
import { Deltas, type SentDraft, type TextDelta } from '../vendor.js';
import {
  type AnthropicMessage,
  endingSchema,
  type MessageUsage,
  toCompletion,
  usageSchema,
} from './from-response.js';
import type { ContentBlock } from './signed-blocks.js';
import { noCompletion } from './to-error.js';

const deltaSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text_delta'), text: z.string() }),
  z.object({ type: z.literal('thinking_delta'), thinking: z.string() }),
  z.object({ type: z.literal('signature_delta'), signature: z.string() }),
  z.object({ type: z.literal('input_json_delta'), partial_json: z.string() }),
]);

const index = z.int().nonnegative();

const eventSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('message_start'),
    message: z.object({ model: z.string().nullish(), usage: usageSchema }),
  }),
  z.object({
    type: z.literal('content_block_start'),
    index,
    content_block: z.looseObject({ type: z.string() }),
  }),
  // Deltas of a kind we do not know are passed over.
  z.object({ type: z.literal('content_block_delta'), index, delta: deltaSchema.nullable().catch(null) }),
  z.object({ type: z.literal('message_delta'), delta: endingSchema, usage: usageSchema }),
  z.object({ type: z.literal('message_stop') }),
  z.object({ type: z.literal('error') }),
]);

type MessageEvent = z.output<typeof eventSchema>;
type BlockDeltaEvent = Extract<MessageEvent, { type: 'content_block_delta' }>;
const known = new Set<string>(eventSchema.options.map(({ shape }) => shape.type.value));
const namedSchema = z.object({ type: z.string() });

/**
 * Reads a Messages stream to its `message_stop`. If the connection ends before that, or falls silent, a stop reason is enough
 * (rule: finish-reason); without either it was cut.
 */
export async function* fromStream(
  stream: AsyncIterable<string>,
  draft: SentDraft,
  provider: string,
): AsyncGenerator<CompletionEvent, undefined> {
  const answer = new GrowingAnswer((data) => readEvent(data, draft, provider));
  let stopped = false;
  for await (const text of untilSilent(stream, () => answer.stopReason !== null)) {
    if (stopped) continue;
    const deltas = new Deltas();
    const events = new ArrivedEvents(text);
    try {
      for (let event = answer.next(events, deltas); event; event = answer.next(events, deltas)) {
        stopped = answer.take(event, deltas) === 'message_stop';
        if (stopped) break;
      }
    } finally {
      yield* deltas.events;
    }
    if (stopped) yield await completionOf(answer, draft, provider);
  }
  if (!stopped) yield await completionOf(answer, draft, provider);
}

async function completionOf(
  answer: GrowingAnswer,
  draft: SentDraft,
  provider: string,
): Promise<CompletionEvent> {
  if (!answer.begun) throw new ProviderError('invalid_response', { provider, upstreamStatus: 200 });
  if (answer.stopReason === null) throw new ProviderError('unreachable', { provider });
  return { type: 'completion', completion: await toCompletion(answer.whole(), draft) };
}

/** Undefined for a ping and for events not known yet. Throws on what cannot be read, and on the provider's error. */
function readEvent(data: string, draft: SentDraft, provider: string): MessageEvent | undefined {
  const json = parseJson(data);
  const named = namedSchema.safeParse(json);
  if (named.success && !known.has(named.data.type)) return undefined;
  const event = eventSchema.safeParse(json);
  if (!event.success || event.data.type === 'error') throw noCompletion(json, { ...draft, provider });
  return event.data;
}

/** An answer while it arrives, in the shape of a plain one. */
class GrowingAnswer {
  begun = false;
  stopReason: string | null = null;
  #model: string | null | undefined;
  #ending: z.output<typeof endingSchema> = {};
  #usage: MessageUsage = null;
  readonly #blocks = new Map<number, GrowingBlock>();
  readonly #read: (data: string) => MessageEvent | undefined;
  readonly #frame: RepeatedFrame<BlockDelta>;

  constructor(read: (data: string) => MessageEvent | undefined) {
    this.#read = read;
    this.#frame = new RepeatedFrame((data) => textDelta(read(data)));
  }

  /** Takes the events that hold other texts and are like the last one else, and tells the one after them. */
  next(events: ArrivedEvents, deltas: Deltas): ServerSentEvent | undefined {
    const more = this.#frame.take(events);
    if (more) this.#addText(more, deltas);
    return events.next();
  }

  /** Takes an event; says what kind it is, undefined for one that is passed over. */
  take({ data, lines }: ServerSentEvent, deltas: Deltas): MessageEvent['type'] | undefined {
    const event = this.#read(data);
    if (event && event.type !== 'message_stop') this.#add(event, deltas);
    this.#frame.learn(lines, textDelta(event));
    return event?.type;
  }

  #add(event: MessageEvent, deltas: Deltas): void {
    this.begun = true;
    switch (event.type) {
      case 'message_start':
        this.#model = event.message.model;
        this.#usage = event.message.usage;
        break;
      case 'content_block_start':
        this.#blocks.set(event.index, { start: event.content_block, text: '', signature: '' });
        break;
      case 'content_block_delta':
        this.#addDelta(event, deltas);
        break;
      case 'message_delta':
        this.#ending = event.delta;
        this.stopReason = event.delta.stop_reason ?? this.stopReason;
        this.#usage = { ...this.#usage, ...withoutNulls(event.usage) };
        break;
    }
  }

  whole(): AnthropicMessage {
    const content = [...this.#blocks]
      .sort(([one], [other]) => one - other)
      .map(([, block]) => toBlock(block));
    return {
      ...this.#ending,
      stop_reason: this.stopReason,
      model: this.#model,
      content,
      usage: this.#usage,
    };
  }

  #addDelta(event: BlockDeltaEvent, deltas: Deltas): void {
    const { index, delta } = event;
    const more = textDelta(event);
    const block = this.#blocks.get(index);
    if (more) this.#addText(more, deltas);
    else if (block && delta?.type === 'signature_delta') block.signature += delta.signature;
    else if (block && delta?.type === 'input_json_delta') block.text += delta.partial_json;
  }

  #addText(more: BlockDelta, deltas: Deltas): void {
    const block = this.#blocks.get(more.index);
    if (!block) return;
    block.text += more.delta;
    deltas.add(more);
  }
}

/** More of the text of one block. */
type BlockDelta = TextDelta & { readonly index: number };

function textDelta(event: MessageEvent | undefined): BlockDelta | undefined {
  if (event?.type !== 'content_block_delta') return undefined;
  const { index, delta } = event;
  if (delta?.type === 'text_delta') return { index, type: 'text', delta: delta.text };
  return delta?.type === 'thinking_delta' ? { index, type: 'reasoning', delta: delta.thinking } : undefined;
}

interface GrowingBlock {
  readonly start: ContentBlock;
  text: string;
  signature: string;
}

/** The block as a plain answer would hold it; the arguments of a call stay the text they came as. */
function toBlock({ start, text, signature }: GrowingBlock): ContentBlock {
  if (start.type === 'text') return { ...start, text: `${start['text'] ?? ''}${text}` };
  if (start.type === 'thinking') {
    return {
      ...start,
      thinking: `${start['thinking'] ?? ''}${text}`,
      signature: `${start['signature'] ?? ''}${signature}`,
    };
  }
  return start.type === 'tool_use' && text !== '' ? { ...start, input: text } : start;
}

const withoutNulls = (usage: MessageUsage) =>
  Object.fromEntries(Object.entries(usage ?? {}).filter(([, value]) => value != null));
