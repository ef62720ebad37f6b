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
import { GrowingChatState, toVendorState } from './chat-state.js';

const END_MARK = '[DONE]';

/** Maximum number of tool-call fragments in one chunk of a stream. Models send a few at most. */
const MAX_CALL_PARTS = 4_096;

const text = z.string().nullish();

/** A plain response or a chunk of a stream. Unknown fields of compatible servers are ignored. */
const chunkSchema = z.object({
  model: text.catch(null),
  choices: z.array(z.unknown()).nullish(),
  usage: z.unknown().optional(),
});

const messageSchema = z.object({
  /** Some servers send a list of parts. */
  content: z.union([z.string(), z.array(z.unknown())]).nullish(),
  refusal: text,
  /** DeepSeek and vLLM send `reasoning_content`, OpenRouter and newer vLLM `reasoning`, OpenAI neither. */
  reasoning_content: text.catch(null),
  reasoning: text.catch(null),
  /** State to send back: OpenRouter's and Gemini's. */
  reasoning_details: z.unknown().optional(),
  extra_content: z.unknown().optional(),
  tool_calls: z.array(z.unknown()).nullish(),
});

/** Some servers answer plainly with `delta`, or stream with `message`. */
const choiceSchema = z.object({
  message: messageSchema.nullish(),
  delta: messageSchema.nullish(),
  finish_reason: text,
});

/** A call, or a part of one. Some servers send the arguments as an object. */
const callPartSchema = z.object({
  index: z.int().nonnegative().nullish(),
  id: text,
  extra_content: z.unknown().optional(),
  function: z.object({ name: text, arguments: z.union([z.string(), z.looseObject({})]).nullish() }).nullish(),
});

const callPartsSchema = z.array(callPartSchema);

type ChatMessage = z.output<typeof messageSchema>;
type Choice = z.output<typeof choiceSchema>;
type CallPart = z.output<typeof callPartSchema>;

/** A call as far as it has arrived. */
interface OpenCall {
  readonly index: number | undefined;
  id: string;
  name: string;
  arguments: string;
  readonly state: GrowingChatState;
  /** Whether one part held all of the call: its name and whole arguments. */
  isWhole: boolean;
}

/** A reply of the Chat Completions API. */
export class ChatReply implements VendorReply {
  hasBegun = false;
  hasEnded = false;
  readonly #request: SentRequest;
  readonly #cap: ReplyCap;
  readonly #calls: OpenCall[] = [];
  readonly #callsById = new Map<string, OpenCall>();
  readonly #callsByIndex = new Map<number, OpenCall>();
  readonly #state: GrowingChatState;
  #unreadCalls: readonly unknown[] = [];
  #model: string | null | undefined;
  #text = '';
  #reasoning = '';
  #refusal = '';
  #finishReason: string | null = null;
  #usage: unknown;

  constructor(request: SentRequest, cap: ReplyCap) {
    this.#request = request;
    this.#cap = cap;
    this.#state = new GrowingChatState(cap);
  }

  get isFinished(): boolean {
    return this.#finishReason !== null;
  }

  addAnswer(json: unknown): boolean {
    if (holdsError(json)) return false;
    const answer = chunkSchema.safeParse(json).data;
    const choice = choiceSchema.safeParse(answer?.choices?.[0]).data;
    const message = choice?.message ?? choice?.delta;
    if (!answer || !choice || !message) return false;
    const { read, unread } = splitCalls(message.tool_calls ?? []);
    const calls = callPartsSchema.safeParse(read).data;
    if (!calls?.every((call) => typeof call.function?.name === 'string')) return false;
    this.#addHead(answer);
    this.#addTexts(message);
    this.#addFinish(choice);
    this.#unreadCalls = unread;
    for (const call of calls) this.#addToCall(call, this.#beginCall(call));
    return true;
  }

