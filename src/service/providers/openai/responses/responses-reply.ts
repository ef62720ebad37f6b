import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { isObject } from '../../../../contract/fields.js';
import type { FinishReason, Usage } from '../../../../contract/step.js';
import { holdsError } from '../../error-body.js';
import type { VendorCompletion } from '../../seal-states.js';
import type { ReplyCap } from '../../upstream/reply-cap.js';
import { cost, count } from '../../usage-counts.js';
import { parseJson, type SentRequest, type TextDelta, type VendorReply } from '../../vendor.js';
import { charsOfUnread, MAX_STREAMED_PARTS, splitCalls, writeArguments } from '../../vendor-limits.js';
import { type ReasoningItem, readReasoningItem, stateOf } from './response-state.js';

const text = z.string().nullish().catch(null);

const usageSchema = z
  .object({
    input_tokens: count,
    output_tokens: count,
    cost,
    input_tokens_details: z.object({ cached_tokens: count, cache_write_tokens: count }).nullish().catch(null),
    output_tokens_details: z.object({ reasoning_tokens: count }).nullish().catch(null),
  })
  .nullish()
  .catch(null);

/** A response, complete or as far as an event contains it. */
const responseSchema = z.object({
  model: text,
  status: text,
  incomplete_details: z.object({ reason: text }).nullish().catch(null),
  output: z.array(z.unknown()).nullish(),
  usage: usageSchema,
});

/** An event. The types that add to a reply are named below; the others are ignored. */
const eventSchema = z.object({
  type: z.string(),
  output_index: z.int().nonnegative().nullish().catch(null),
  item: z.unknown().optional(),
  delta: text,
  response: z.unknown().optional(),
});

type Response = z.output<typeof responseSchema>;

/** An item of the output as far as it has arrived. */
interface OpenItem {
  text: string;
  refusal: string;
  reasoning: string;
  arguments: string;
  /** Id and name of a call; undefined for other items. */
  call: { id: string; name: string } | undefined;
  state: readonly ReasoningItem[];
}

/** The kind of text that an event adds. */
const textEvents: ReadonlyMap<string, 'text' | 'refusal' | 'reasoning' | 'arguments'> = new Map([
  ['response.output_text.delta', 'text'],
  ['response.refusal.delta', 'refusal'],
  ['response.reasoning_summary_text.delta', 'reasoning'],
  ['response.reasoning_text.delta', 'reasoning'],
  ['response.function_call_arguments.delta', 'arguments'],
]);

const endEvents = ['response.completed', 'response.incomplete', 'response.done'];

/** A reply of the Responses API. */
export class ResponsesReply implements VendorReply {
  hasBegun = false;
  hasEnded = false;
  readonly #request: SentRequest;
  readonly #cap: ReplyCap;
  readonly #items = new Map<number, OpenItem>();
  #response: Partial<Response> = {};

  constructor(request: SentRequest, cap: ReplyCap) {
    this.#request = request;
    this.#cap = cap;
  }

  get isFinished(): boolean {
    return this.hasEnded;
  }

  addAnswer(json: unknown): boolean {
    const response = responseSchema.safeParse(json).data;
    if (holdsError(json) || !response?.output || response.status === 'failed') return false;
    this.#end(response);
    return true;
  }

  addEvent(data: string): readonly TextDelta[] | undefined {
    if (data.startsWith('[DONE]')) return [];
    const json = parseJson(data);
    const event = holdsError(json) ? undefined : eventSchema.safeParse(json).data;
    if (!event || event.type === 'response.failed') return undefined;
    const { type, response, output_index: index, item } = event;
    if (endEvents.includes(type)) return this.#addEnd(response);
    if (type === 'response.created') this.#addHead(response);
    const field = textEvents.get(type);
    const isItem = type === 'response.output_item.added' || type === 'response.output_item.done';
    if (!field && !isItem) return [];
    this.hasBegun = true;
    if (this.#items.size >= MAX_STREAMED_PARTS) return undefined;
    if (isItem) return this.#addItem(index ?? this.#items.size, item, type === 'response.output_item.done');
    return this.#append(
      this.#itemAt(index ?? Math.max(0, this.#items.size - 1)),
      field ?? 'text',
      event.delta ?? '',
    );
  }

