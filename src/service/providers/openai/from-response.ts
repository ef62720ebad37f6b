import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { FinishReason, Usage } from '../../../contract/step.js';
import type { Completion, NativeToolCall } from '../../agent/provider.js';
import { describeUnread, splitCalls, writeArguments } from '../native-calls.js';
import type { SentDraft } from '../vendor.js';

/** Lax: only what we use, and whatever compatible servers make of it. */
const count = z.int32().nonnegative().nullish().catch(null);
const text = z.string().nullish();

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

const messageSchema = z.object({
  // Some servers send a list of parts.
  content: z
    .union([
      z.string(),
      z
        .array(z.object({ text: z.string().catch('') }))
        .transform((parts) => parts.map((part) => part.text).join('')),
    ])
    .nullish(),
  refusal: text,
  // DeepSeek, vLLM; OpenRouter and newer vLLM. OpenAI itself sends none.
  reasoning_content: text.catch(null),
  reasoning: text.catch(null),
  tool_calls: z.array(z.unknown()).nullish(),
});

const callsSchema = z.array(
  z.object({
    id: text,
    function: z.object({
      name: z.string(),
      arguments: z.union([z.string(), z.looseObject({})]).nullish(),
    }),
  }),
);

const answerSchema = z.object({
  model: text,
  choices: z.array(z.object({ message: messageSchema, finish_reason: text })).min(1),
  usage: usageSchema,
});

/** What a reply consists of, whether it came whole or in pieces. */
export interface ChatReply {
  readonly model: string | null | undefined;
  readonly text: string;
  readonly reasoning: string | null;
  readonly refusal: string | null;
  readonly toolCalls: readonly NativeToolCall[];
  readonly unreadCalls: readonly unknown[];
  readonly finishReason: string | null;
  readonly usage: ChatUsage;
}

type ChatUsage = z.output<typeof usageSchema>;

export { usageSchema };

/** The completion in a plain answer; undefined if the body is not a completion. */
export function fromResponse(json: unknown, draft: SentDraft): Completion | undefined {
  const { data } = answerSchema.safeParse(json);
  const choice = data?.choices[0];
  if (!data || !choice) return undefined;
  const { message } = choice;
  const { read, unread } = splitCalls(message.tool_calls ?? []);
  const calls = callsSchema.safeParse(read);
  if (!calls.success) return undefined;
  return toCompletion(
    {
      model: data.model,
      text: message.content ?? '',
      reasoning: message.reasoning_content ?? message.reasoning ?? null,
      refusal: message.refusal ?? null,
      toolCalls: calls.data.map(({ id, function: called }) => ({
        id: id ?? '',
        name: called.name,
        arguments: typeof called.arguments === 'string' ? called.arguments : writeArguments(called.arguments),
      })),
      unreadCalls: unread,
      finishReason: choice.finish_reason ?? null,
      usage: data.usage,
    },
    draft,
  );
}

/** The reply in unified terms. */
export function toCompletion(reply: ChatReply, draft: SentDraft): Completion {
  const { text, reasoning, refusal, finishReason, toolCalls } = reply;
  const unified = unify(finishReason);
  return {
    text,
    reasoning: reasoning === '' ? null : reasoning,
    toolCalls: toolCalls.map(({ id, name, arguments: written }) => ({
      id: id === '' ? `call_${randomUUID()}` : id,
      name: draft.ownToolName(name),
      arguments: written === '' ? '{}' : written,
    })),
    ...describeUnread(reply.unreadCalls),
    refusal: refusal || (unified === 'refusal' ? '' : null),
    finishReason: refusal ? 'refusal' : unified,
    finishReasonRaw: finishReason,
    usage: toUsage(reply.usage),
    model: reply.model ?? draft.model,
    isConstrained: (draft.constraint?.schema ?? null) !== null,
    warnings: draft.warnings,
  };
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

const unify = (raw: string | null): FinishReason => finishReasons.get(raw ?? '') ?? 'other';

const toUsage = (usage: ChatUsage): Usage => ({
  input_tokens: usage?.prompt_tokens ?? null,
  output_tokens: usage?.completion_tokens ?? null,
  cached_input_tokens: usage?.prompt_tokens_details?.cached_tokens ?? null,
  cache_write_tokens: usage?.prompt_tokens_details?.cache_write_tokens ?? null,
  reasoning_tokens: usage?.completion_tokens_details?.reasoning_tokens ?? null,
});
