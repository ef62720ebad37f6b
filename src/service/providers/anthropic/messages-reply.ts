import { z } from 'zod';
import type { Usage } from '../../../contract/step.js';
import { textIn, textsIn } from '../content-texts.js';
import { holdsError } from '../error-body.js';
import { finishReasonIn, unifyReason } from '../finish-reasons.js';
import type { ReplyCap } from '../upstream/reply-cap.js';
import { cost, count, laterUsage, MAX_TOKENS } from '../usage-counts.js';
import type { TextDelta, VendorCompletion, VendorReply, VendorToolCall } from '../vendor.js';
import { argumentsIn, fieldsOf, isEndMark, parseJson } from '../vendor-json.js';
import { charsOfUnread, MAX_STREAMED_PARTS, splitCalls } from '../vendor-limits.js';
import { type ContentBlock, isBlock, stateOf } from './signed-blocks.js';

const text = z.string().nullish().catch(null);
/**
 * Compatible servers may send no index. In that case, each start event begins the next block, and each delta
 * continues the last block.
 */
const index = z.int().nonnegative().nullish().catch(null);

const endingSchema = z.object({
  stop_reason: z.unknown().optional(),
  stop_details: z.object({ explanation: text }).nullish().catch(null),
});

const answerSchema = endingSchema.extend({
  model: text,
  content: z.unknown().optional(),
  usage: z.unknown().optional(),
});

const deltaSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text_delta'), text: z.string() }),
  z.object({ type: z.literal('thinking_delta'), thinking: z.string() }),
  z.object({ type: z.literal('signature_delta'), signature: z.string() }),
  z.object({ type: z.literal('input_json_delta'), partial_json: z.string() }),
]);

const eventSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('message_start'),
    message: z.object({ model: text, usage: z.unknown().optional() }).nullish().catch(null),
  }),
  z.object({
    type: z.literal('content_block_start'),
    index,
    content_block: z.looseObject({ type: z.string() }),
  }),
  // Deltas of unknown kinds are ignored.
  z.object({ type: z.literal('content_block_delta'), index, delta: deltaSchema.nullable().catch(null) }),
  z.object({
    type: z.literal('message_delta'),
    delta: endingSchema.nullable().catch(null),
    usage: z.unknown().optional(),
  }),
  z.object({ type: z.literal('message_stop') }),
]);

/** A tool call. A block that does not match is ignored. */
const callSchema = z.object({ id: text, name: z.string().min(1), input: z.string() });

type MessageEvent = z.output<typeof eventSchema>;
type BlockDelta = Extract<MessageEvent, { type: 'content_block_delta' }>;
type Ending = z.output<typeof endingSchema>;

const readTypes = new Set<unknown>([...eventSchema.options.map(({ shape }) => shape.type.value), 'error']);

/** A reply of Anthropic's Messages API. */
export class MessagesReply implements VendorReply {
  hasBegun = false;
  hasEnded = false;
  readonly #cap: ReplyCap;
  readonly #blocks: GrowingBlock[] = [];
  /** The latest block with each index, because some servers number all blocks alike. */
  readonly #byIndex = new Map<number, GrowingBlock>();
  /** The latest block and the text with which it started, until its first delta. */
  #started: { readonly block: GrowingBlock; readonly text: string } | undefined;
  #model: string | null | undefined;
  #stopReason: string | null = null;
  #explanation = '';
  #refusal = '';
  #usage = countsIn(undefined);

  constructor(cap: ReplyCap) {
    this.#cap = cap;
  }

  get isFinished(): boolean {
    return this.#stopReason !== null;
  }

  addAnswer(json: unknown): boolean {
    const data = holdsError(json) ? undefined : answerSchema.safeParse(json).data;
    const blocks = data && toBlocks(data.content);
    if (!data || !blocks) return false;
    this.#model = data.model;
    this.#addUsage(data.usage);
    for (const block of blocks) this.#startBlock(undefined, block);
    this.#addEnding(data);
    return true;
  }

