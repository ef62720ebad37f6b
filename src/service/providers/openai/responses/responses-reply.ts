import { z } from 'zod';
import { isObject } from '../../../../contract/fields.js';
import type { Usage } from '../../../../contract/step.js';
import { textIn, textsIn } from '../../content-texts.js';
import { holdsError } from '../../error-body.js';
import { unifyReason } from '../../finish-reasons.js';
import type { ReplyCap } from '../../upstream/reply-cap.js';
import { cost, count } from '../../usage-counts.js';
import type { TextDelta, VendorCompletion, VendorReply, VendorToolCall } from '../../vendor.js';
import { argumentsIn, type Fields, fieldsOf, isEndMark, objectsIn, parseJson } from '../../vendor-json.js';
import { charsOfUnread, MAX_STREAMED_PARTS, splitCalls } from '../../vendor-limits.js';
import { type ReasoningItem, readReasoningItem, stateOf } from './response-state.js';

const text = z.string().nullish().catch(null);

/** A response of the Responses API, complete or as far as an event contains it. */
const responseSchema = z.object({
  model: text,
  status: text,
  incomplete_details: z.object({ reason: text }).nullish().catch(null),
  output: z.unknown().optional(),
  usage: z.unknown().optional(),
});

/** An event of a stream. Only the types named below add to a reply; others are ignored. */
const eventSchema = z.object({
  type: z.string(),
  output_index: z.int().nonnegative().nullish().catch(null),
  item_id: text,
  item: z.unknown().optional(),
  delta: text,
  text,
  refusal: text,
  arguments: text,
  response: z.unknown().optional(),
});

type Response = z.output<typeof responseSchema>;
type ResponseEvent = z.output<typeof eventSchema>;

type TextField = 'text' | 'refusal' | 'reasoning' | 'arguments';

/**
 * Maximum number and length of the ids by which events find their items, because ids do not count toward the length of
 * the reply. Items without such an id are found by their index.
 */
const MAX_IDS = 1_000;
const MAX_ID_LENGTH = 256;

/** An output item as far as it has arrived. */
interface OpenItem {
  /** True if the item is known by an id: servers that change the id send a new one with each event. */
  hasId: boolean;
  readonly kind: string | undefined;
  isDone: boolean;
  text: string;
  refusal: string;
  reasoning: string;
  arguments: string;
  /** Id and name of a call; undefined for other items. */
  call: { id: string; name: string } | undefined;
  state: readonly ReasoningItem[];
}

/**
 * The kind of text that an event adds to its item, by event type without its end: `.delta` for a fragment, or `.done`
 * for the whole text. Some servers send no fragments.
 */
const textEvents: ReadonlyMap<string, TextField> = new Map([
  ['response.output_text', 'text'],
  ['response.refusal', 'refusal'],
  ['response.reasoning_summary_text', 'reasoning'],
  ['response.reasoning_text', 'reasoning'],
  ['response.function_call_arguments', 'arguments'],
]);

/** The type of item that contains each kind of text. */
const kinds: Readonly<Record<TextField, string>> = {
  text: 'message',
  refusal: 'message',
  reasoning: 'reasoning',
  arguments: 'function_call',
};

const endEvents = ['response.completed', 'response.incomplete', 'response.done'];

export class ResponsesReply implements VendorReply {
  hasBegun = false;
  hasEnded = false;
  readonly #cap: ReplyCap;
  readonly #items: OpenItem[] = [];
  /** The latest item with each index and with each id, because some servers number all items alike, or not at all. */
  readonly #byIndex = new Map<number, OpenItem>();
  readonly #byId = new Map<string, OpenItem>();
  #response: Partial<Response> = {};

  constructor(cap: ReplyCap) {
    this.#cap = cap;
  }

  get isFinished(): boolean {
    return this.hasEnded;
  }

  addAnswer(json: unknown): boolean {
    const response = responseSchema.safeParse(json).data;
    if (holdsError(json) || typeof response?.output !== 'object' || !response.output) return false;
    this.#end(response);
    return true;
  }

