import { z } from 'zod';
import type { FinishReason, Usage } from '../../../contract/step.js';
import type { Completion } from '../../agent/provider.js';
import { describeUnread, splitCalls, writeArguments } from '../native-calls.js';
import type { SentDraft } from '../vendor.js';
import { isBlock, toProviderState } from './signed-blocks.js';

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
  content: z.array(z.unknown()).refine((blocks) => blocks.every(isBlock)),
  usage: usageSchema,
});

/** The blocks that say something; others are passed over. */
const textBlockSchema = z.object({ type: z.literal('text'), text: z.string() });
const thinkingBlockSchema = z.object({ type: z.literal('thinking'), thinking: z.string() });
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
export function fromResponse(json: unknown, draft: SentDraft): Completion | undefined {
  const { data } = answerSchema.safeParse(json);
  return data && toCompletion(data, draft);
}

/** The answer in unified terms, whether it came whole or in pieces. */
export function toCompletion(answer: AnthropicMessage, draft: SentDraft): Completion {
  const { content, stop_reason: raw, stop_details: details } = answer;
  const finishReason = unify(raw ?? null);
  const calls = splitCalls(ofType(content, 'tool_use'));
  const reasoning = read(ofType(content, 'thinking'), thinkingBlockSchema)
    .map(({ thinking }) => thinking)
    .join('');
  return {
    text: read(ofType(content, 'text'), textBlockSchema)
      .map(({ text }) => text)
      .join(''),
    reasoning: reasoning === '' ? null : reasoning,
    toolCalls: read(calls.read, toolUseBlockSchema).map(({ id, name, input }) => ({
      id,
      name: draft.ownToolName(name),
      arguments: typeof input === 'string' ? input : writeArguments(input),
    })),
    ...describeUnread(calls.unread),
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

/** The blocks of one type; one that is not what its type says is passed over. */
function read<Block extends z.ZodType>(content: readonly unknown[], schema: Block): z.output<Block>[] {
  return content.flatMap((block) => {
    const { data } = schema.safeParse(block);
    return data === undefined ? [] : [data];
  });
}

/** Looked at before a schema is: thousands of blocks that do not match would each cost an error. */
const ofType = (content: readonly unknown[], type: string): unknown[] =>
  content.filter((block) => isBlock(block) && block.type === type);

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