  addEvent(data: string): readonly TextDelta[] | undefined {
    if (isEndMark(data)) {
      this.hasEnded = true;
      return [];
    }
    const json = parseJson(data);
    if (holdsError(json)) return undefined;
    // Events of unknown types add nothing to the reply.
    if (isBlock(json) && !readTypes.has(json.type)) return [];
    const event = eventSchema.safeParse(json).data;
    return event && this.#add(event);
  }

  completion(): VendorCompletion {
    const content = this.#blocks;
    const calls = splitCalls(content.filter(({ type }) => type === 'tool_use'));
    const state = stateOf(content);
    const finishReason = unifyReason(this.#stopReason);
    const explanation = finishReason === 'refusal' ? this.#explanation : '';
    return {
      text: textOf(content, 'text'),
      reasoning: textOf(content, 'thinking'),
      refusal: this.#refusal || explanation,
      toolCalls: calls.read.flatMap(toCall).map((call, index) => (index === 0 ? { ...call, state } : call)),
      unreadCallChars: charsOfUnread(calls.unread),
      finishReason,
      finishReasonRaw: this.#stopReason,
      usage: { ...this.#usage, input_tokens: allInputTokens(this.#usage) },
      model: this.#model,
      state,
    };
  }

  #addUsage(json: unknown): void {
    this.#usage = laterUsage(this.#usage, countsIn(json));
  }

  #add(event: MessageEvent): readonly TextDelta[] | undefined {
    switch (event.type) {
      case 'message_start':
        this.#model = event.message?.model;
        // Its count of output tokens is preliminary; the events after it have the real one.
        this.#addUsage({ ...fieldsOf(event.message?.usage), output_tokens: null });
        break;
      case 'content_block_start':
        this.hasBegun = true;
        if (this.#blocks.length >= MAX_STREAMED_PARTS) return undefined;
        return this.#startBlock(event.index, event.content_block);
      case 'content_block_delta':
        this.hasBegun = true;
        return this.#addDelta(event);
      case 'message_delta':
        this.#addEnding(event.delta);
        this.#addUsage(event.usage);
        break;
      case 'message_stop':
        this.hasEnded = true;
        return [];
    }
    this.hasBegun = true;
    return [];
  }

  #addDelta({ index, delta }: BlockDelta): readonly TextDelta[] {
    const type = delta && typesWithoutStart[delta.type];
    if (type && !this.#blockAt(index) && this.#blocks.length < MAX_STREAMED_PARTS)
      this.#startBlock(index, { type });
    const block = this.#blockAt(index);
    if (!block) return [];
    switch (delta?.type) {
      case 'text_delta':
        return this.#appendDelta(block, 'text', delta.text);
      case 'thinking_delta':
        return this.#appendDelta(block, 'thinking', delta.thinking);
      case 'input_json_delta':
        return this.#appendDelta(block, 'input', delta.partial_json);
      case 'signature_delta':
        this.#addSignature(block, delta.signature);
    }
    return [];
  }

  #blockAt(index: number | null | undefined): GrowingBlock | undefined {
    return index == null ? this.#blocks.at(-1) : this.#byIndex.get(index);
  }

  #addEnding(ending: Ending | null): void {
    this.#stopReason = finishReasonIn(ending?.stop_reason) ?? this.#stopReason;
    const explanation = ending?.stop_details?.explanation;
    if (explanation) this.#explanation = this.#cap.admit(explanation);
  }

  /**
   * Starts a block, which may already contain text. Keeps only the listed fields, and none of a block of unknown
   * type.
   */
  #startBlock(index: number | null | undefined, block: ContentBlock): readonly TextDelta[] {
    if (block.type === 'refusal') this.#refusal += this.#cap.admit(textsIn(block).refusal);
    const field = textFields.get(block.type);
    const labels = labelFields.get(block.type);
    const started: GrowingBlock = { type: field || labels ? block.type : 'unknown' };
    this.#byIndex.set(index ?? this.#blocks.length, started);
    this.#blocks.push(started);
    for (const label of labels ?? []) {
      const value = block[label];
      if (typeof value === 'string') started[label] = this.#cap.admit(value);
    }
    if (!field) return [];
    started[field] = '';
    const text = startOf(block, field);
    this.#started = { block: started, text };
    return this.#append(started, field, text);
  }

  /**
   * Adds a delta to a block. Some servers start a block with its first text or its whole arguments, and send these
   * again as deltas.
   */
  #appendDelta(block: GrowingBlock, field: TextField, delta: string): readonly TextDelta[] {
    const start = this.#started?.block === block ? this.#started.text : '';
    this.#started = undefined;
    if (start === '') return this.#append(block, field, delta);
    if (field !== 'input')
      return this.#append(block, field, delta.startsWith(start) ? delta.slice(start.length) : delta);
    if (parseJson(start) !== undefined) block['input'] = '';
    return this.#append(block, field, delta);
  }

  #append(block: GrowingBlock, field: TextField, more: string): readonly TextDelta[] {
    if (textFields.get(block.type) !== field) return [];
    const delta = this.#cap.admit(more);
    block[field] = `${block[field]}${delta}`;
    if (field === 'input' || delta === '') return [];
    return [{ type: field === 'text' ? 'text' : 'reasoning', delta }];
  }

  #addSignature(block: GrowingBlock, more: string): void {
    if (block.type !== 'thinking') return;
    block['signature'] = `${block['signature'] ?? ''}${this.#cap.admit(more)}`;
  }
}