  addEvent(data: string): readonly TextDelta[] | undefined {
    if (isEndMark(data)) {
      this.hasEnded = true;
      return [];
    }
    const json = parseJson(data);
    const event = holdsError(json) ? undefined : eventSchema.safeParse(json).data;
    if (!event || event.type === 'response.failed') return undefined;
    const { type, response } = event;
    if (endEvents.includes(type)) return this.#addEnd(response);
    if (type === 'response.created') this.#addHead(response);
    const isItem = type === 'response.output_item.added' || type === 'response.output_item.done';
    const [, stem = ''] = /^(.+)\.(?:delta|done)$/.exec(type) ?? [];
    const field = textEvents.get(stem);
    if (!field && !isItem) return [];
    this.hasBegun = true;
    if (this.#items.length >= MAX_STREAMED_PARTS) return undefined;
    if (field) return this.#addText(this.#itemOf(event, kinds[field]), field, event);
    return isObject(event.item)
      ? this.#addItem(this.#itemOf(event, typeOf(event.item)), event.item, event)
      : [];
  }

  completion(): VendorCompletion {
    const items = this.#items;
    const { read, unread } = splitCalls(callsIn(items));
    const { status, incomplete_details, usage, model } = this.#response;
    const raw = incomplete_details?.reason || status || null;
    const firstCall = items.findIndex(({ call }) => call);
    const states = items.slice(0, firstCall < 0 ? undefined : firstCall).flatMap(({ state }) => state);
    const joined = (field: TextField) => items.map((item) => item[field]).join('');
    return {
      text: joined('text'),
      reasoning: joined('reasoning'),
      refusal: joined('refusal'),
      toolCalls: read,
      unreadCallChars: charsOfUnread(unread),
      finishReason: read.length > 0 && raw === 'completed' ? 'tool' : unifyReason(raw),
      finishReasonRaw: raw,
      usage: toUsage(usage),
      model,
      state: stateOf(states),
    };
  }

  #addHead(json: unknown): void {
    this.#response = { model: responseSchema.safeParse(json).data?.model };
  }

