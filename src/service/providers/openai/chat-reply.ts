import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { isObject } from '../../../contract/fields.js';
import type { FinishReason, Usage } from '../../../contract/step.js';
import type { Completion } from '../../step/provider.js';
import type { ReplyCap } from '../upstream/reply-cap.js';
import { parseJson, type SentRequest, type TextDelta, type VendorReply } from '../vendor.js';
import { charsOfUnread, MAX_STREAMED_PARTS, splitCalls, writeArguments } from '../vendor-limits.js';

const END_MARK = '[DONE]';

/** Maximum number of tool-call fragments in one chunk of a stream. Models send a few at most. */
const MAX_CALL_PARTS = 4_096;

const text = z.string().nullish();

/** A plain response or a chunk of a stream. Unknown fields of compatible servers are ignored. */
const chunkSchema = z.object({
  model: text,
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
  tool_calls: z.array(z.unknown()).nullish(),
});

const answerChoiceSchema = z.object({ message: messageSchema, finish_reason: text });
const chunkChoiceSchema = z.object({ delta: messageSchema.nullish(), finish_reason: text });

const callsSchema = z.array(
  z.object({
    id: text,
    function: z.object({ name: z.string(), arguments: z.union([z.string(), z.looseObject({})]).nullish() }),
  }),
);

const callPartSchema = z.object({
  index: z.int().nonnegative().nullish(),
  id: text,
  function: z.object({ name: text, arguments: text }).nullish(),
});

type ChatMessage = z.output<typeof messageSchema>;
const callPartsSchema = z.array(callPartSchema);

type CallPart = z.output<typeof callPartSchema>;

/** A reply of the Chat Completions API. */
export class ChatReply implements VendorReply {
  hasBegun = false;
  hasEnded = false;
  readonly #request: SentRequest;
  readonly #cap: ReplyCap;
  readonly #calls = new Map<number, { id: string; name: string; arguments: string }>();
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
  }

  get isFinished(): boolean {
    return this.#finishReason !== null;
  }

  addAnswer(json: unknown): boolean {
    const answer = chunkSchema.safeParse(json).data;
    const choice = answerChoiceSchema.safeParse(answer?.choices?.[0]).data;
    if (!answer || !choice) return false;
    const { read, unread } = splitCalls(choice.message.tool_calls ?? []);
    const calls = callsSchema.safeParse(read).data;
    if (!calls) return false;
    this.#addHead(answer);
    this.#addTexts(choice.message);
    this.#finishReason = choice.finish_reason ?? null;
    this.#unreadCalls = unread;
    for (const [index, { id, function: called }] of calls.entries()) {
      const written =
        typeof called.arguments === 'string' ? called.arguments : writeArguments(called.arguments);
      this.#addToCall({ index, id, function: { name: called.name, arguments: written } });
    }
    return true;
  }

  addEvent(data: string): readonly TextDelta[] | undefined {
    if (data.startsWith(END_MARK)) {
      this.hasEnded = true;
      return [];
    }
    const chunk = chunkSchema.safeParse(parseJson(data)).data;
    if (!chunk?.choices) return undefined;
    this.#addHead(chunk);
    return chunk.choices.length === 0 ? [] : this.#addChoice(chunk.choices[0]);
  }

  completion(): Completion {
    const { read, unread } = splitCalls([...this.#calls.values()]);
    const unified = finishReasons.get(this.#finishReason ?? '') ?? 'other';
    return {
      text: this.#text,
      reasoning: this.#reasoning === '' ? null : this.#reasoning,
      toolCalls: read.map(({ id, name, arguments: written }) => ({
        id: id === '' ? `call_${randomUUID()}` : id,
        name: this.#request.ownToolName(name),
        arguments: written === '' ? '{}' : written,
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

  #addHead({ model, usage }: z.output<typeof chunkSchema>): void {
    this.#model ??= model;
    this.#usage = usage ?? this.#usage;
  }

  #addChoice(json: unknown): TextDelta[] | undefined {
    const choice = chunkChoiceSchema.safeParse(json).data;
    const parts = choice?.delta?.tool_calls ?? [];
    const calls = parts.length <= MAX_CALL_PARTS ? callPartsSchema.safeParse(parts).data : undefined;
    if (!choice || !calls) return undefined;
    this.hasBegun = true;
    this.#finishReason = choice.finish_reason ?? this.#finishReason;
    for (const call of calls) this.#addToCall(call);
    if (this.#calls.size > MAX_STREAMED_PARTS) return undefined;
    return choice.delta ? this.#addTexts(choice.delta) : [];
  }

  #addTexts({ content, refusal, reasoning_content, reasoning }: ChatMessage): TextDelta[] {
    const thought = this.#cap.admit(reasoning_content ?? reasoning ?? '');
    const answer = this.#cap.admit(textOf(content));
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

  /** Adds a fragment to its call. Servers without indexes begin each call with its id. */
  #addToCall({ index, id, function: called }: CallPart): void {
    const position = index ?? this.#calls.size - (id ? 0 : 1);
    const call = this.#calls.get(position) ?? { id: '', name: '', arguments: '' };
    call.id ||= this.#cap.admit(id ?? '');
    call.name ||= this.#cap.admit(called?.name ?? '');
    call.arguments += this.#cap.admit(called?.arguments ?? '');
    this.#calls.set(position, call);
  }
}

function textOf(content: ChatMessage['content']): string {
  if (!Array.isArray(content)) return content ?? '';
  return content
    .map((part) => (isObject(part) && typeof part['text'] === 'string' ? part['text'] : ''))
    .join('');
}

const finishReasons: ReadonlyMap<string, FinishReason> = new Map(
  Object.entries({
    stop: 'stop',
    length: 'length',
    tool_calls: 'tool',
    function_call: 'tool',
    content_filter: 'refusal',
  } as const),
);

const count = z.int32().nonnegative().nullish().catch(null);

const usageSchema = z
  .object({
    prompt_tokens: count,
    completion_tokens: count,
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
  };
}