function toCall(block: ContentBlock): VendorToolCall[] {
  const call = callSchema.safeParse(block).data;
  return call ? [{ id: call.id ?? '', name: call.name, arguments: call.input }] : [];
}

/** Types of the blocks that compatible servers may stream without a start event, by the type of their deltas. */
const typesWithoutStart: Readonly<Record<string, string>> = {
  text_delta: 'text',
  thinking_delta: 'thinking',
};

/** A content block that is still being received. */
type GrowingBlock = { type: string; [field: string]: unknown };

type TextField = 'text' | 'thinking' | 'input';

/** The fields that contain the text of a block, by block type. */
const textFields: ReadonlyMap<string, TextField> = new Map([
  ['text', 'text'],
  ['thinking', 'thinking'],
  ['tool_use', 'input'],
]);

/** Other fields of a block that are kept, by block type. */
const labelFields: ReadonlyMap<string, readonly string[]> = new Map([
  ['thinking', ['signature']],
  ['redacted_thinking', ['data']],
  ['tool_use', ['id', 'name']],
]);

/**
 * Returns the text with which a block starts. The arguments of a call may be an object, which is empty at the start
 * of a streamed call.
 */
function startOf(block: ContentBlock, field: TextField): string {
  const value = block[field];
  if (field !== 'input') return textIn(value);
  const written = argumentsIn(value);
  return typeof value === 'object' && written === '{}' ? '' : written;
}

/**
 * Returns the blocks of a message's content; undefined if the content has an unknown shape. Some servers send a
 * text, or one block instead of a list.
 */
function toBlocks(content: unknown): readonly ContentBlock[] | undefined {
  const all = Array.isArray(content) ? content : [content];
  const blocks = all.map((each) => (typeof each === 'string' ? { type: 'text', text: each } : each));
  return blocks.every(isBlock) ? blocks : undefined;
}

/** Returns the text of all blocks of a type. The field has the same name as the type. */
const textOf = (content: readonly ContentBlock[], type: 'text' | 'thinking'): string =>
  content.map((block) => (block.type === type ? block[type] : '')).join('');

/** Reads the counts in a usage, with the input tokens as Anthropic counts them. */
function countsIn(json: unknown): Usage {
  const usage = fieldsOf(json);
  return {
    input_tokens: count(usage['input_tokens']),
    output_tokens: count(usage['output_tokens']),
    cached_input_tokens: count(usage['cache_read_input_tokens']),
    cache_write_tokens: count(usage['cache_creation_input_tokens']),
    reasoning_tokens: count(fieldsOf(usage['output_tokens_details'])['thinking_tokens']),
    cost: cost(usage['cost']),
  };
}

/** Returns the input tokens in our terms. Anthropic's count excludes tokens that were read from or written to the cache. */
function allInputTokens({ input_tokens: input, cached_input_tokens, cache_write_tokens }: Usage) {
  return input === null
    ? null
    : Math.min(input + (cached_input_tokens ?? 0) + (cache_write_tokens ?? 0), MAX_TOKENS);
}
