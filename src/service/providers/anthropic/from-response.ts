import { z } from 'zod';
import type { FinishReason, Usage } from '../../../contract/step.js';
import type { Completion, NativeToolCall } from '../../step/provider.js';
import { describeUnread, splitCalls, writeArguments } from '../native-calls.js';
import type { SentDraft } from '../vendor.js';
import { type ContentBlock, isBlock, toProviderState } from './signed-blocks.js';

const count = z.int32().nonnegative().nullish().catch(null);

export const usageSchema = z
  .object({
    input_tokens: count,
    cache_read_input_tokens: count,
    cache_creation_input_tokens: count,
    output_tokens: count,
    output_tokens_details: z.object({ thinking_tokens: count }).nullish().catch(null),
  })
  .nullish()
  .catch(null);

export const endingSchema = z.object({
  stop_reason: z.string().nullish(),
  stop_details: z.object({ explanation: z.string().nullish() }).nullish().catch(null),
});

const answerSchema = endingSchema.extend({
  model: z.string().nullish(),
  // a schema would copy the list, and each block
  content: z.custom<readonly ContentBlock[]>((blocks) => Array.isArray(blocks) && blocks.every(isBlock)),
  usage: usageSchema,
});

/** A call; one that is not what its type says is passed over. */
const toolUseBlockSchema = z.object({
  type: z.literal('tool_use'),
  id: z.string(),
  name: z.string(),
  // A stream carries it as text, which may be no JSON.
  input: z.unknown(),
});

export type AnthropicMessage = z.output<typeof answerSchema>;
export type MessageUsage = AnthropicMessage['usage'];

/** The completion in a plain answer; undefined if the body is not a completion. */
export async function fromResponse(json: unknown, draft: SentDraft): Promise<Completion | undefined> {
  const { data } = answerSchema.safeParse(json);
  return data && (await toCompletion(data, draft));
}

/** The answer in unified terms, whether it came whole or in pieces. */
export async function toCompletion(answer: AnthropicMessage, draft: SentDraft): Promise<Completion> {
  const { content, stop_reason: raw, stop_details: details } = answer;
  const finishReason = unify(raw ?? null);
  const calls = splitCalls(content.filter(({ type }) => type === 'tool_use'));
  const called = calls.read.flatMap((block) => toolUseBlockSchema.safeParse(block).data ?? []);
  return {
    text: textOf(content, 'text'),
    reasoning: textOf(content, 'thinking') || null,
    toolCalls: await Promise.all(called.map((block) => toNativeCall(block, draft))),
    unreadCalls: await describeUnread(calls.unread),
    refusal: finishReason === 'refusal' ? (details?.explanation ?? '') : null,
    finishReason,
    finishReasonRaw: raw ?? null,
    usage: toUsage(answer.usage),
    model: answer.model ?? draft.model,
    isConstrained: (draft.constraint?.schema ?? null) !== null,
    ...toProviderState(content),
    warnings: draft.warnings,
  };
}

/** What the blocks of a type say, which stands in a field of that name. */
function textOf(content: readonly ContentBlock[], type: 'text' | 'thinking'): string {
  return content
    .map((block) => (block.type === type && typeof block[type] === 'string' ? block[type] : ''))
    .join('');
}

async function toNativeCall(
  { id, name, input }: z.output<typeof toolUseBlockSchema>,
  draft: SentDraft,
): Promise<NativeToolCall> {
  const written = typeof input === 'string' ? input : await writeArguments(input);
  return { id, name: draft.ownToolName(name), arguments: written };
}

const finishReasons: ReadonlyMap<string, FinishReason> = new Map(
  Object.entries({
    end_turn: 'stop',
    stop_sequence: 'stop',
    max_tokens: 'length',
    model_context_window_exceeded: 'length',
    tool_use: 'tool',
    pause_turn: 'tool',
    refusal: 'refusal',
  } as const),
);

const unify = (raw: string | null): FinishReason => finishReasons.get(raw ?? '') ?? 'other';

/** Anthropic counts what was read from or written to the cache apart from `input_tokens`. */
function toUsage(usage: MessageUsage): Usage {
  const cached = usage?.cache_read_input_tokens ?? null;
  const written = usage?.cache_creation_input_tokens ?? null;
  const input = usage?.input_tokens ?? null;
  return {
    input_tokens: input === null ? null : Math.min(input + (cached ?? 0) + (written ?? 0), 2 ** 31 - 1),
    output_tokens: usage?.output_tokens ?? null,
    cached_input_tokens: cached,
    cache_write_tokens: written,
    reasoning_tokens: usage?.output_tokens_details?.thinking_tokens ?? null,
  };
}
