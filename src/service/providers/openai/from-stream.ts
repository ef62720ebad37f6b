import { z } from 'zod';
import { type CompletionEvent, ProviderError } from '../../agent/provider.js';
import { parseJson } from '../upstream/read-upstream-body.js';
import type { ServerSentEvent } from '../upstream/server-sent-events.js';
import type { Draft } from '../vendor.js';
import { toCompletion, usageSchema } from './from-response.js';
import { errorCodes } from './to-error.js';

const text = z.string().nullish();

const callDeltaSchema = z.object({
  index: z.int().nonnegative().nullish(),
  id: text,
  function: z.object({ name: text, arguments: text }).nullish(),
});

const chunkSchema = z.object({
  model: text,
  choices: z.array(
    z.object({
      delta: z
        .object({
          content: text,
          refusal: text,
          reasoning_content: text.catch(null),
          reasoning: text.catch(null),
          tool_calls: z.array(callDeltaSchema).nullish(),
        })
        .nullish(),
      finish_reason: text,
    }),
  ),
  usage: usageSchema,
});

const errorSchema = z.object({ error: z.object({ code: text.catch(null), type: text.catch(null) }) });

type ChatChunk = z.output<typeof chunkSchema>;
type CallDelta = z.output<typeof callDeltaSchema>;

/**
 * Reads a Chat Completions stream to its `[DONE]`. If the connection ends before that, a finish reason is
 * enough: the reply is whole. Without either it was cut.
 */
export async function* fromStream(
  events: AsyncIterable<ServerSentEvent>,
  draft: Draft,
  provider: string,
): AsyncGenerator<CompletionEvent, undefined> {
  const reply = new GrowingReply();
  let done = false;
  for await (const { data } of events) {
    if (done) continue;
    done = data.startsWith('[DONE]');
    if (done) yield completionOf(reply, draft, provider);
    else yield* reply.add(readChunk(data, provider));
  }
  if (done) return;
  if (reply.begun && reply.finishReason === null) throw new ProviderError('unreachable', { provider });
  yield completionOf(reply, draft, provider);
}

function completionOf(reply: GrowingReply, draft: Draft, provider: string): CompletionEvent {
  if (!reply.begun) throw new ProviderError('invalid_response', { provider, upstreamStatus: 200 });
  return { type: 'completion', completion: toCompletion(reply, draft) };
}

function readChunk(data: string, provider: string): ChatChunk {
  const json = parseJson(data);
  const chunk = chunkSchema.safeParse(json);
  if (chunk.success) return chunk.data;
  const failed = errorSchema.safeParse(json);
  throw new ProviderError(failed.success ? failureOf(failed.data.error) : 'invalid_response', {
    provider,
    upstreamStatus: 200,
  });
}

/** A reply while it arrives. */
class GrowingReply {
  begun = false;
  model: string | null | undefined;
  text = '';
  reasoning = '';
  refusal = '';
  finishReason: string | null = null;
  usage: ChatChunk['usage'] = null;
  readonly toolCalls: { id: string; name: string; arguments: string }[] = [];

  *add({ choices, model, usage }: ChatChunk): Generator<CompletionEvent> {
    this.model ??= model;
    this.usage = usage ?? this.usage;
    const [choice] = choices;
    if (!choice) return;
    this.begun = true;
    this.finishReason = choice.finish_reason ?? this.finishReason;
    const { content, reasoning_content, reasoning, refusal, tool_calls } = choice.delta ?? {};
    const thinking = reasoning_content ?? reasoning;
    if (thinking) yield { type: 'reasoning', delta: thinking };
    if (content) yield { type: 'text', delta: content };
    this.reasoning += thinking ?? '';
    this.text += content ?? '';
    this.refusal += refusal ?? '';
    for (const call of tool_calls ?? []) this.#addToCall(call);
  }

  /** Servers that give no index begin a call with its id. */
  #addToCall({ index, id, function: called }: CallDelta): void {
    const position = index ?? this.toolCalls.length - (id ? 0 : 1);
    const call = this.toolCalls[position] ?? { id: '', name: '', arguments: '' };
    call.id ||= id ?? '';
    call.name ||= called?.name ?? '';
    call.arguments += called?.arguments ?? '';
    if (!this.toolCalls.includes(call)) this.toolCalls.push(call);
  }
}

const failureOf = ({ code, type }: z.output<typeof errorSchema>['error']) =>
  errorCodes.get(code ?? '') ?? errorCodes.get(type ?? '') ?? 'failed';