  #addEnd(json: unknown): readonly TextDelta[] | undefined {
    const response = responseSchema.safeParse(json).data;
    return response && response.status !== 'failed' ? this.#end(response) : undefined;
  }

  /**
   * Reads the whole response that ends a stream. It repeats the streamed items, or contains all of them if the
   * server streamed nothing. Items of one type are matched in order, not by index, because some servers number
   * them differently or omit reasoning.
   */
  #end(response: Response): readonly TextDelta[] {
    this.hasBegun = true;
    this.hasEnded = true;
    this.#response = { ...this.#response, ...response };
    const streamed = this.#itemsByKind();
    const deltas: TextDelta[] = [];
    for (const json of objectsIn(response.output).slice(0, MAX_STREAMED_PARTS)) {
      const item = streamed.get(typeOf(json))?.pop() ?? this.#open(typeOf(json));
      deltas.push(...this.#addItem(item, json));
    }
    return deltas;
  }

  /** Returns the items of each type, the latest first, so that `pop` returns the first. */
  #itemsByKind(): ReadonlyMap<string | undefined, OpenItem[]> {
    const items = new Map<string | undefined, OpenItem[]>();
    for (const item of this.#items.toReversed()) {
      const same = items.get(item.kind);
      if (same) same.push(item);
      else items.set(item.kind, [item]);
    }
    return items;
  }

  /** Returns the item to which an event belongs, or a new one. */
  #itemOf(event: ResponseEvent, kind: string | undefined): OpenItem {
    const { output_index: index, item_id, item } = event;
    const id = idOf(item_id) || idOf(isObject(item) ? item['id'] : null);
    const withId = this.#byId.get(id);
    const withIndex = index == null ? this.#items.at(-1) : this.#byIndex.get(index);
    const known = [withId, isStart(event) ? undefined : withIndex]
      .filter((each) => each !== undefined)
      .filter((each) => each.kind === kind);
    // An item that has ended is not ended again, except under its own id.
    const isRefused = isStart(event) || (item !== undefined && known[0] !== withId);
    const ended = isRefused ? undefined : known[0];
    const target = known.find(({ isDone }) => !isDone) ?? ended ?? this.#open(kind);
    if (index != null) this.#byIndex.set(index, target);
    if (id !== '' && !target.hasId && this.#byId.size < MAX_IDS) {
      target.hasId = true;
      this.#byId.set(id, target);
    }
    return target;
  }

  #open(kind: string | undefined): OpenItem {
    const texts = { text: '', refusal: '', reasoning: '', arguments: '' };
    const item: OpenItem = { hasId: false, kind, isDone: false, ...texts, call: undefined, state: [] };
    this.#items.push(item);
    return item;
  }

  /** Adds a fragment of a text. An event with the whole text adds it only if no fragment has arrived. */
  #addText(item: OpenItem, field: TextField, { type, ...event }: ResponseEvent): readonly TextDelta[] {
    if (type.endsWith('.delta')) return this.#append(item, field, event.delta ?? '');
    const whole = field === 'reasoning' ? event.text : event[field];
    return item[field] === '' ? this.#append(item, field, whole ?? '') : [];
  }

  /** Adds an item, unless the event only starts it. Texts that arrived in fragments are not added again. */
  #addItem(
    item: OpenItem,
    json: Readonly<Record<string, unknown>>,
    event?: ResponseEvent,
  ): readonly TextDelta[] {
    const deltas: TextDelta[] = [];
    if (typeOf(json) === 'function_call') this.#addCall(item, json);
    if (event && isStart(event)) return deltas;
    item.isDone = true;
    if (item.state.length === 0) item.state = readReasoningItem(json).map((each) => this.#admitted(each));
    // Cast: `textsOf` returns a record with exactly these field names.
    for (const [field, whole] of Object.entries(textsOf(json)))
      if (item[field as TextField] === '') deltas.push(...this.#append(item, field as TextField, whole));
    return deltas;
  }

  #addCall(item: OpenItem, { call_id, id, name }: Fields): void {
    const given = typeof call_id === 'string' ? call_id : id;
    item.call ??= { id: '', name: '' };
    item.call.id ||= this.#cap.admit(typeof given === 'string' ? given : '');
    item.call.name ||= this.#cap.admit(typeof name === 'string' ? name : '');
  }

  /**
   * Counts the encrypted text of a reasoning item towards the maximum length of the reply. Its summary is already
   * counted as reasoning text.
   */
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

/** Returns the tool calls, each with the reasoning that precedes it. */
function callsIn(items: readonly OpenItem[]): VendorToolCall[] {
  let before: ReasoningItem[] = [];
  return items.flatMap(({ call, arguments: written, state }) => {
    before.push(...state);
    if (!call) return [];
    const own = stateOf(before);
    before = [];
    return [{ ...call, arguments: written, state: own }];
  });
}

const isStart = ({ type }: ResponseEvent): boolean => type === 'response.output_item.added';

const idOf = (id: unknown): string => (typeof id === 'string' && id.length <= MAX_ID_LENGTH ? id : '');

/** Returns the type of an item; `message` for an assistant's item without a type, which some servers send. */
const typeOf = (item: unknown): string | undefined => {
  if (!isObject(item)) return undefined;
  const { type, role } = item;
  return typeof type === 'string' ? type : role === 'assistant' ? 'message' : undefined;
};

/** Returns the texts of a whole item, by kind. */
function textsOf(item: Fields): Record<TextField, string> {
  const none = { text: '', refusal: '', reasoning: '', arguments: '' };
  const { content, summary, arguments: given } = item;
  switch (typeOf(item)) {
    case 'message':
      return { ...none, ...textsIn(content) };
    case 'reasoning':
      return { ...none, reasoning: textIn(summary) || textIn(content) };
    case 'function_call':
      return { ...none, arguments: argumentsIn(given) };
    default:
      return none;
  }
}

function toUsage(json: unknown): Usage {
  const usage = fieldsOf(json);
  const input = fieldsOf(usage['input_tokens_details']);
  const output = fieldsOf(usage['output_tokens_details']);
  return {
    input_tokens: count(usage['input_tokens']),
    output_tokens: count(usage['output_tokens']),
    cached_input_tokens: count(input['cached_tokens']),
    cache_write_tokens: count(input['cache_write_tokens']),
    reasoning_tokens: count(output['reasoning_tokens']),
    cost: cost(usage['cost']),
  };
}
