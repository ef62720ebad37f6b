import { isObject } from '../../../../contract/fields.js';
import type { Usage } from '../../../../contract/step.js';
import { type ContentTexts, textIn, textsIn } from '../../content-texts.js';
import { holdsError } from '../../error-body.js';
import { finishReasonIn, unifyReason } from '../../finish-reasons.js';
import type { ReplyCap } from '../../upstream/reply-cap.js';
import { cost, count, laterUsage } from '../../usage-counts.js';
import type { TextDelta, VendorCompletion, VendorReply } from '../../vendor.js';
import { type Fields, fieldsOf, isEndMark, objectsIn, parseJson } from '../../vendor-json.js';
import { charsOfUnread, MAX_STREAMED_PARTS, splitCalls } from '../../vendor-limits.js';
import { ChatCalls, callFieldsIn, type OpenCall, toCallPart } from './chat-calls.js';
import { GrowingChatState, type StateFields, toVendorState } from './chat-state.js';

/** Maximum number of tool-call fragments in one chunk of a stream. Models send a few at most. */
const MAX_CALL_PARTS = 4_096;

/** A message, or the part of a message that a chunk adds. Unknown fields of compatible servers are ignored. */
interface ChatMessage {
  readonly texts: ContentTexts;
  /**
   * Reasoning text. DeepSeek and vLLM send it as `reasoning_content`, OpenRouter and newer vLLM as `reasoning`;
   * OpenAI does not send it.
   */
  readonly reasoning: string;
  readonly calls: readonly Fields[];
  /** State that the provider needs back, in the fields of DeepSeek, OpenRouter and Gemini. */
  readonly state: StateFields;
}

/** A plain response or a chunk of a stream, with its choices combined. */
interface Chunk {
  readonly model: string | null;
  readonly usage: Fields | undefined;
  readonly hasChoice: boolean;
  readonly finishReason: string | null;
  readonly delta: ChatMessage | undefined;
  readonly message: ChatMessage | undefined;
}

/** A reply of the Chat Completions API. */
export class ChatReply implements VendorReply {
  hasBegun = false;
  hasEnded = false;
  readonly #cap: ReplyCap;
  readonly #isNative: boolean;
  readonly #calls: ChatCalls;
  readonly #state: GrowingChatState;
  #unreadCalls: readonly unknown[] = [];
  #model: string | null | undefined;
  #text = '';
  #reasoning = '';
  #refusal = '';
  #finishReason: string | null = null;
  #usage = toUsage(undefined);
  /** True once a `delta` has contained a part of the reply. A `message` after that repeats the whole reply. */
  #hasDeltas = false;

  constructor(cap: ReplyCap, { isNative }: { readonly isNative: boolean }) {
    this.#cap = cap;
    this.#isNative = isNative;
    this.#calls = new ChatCalls(cap);
    this.#state = new GrowingChatState(cap);
  }

  get isFinished(): boolean {
    return this.#finishReason !== null;
  }

  addAnswer(json: unknown): boolean {
    const answer = holdsError(json) ? undefined : readChunk(json);
    if (!answer) return false;
    // Gemini omits the message of a reply that ended before its first word. Some other servers put the message of
    // a plain response under `delta`.
    const empty = answer.finishReason === null ? undefined : readMessage({});
    const message = answer.message ?? answer.delta ?? empty;
    if (!message) return false;
    const { read, unread } = splitCalls(message.calls);
    const calls = read.map(toCallPart);
    this.#addHead(answer);
    this.#addTexts(message);
    this.#unreadCalls = unread;
    for (const call of calls) this.#calls.addWhole(call);
    return true;
  }

