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

/** Looked at by hand: a schema copies a list, and makes an error for each item that does not match. */
const list = z.custom<readonly unknown[]>(Array.isArray).nullish();

const messageSchema = z.object({
  // Some servers send a list of parts.
  content: z.union([z.string(), z.custom<readonly object[]>(isListOfObjects)]).nullish(),
  refusal: text,
  // DeepSeek, vLLM; OpenRouter and newer vLLM. OpenAI itself sends none.
  reasoning_content: text.catch(null),
  reasoning: text.catch(null),
  tool_calls: list,
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

const choiceSchema = z.object({ message: messageSchema, finish_reason: text });

const answerSchema = z.object({ model: text, choices: list, usage: usageSchema });

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
export async function fromResponse(json: unknown, draft: SentDraft): Promise<Completion | undefined> {
  const { data } = answerSchema.safeParse(json);
  const { data: choice } = choiceSchema.safeParse(data?.choices?.[0]);
  if (!data || !choice) return undefined;
  const { message } = choice;
  const { read, unread } = splitCalls(message.tool_calls ?? []);
  const toolCalls = read.length === 0 ? [] : await readCalls(read);
  if (!toolCalls) return undefined;
  return toCompletion(
    {
      model: data.model,
      text: textOf(message.content),
      reasoning: message.reasoning_content ?? message.reasoning ?? null,
      refusal: message.refusal ?? null,
      toolCalls,
      unreadCalls: unread,
      finishReason: choice.finish_reason ?? null,
      usage: data.usage,
    },
    draft,
  );
}

function isListOfObjects(content: unknown): boolean {
  return Array.isArray(content) && content.every((part) => typeof part === 'object' && part !== null);
}

function textOf(content: string | readonly object[] | null | undefined): string {
  if (typeof content === 'string') return content;
  const texts = content?.map((part) => ('text' in part && typeof part.text === 'string' ? part.text : ''));
  return texts?.join('') ?? '';
}

/** Undefined if one of them is no call. */
async function readCalls(calls: readonly unknown[]): Promise<NativeToolCall[] | undefined> {
  const { data } = callsSchema.safeParse(calls);
  return data && Promise.all(data.map(toNativeCall));
}

async function toNativeCall({
  id,
  function: called,
}: z.output<typeof callsSchema>[number]): Promise<NativeToolCall> {
  const { name, arguments: given } = called;
  return { id: id ?? '', name, arguments: typeof given === 'string' ? given : await writeArguments(given) };
}

/** The reply in unified terms. */
export async function toCompletion(reply: ChatReply, draft: SentDraft): Promise<Completion> {
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
    unreadCalls: await describeUnread(reply.unreadCalls),
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