  addEvent(data: string): readonly TextDelta[] | undefined {
    if (data.startsWith(END_MARK)) {
      this.hasEnded = true;
      return [];
    }
    const json = parseJson(data);
    const chunk = holdsError(json) ? undefined : chunkSchema.safeParse(json).data;
    if (!chunk) return undefined;
    this.#addHead(chunk);
    // A chunk with the usage alone has an empty list, null or no `choices`.
    return chunk.choices?.length ? this.#addChoice(chunk.choices[0]) : [];
  }

  completion(): VendorCompletion {
    const { read, unread } = splitCalls(this.#calls);
    const { message, states } = this.#states(read);
    const unified = finishReasons.get(this.#finishReason?.toLowerCase() ?? '') ?? 'other';
    return {
      text: this.#text,
      reasoning: this.#reasoning === '' ? null : this.#reasoning,
      state: message,
      toolCalls: read.map(({ id, name, arguments: written }, index) => ({
        id: id === '' ? `call_${randomUUID()}` : id,
        name: this.#request.ownToolName(name),
        arguments: written === '' ? '{}' : written,
        state: states[index],
      })),
      unreadCallChars: charsOfUnread([...unread, ...this.#unreadCalls]),
      refusal: this.#refusal || (unified === 'refusal' ? '' : null),
      finishReason: this.#refusal ? 'refusal' : unified,
      finishReasonRaw: this.#finishReason,
      usage: toUsage(this.#usage),
      model: this.#model ?? this.#request.model,
      isConstrained: (this.#request.constraint?.schema ?? null) !== null,
      warnings: this.#request.warnings,
    };
  }

  /**
   * Returns the states of the message and of each call. Servers need them back only beside native calls, and some
   * refuse them elsewhere. A signature is invalid for a reply that was cut.
   */
  #states(calls: readonly OpenCall[]) {
    if (this.#cap.isExceeded || !this.#request.isNative) return { message: undefined, states: [] };
    const message = this.#state.state(calls.length > 0);
    const states = calls.map(({ state }, index) =>
      toVendorState(index === 0 ? message : {}, state.state(true)),
    );
    return { message: toVendorState(message), states };
  }

  #addHead({ model, usage }: z.output<typeof chunkSchema>): void {
    this.#model ??= model;
    this.#usage = usage ?? this.#usage;
  }

  #addChoice(json: unknown): TextDelta[] | undefined {
    const choice = choiceSchema.safeParse(json).data;
    const message = choice?.delta ?? choice?.message;
    const parts = message?.tool_calls ?? [];
    const calls = parts.length <= MAX_CALL_PARTS ? callPartsSchema.safeParse(parts).data : undefined;
    if (!choice || !calls) return undefined;
    this.hasBegun = true;
    this.#addFinish(choice);
    for (const call of calls) this.#addToCall(call, this.#callOf(call));
    if (this.#calls.length > MAX_STREAMED_PARTS) return undefined;
    return message ? this.#addTexts(message) : [];
  }

  /** Stores the finish reason. Some servers send an empty one with every chunk, which counts as none. */
  #addFinish({ finish_reason }: Choice): void {
    this.#finishReason = finish_reason || this.#finishReason;
  }

  #addTexts(message: ChatMessage): TextDelta[] {
    const { content, refusal, reasoning_content, reasoning } = message;
    const parts = partsOf(content);
    this.#state.add(message);
    const thought = this.#cap.admit((reasoning_content ?? reasoning ?? '') + parts.reasoning);
    const answer = this.#cap.admit(parts.text);
    this.hasBegun = true;
    this.#reasoning += thought;
    this.#text += answer;
    this.#refusal += this.#cap.admit(refusal ?? '');
    const deltas = [
      { type: 'reasoning', delta: thought },
      { type: 'text', delta: answer },
    ] as const;
    return deltas.filter(({ delta }) => delta !== '');
  }

  #beginCall({ index }: CallPart): OpenCall {
    const state = new GrowingChatState(this.#cap);
    const call: OpenCall = {
      index: index ?? undefined,
      id: '',
      name: '',
      arguments: '',
      state,
      isWhole: false,
    };
    this.#calls.push(call);
    this.#callsByIndex.set(index ?? this.#calls.length - 1, call);
    return call;
  }

  /**
   * Returns the call that a part continues, or a new one. The id decides before the index: some servers give parallel
   * calls the same index, or none. A part with neither continues the last call, unless that one is whole and the part
   * names a tool.
   */
  #callOf(part: CallPart): OpenCall {
    const { index, id } = part;
    const last = this.#calls.at(-1);
    const atIndex = typeof index === 'number' ? this.#callsByIndex.get(index) : last;
    const withId = id ? this.#callsById.get(id) : undefined;
    const call = withId && !begins(part, withId) ? withId : atIndex;
    return call && !begins(part, call) ? call : this.#beginCall(part);
  }

  #addToCall({ id, function: called, extra_content }: CallPart, call: OpenCall): void {
    call.state.add({ extra_content });
    call.id ||= this.#cap.admit(id ?? '');
    if (id && !this.#callsById.has(id)) this.#callsById.set(id, call);
    call.name ||= this.#cap.admit(called?.name ?? '');
    const given = called?.arguments ?? '';
    const written = typeof given === 'string' ? given : writeArguments(given);
    // Only the part that names the tool decides this, since servers may send empty parts after a whole call.
    if (called?.name && call.arguments === '') call.isWhole = isObject(parseJson(written));
    call.arguments += this.#cap.admit(written);
  }
}

/** Whether a part begins a call of its own although it has the id or the index of an earlier one. */
function begins({ index, id, function: called }: CallPart, call: OpenCall): boolean {
  if (!called?.name || call.name === '') return false;
  const sameId = !id || id === call.id || call.id === '';
  const sameIndex = typeof index !== 'number' || call.index === undefined || index === call.index;
  return !sameId || !sameIndex || (!id && call.isWhole);
}

/** Returns the text and the reasoning of a content; Mistral's reasoning is a list of texts in a part of its own. */
function partsOf(content: unknown): { readonly text: string; readonly reasoning: string } {
  if (!Array.isArray(content)) return { text: typeof content === 'string' ? content : '', reasoning: '' };
  const parts = content.filter(isObject);
  const reasoning = parts.map(({ thinking }) => partsOf(thinking).text).join('');
  const text = parts.map((part) => (typeof part['text'] === 'string' ? part['text'] : '')).join('');
  return { text, reasoning };
}

/**
 * Finish reasons in lower case: OpenAI's, and those of Gemini, Mistral, Cohere, Anthropic and Text Generation
 * Inference.
 */
const finishReasons: ReadonlyMap<string, FinishReason> = new Map([
  ...named('stop', ['stop', 'end_turn', 'stop_sequence', 'eos', 'eos_token', 'complete']),
  ...named('length', ['length', 'max_tokens', 'max_output_tokens', 'model_length', 'max_length']),
  ...named('tool', ['tool_calls', 'tool_call', 'function_call', 'tool_use']),
  ...named('refusal', [
    'content_filter',
    'refusal',
    'safety',
    'recitation',
    'blocklist',
    'prohibited_content',
    'spii',
  ]),
]);

function named(unified: FinishReason, names: readonly string[]): [string, FinishReason][] {
  return names.map((name) => [name, unified]);
}

const usageSchema = z
  .object({
    prompt_tokens: count,
    completion_tokens: count,
    cost,
    prompt_tokens_details: z
      .object({ cached_tokens: count, cache_write_tokens: count })
      .nullish()
      .catch(null),
    completion_tokens_details: z.object({ reasoning_tokens: count }).nullish().catch(null),
  })
  .nullish()
  .catch(null);

function toUsage(json: unknown): Usage {
  const usage = usageSchema.parse(json);
  return {
    input_tokens: usage?.prompt_tokens ?? null,
    output_tokens: usage?.completion_tokens ?? null,
    cached_input_tokens: usage?.prompt_tokens_details?.cached_tokens ?? null,
    cache_write_tokens: usage?.prompt_tokens_details?.cache_write_tokens ?? null,
    reasoning_tokens: usage?.completion_tokens_details?.reasoning_tokens ?? null,
    cost: usage?.cost ?? null,
  };
}