  addEvent(data: string): readonly TextDelta[] | undefined {
    if (isEndMark(data)) {
      this.hasEnded = true;
      return [];
    }
    const json = parseJson(data);
    const chunk = holdsError(json) ? undefined : readChunk(json);
    if (!chunk) return undefined;
    this.#addHead(chunk);
    this.hasBegun ||= chunk.hasChoice;
    const message = this.#messageOf(chunk);
    if (!message) return [];
    if (message.calls.length > MAX_CALL_PARTS) return undefined;
    for (const call of message.calls) this.#calls.addPart(toCallPart(call));
    if (this.#calls.all.length > MAX_STREAMED_PARTS) return undefined;
    return this.#addTexts(message);
  }

  completion(): VendorCompletion {
    const { read, unread } = splitCalls(this.#calls.all);
    const { message, states } = this.#states(read);
    return {
      text: this.#text,
      reasoning: this.#reasoning,
      refusal: this.#refusal,
      toolCalls: read.map(({ id, name, arguments: written }, index) => ({
        id,
        name: name.trim(),
        arguments: written,
        state: states[index],
      })),
      unreadCallChars: charsOfUnread([...unread, ...this.#unreadCalls]),
      finishReason: unifyReason(this.#finishReason),
      finishReasonRaw: this.#finishReason,
      usage: this.#usage,
      model: this.#model,
      state: message,
    };
  }

  /**
   * Returns the states of the message and of each call. Returns none without native calling, because servers need
   * them only beside native calls and some refuse them elsewhere.
   */
  #states(calls: readonly OpenCall[]) {
    if (!this.#isNative) return { message: undefined, states: [] };
    const message = this.#state.state(calls.length > 0);
    const states = calls.map(({ state }, index) =>
      toVendorState(index === 0 ? message : {}, state.state(true)),
    );
    return { message: toVendorState(message), states };
  }

  #addHead({ model, usage, finishReason }: Chunk): void {
    this.#model ??= model;
    if (usage) this.#usage = laterUsage(this.#usage, toUsage(usage));
    // Some servers first send the reason why the reply was cut, and then `stop` at the end of the stream.
    if (!isCut(this.#finishReason)) this.#finishReason = finishReason ?? this.#finishReason;
  }

  /**
   * Returns the message of a chunk. Some servers stream it under `message`, others send the whole reply as the
   * `message` of their last chunk.
   */
  #messageOf({ delta, message }: Chunk): ChatMessage | undefined {
    if (delta && !isEmpty(delta)) {
      this.#hasDeltas = true;
      return delta;
    }
    return message && this.#hasDeltas ? this.#missingOf(message) : (message ?? delta);
  }

  /** Returns the parts of the whole reply of which no delta has arrived. */
  #missingOf({ texts, reasoning, calls }: ChatMessage): ChatMessage {
    const hasReasoning = this.#reasoning !== '';
    return {
      texts: {
        text: this.#text === '' ? texts.text : '',
        reasoning: hasReasoning ? '' : texts.reasoning,
        refusal: this.#refusal === '' ? texts.refusal : '',
      },
      reasoning: hasReasoning ? '' : reasoning,
      calls: this.#calls.all.length === 0 ? calls : [],
      state: {},
    };
  }

  #addTexts({ texts, reasoning, state }: ChatMessage): TextDelta[] {
    this.#state.add(state);
    const thought = this.#cap.admit(reasoning + texts.reasoning);
    const answer = this.#cap.admit(texts.text);
    this.#reasoning += thought;
    this.#text += answer;
    this.#refusal += this.#cap.admit(texts.refusal);
    const deltas = [
      { type: 'reasoning', delta: thought },
      { type: 'text', delta: answer },
    ] as const;
    return deltas.filter(({ delta }) => delta !== '');
  }
}

/**
 * Reads a plain response or a chunk. In a chunk that contains only the usage, `choices` is an empty list, null or
 * absent.
 */
function readChunk(json: unknown): Chunk | undefined {
  if (!isObject(json)) return undefined;
  const { model, usage, x_groq } = json;
  const choices = objectsIn(json['choices']);
  return {
    model: typeof model === 'string' ? model : null,
    // Kimi sends the usage in the choice, Groq in the field `x_groq`.
    usage: [usage, choices[0]?.['usage'], fieldsOf(x_groq)['usage']].find(isObject),
    hasChoice: choices.some((choice) => Object.keys(choice).length > 0),
    finishReason: finishReasonOf(json, choices),
    delta: combined(choices.map((choice) => readMessage(choice['delta']))),
    message: combined(choices.map((choice) => readMessage(choice['message'] ?? choice['text']))),
  };
}

/** Returns the finish reason of a choice. Some gateways put it into the delta, or beside the choices. */
function finishReasonOf(json: Fields, choices: readonly Fields[]): string | null {
  const places = [...choices, ...choices.map((choice) => choice['delta']), json].filter(isObject);
  const reasons = places.map((place) => finishReasonIn(place['finish_reason']));
  return reasons.find((reason) => reason !== null) ?? null;
}

/**
 * Combines the messages of several choices. The service asks for one choice, but GitHub Copilot puts the text and the
 * calls of one reply into choices of their own. A choice with a further text is an alternative, and none of it is read.
 */
function combined(given: readonly (ChatMessage | undefined)[]): ChatMessage | undefined {
  const messages = given.filter((message) => message !== undefined);
  const withText = messages.find(hasText);
  const parts = messages.filter((message) => message === withText || !hasText(message));
  const [first, ...others] = parts;
  if (!first || others.length === 0) return first;
  const firstOf = (textOf: (message: ChatMessage) => string) => parts.map(textOf).find(Boolean) ?? '';
  return {
    ...first,
    texts: {
      text: withText?.texts.text ?? '',
      reasoning: firstOf(({ texts }) => texts.reasoning),
      refusal: firstOf(({ texts }) => texts.refusal),
    },
    reasoning: firstOf(({ reasoning }) => reasoning),
    calls: parts.flatMap(({ calls }) => calls),
  };
}

const hasText = ({ texts }: ChatMessage): boolean => texts.text !== '';

function readMessage(json: unknown): ChatMessage | undefined {
  if (typeof json === 'string') return readMessage({ content: json });
  if (!isObject(json)) return undefined;
  const { content, refusal, reasoning_content, reasoning, thinking, reasoning_details } = json;
  const texts = textsIn(content);
  return {
    texts: typeof refusal === 'string' ? { ...texts, refusal: texts.refusal + refusal } : texts,
    reasoning: [reasoning_content, reasoning, thinking, reasoning_details].map(textIn).find(Boolean) ?? '',
    calls: callFieldsIn(json),
    state: json,
  };
}

const isCut = (reason: string | null): boolean => ['length', 'refusal'].includes(unifyReason(reason));

const isEmpty = ({ texts, reasoning, calls }: ChatMessage): boolean =>
  texts.text === '' &&
  texts.reasoning === '' &&
  texts.refusal === '' &&
  reasoning === '' &&
  calls.length === 0;

/**
 * Reads the usage. DeepSeek, Kimi, Mistral and LiteLLM have fields of their own for tokens that were read from the cache or
 * written to it, and SGLang for reasoning.
 */
function toUsage(json: unknown): Usage {
  const usage = fieldsOf(json);
  const prompt = fieldsOf(usage['prompt_tokens_details']);
  const completion = fieldsOf(usage['completion_tokens_details']);
  const cached = [
    prompt['cached_tokens'],
    usage['prompt_cache_hit_tokens'],
    usage['cached_tokens'],
    usage['num_cached_tokens'],
    usage['cache_read_input_tokens'],
  ];
  return {
    input_tokens: count(usage['prompt_tokens']),
    output_tokens: count(usage['completion_tokens']),
    cached_input_tokens: firstCount(cached),
    cache_write_tokens: firstCount([prompt['cache_write_tokens'], usage['cache_creation_input_tokens']]),
    reasoning_tokens: firstCount([completion['reasoning_tokens'], usage['reasoning_tokens']]),
    cost: cost(usage['cost']),
  };
}

const firstCount = (values: readonly unknown[]): number | null =>
  values.map(count).find((each) => each !== null) ?? null;