  completion(): VendorCompletion {
    const items = [...this.#items].sort(([one], [other]) => one - other).map(([, item]) => item);
    const { read, unread } = splitCalls(this.#callsIn(items));
    const refusal = items.map((item) => item.refusal).join('');
    const reasoning = items.map((item) => item.reasoning).join('');
    const { status, incomplete_details, usage, model } = this.#response;
    const raw = incomplete_details?.reason || status || null;
    const isCall = read.length > 0 && raw === 'completed';
    const unified = isCall ? 'tool' : (finishReasons.get(raw ?? '') ?? 'other');
    const firstCall = items.findIndex(({ call }) => call);
    const states = items.slice(0, firstCall < 0 ? undefined : firstCall).flatMap(({ state }) => state);
    return {
      text: items.map((item) => item.text).join(''),
      reasoning: reasoning === '' ? null : reasoning,
      state: this.#cap.isExceeded ? undefined : stateOf(states),
      toolCalls: read,
      unreadCallChars: charsOfUnread(unread),
      refusal: refusal || (unified === 'refusal' ? '' : null),
      finishReason: refusal ? 'refusal' : unified,
      finishReasonRaw: raw,
      usage: toUsage(usage),
      model: model ?? this.#request.model,
      isConstrained: (this.#request.constraint?.schema ?? null) !== null,
      warnings: this.#request.warnings,
    };
  }

  /** Returns the calls, each with the reasoning that stands before it. */
  #callsIn(items: readonly OpenItem[]) {
    let before: ReasoningItem[] = [];
    return items.flatMap(({ call, arguments: written, state }) => {
      before.push(...state);
      if (!call) return [];
      const own = this.#cap.isExceeded ? undefined : stateOf(before);
      before = [];
      const id = call.id === '' ? `call_${randomUUID()}` : call.id;
      return [{ id, name: this.#request.ownToolName(call.name), arguments: written || '{}', state: own }];
    });
  }

  #addHead(json: unknown): void {
    this.#response = { model: responseSchema.safeParse(json).data?.model };
  }

  #addEnd(json: unknown): readonly TextDelta[] | undefined {
    const response = responseSchema.safeParse(json).data;
    return response && response.status !== 'failed' ? this.#end(response) : undefined;
  }

  /**
   * Reads the whole response. It repeats what a stream has sent, and is the only source if the server streamed
   * nothing.
   */
  #end(response: Response): readonly TextDelta[] {
    this.hasBegun = true;
    this.hasEnded = true;
    this.#response = { ...this.#response, ...response };
    const deltas: TextDelta[] = [];
    for (const [index, item] of (response.output ?? []).slice(0, MAX_STREAMED_PARTS).entries())
      deltas.push(...this.#addItem(index, item, true));
    return deltas;
  }

  #itemAt(index: number): OpenItem {
    const known = this.#items.get(index);
    if (known) return known;
    const item = { text: '', refusal: '', reasoning: '', arguments: '', call: undefined, state: [] };
    this.#items.set(index, item);
    return item;
  }

  /** Reads an item as a whole. Texts that arrived in fragments are not added again. */
  #addItem(index: number, json: unknown, isDone: boolean): readonly TextDelta[] {
    if (!isObject(json)) return [];
    const item = this.#itemAt(index);
    const deltas: TextDelta[] = [];
    if (json['type'] === 'function_call') this.#addCall(item, json);
    if (!isDone) return deltas;
    if (item.state.length === 0) item.state = readReasoningItem(json).map((each) => this.#admitted(each));
    // The names are those of the record that `textsIn` returns.
    for (const [field, whole] of Object.entries(textsIn(json)))
      if (item[field as TextField] === '') deltas.push(...this.#append(item, field as TextField, whole));
    return deltas;
  }

  #addCall(item: OpenItem, { call_id, id, name }: Readonly<Record<string, unknown>>): void {
    const given = typeof call_id === 'string' ? call_id : id;
    item.call ??= {
      id: this.#cap.admit(typeof given === 'string' ? given : ''),
      name: this.#cap.admit(typeof name === 'string' ? name : ''),
    };
  }

  /** Charges a reasoning item to the length of the reply, except its summary, which is charged as reasoning. */
  #admitted(item: ReasoningItem): ReasoningItem {
    this.#cap.admit(item.encrypted_content);
    return item; // the state of a reply that was cut is dropped
  }

  #append(item: OpenItem, field: TextField, more: string): readonly TextDelta[] {
    const delta = this.#cap.admit(more);
    item[field] += delta;
    if (delta === '' || field === 'refusal' || field === 'arguments') return [];
    return [{ type: field, delta }];
  }
}

type TextField = 'text' | 'refusal' | 'reasoning' | 'arguments';

/** Returns the texts of a whole item, by kind. */
function textsIn(item: Readonly<Record<string, unknown>>): Record<TextField, string> {
  const parts = (field: string, name: string): string => {
    const list = Array.isArray(item[field]) ? item[field].filter(isObject) : [];
    return list.map((part) => (typeof part[name] === 'string' ? part[name] : '')).join('');
  };
  const isMessage = item['type'] === 'message';
  const isReasoning = item['type'] === 'reasoning';
  const isCall = item['type'] === 'function_call';
  const { arguments: given } = item;
  return {
    text: isMessage ? parts('content', 'text') : '',
    refusal: isMessage ? parts('content', 'refusal') : '',
    reasoning: isReasoning ? parts('summary', 'text') || parts('content', 'text') : '',
    arguments: !isCall ? '' : typeof given === 'string' ? given : writeArguments(given),
  };
}

/** Finish reasons by the reason of an incomplete response, or else by its status. */
const finishReasons: ReadonlyMap<string, FinishReason> = new Map(
  Object.entries({
    completed: 'stop',
    max_output_tokens: 'length',
    max_tokens: 'length',
    incomplete: 'length',
    content_filter: 'refusal',
  } as const),
);

function toUsage(usage: z.output<typeof usageSchema>): Usage {
  return {
    input_tokens: usage?.input_tokens ?? null,
    output_tokens: usage?.output_tokens ?? null,
    cached_input_tokens: usage?.input_tokens_details?.cached_tokens ?? null,
    cache_write_tokens: usage?.input_tokens_details?.cache_write_tokens ?? null,
    reasoning_tokens: usage?.output_tokens_details?.reasoning_tokens ?? null,
    cost: usage?.cost ?? null,
  };
}
