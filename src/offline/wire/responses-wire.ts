import { createHash } from 'node:crypto';
import { checkResponsesRequest } from './check-request.js';
import type { RecordedRequest, ScriptedCompletion, ScriptedToolCall, ScriptedUsage } from './reply.js';
import { countUsage, modelOf, splitWords, stableId, textDeltas, type Wire } from './wire.js';

/** OpenAI's Responses API (https://platform.openai.com/docs/api-reference/responses), without stored responses. */
export const responsesWire: Wire = {
  requestIdHeader: 'x-request-id',
  endsWithReason: true,
  check: checkResponsesRequest,
  plain: (completion, request) => response(completion, request, itemsOf(completion, request)),
  *events(completion, request) {
    let sequence = 0;
    const event = (type: string, data: object): string => {
      const json = JSON.stringify({ type, sequence_number: sequence++, ...data });
      return `event: ${type}\ndata: ${json}\n\n`;
    };
    const started = { ...response(completion, request, []), status: 'in_progress', usage: null };
    yield event('response.created', { response: started });
    const items = itemsOf(completion, request);
    for (const [output_index, item] of items.entries()) {
      yield event('response.output_item.added', { output_index, item: item.begun });
      for (const [type, delta] of item.deltas)
        yield event(type, { output_index, item_id: item.whole['id'], content_index: 0, delta });
      yield event('response.output_item.done', { output_index, item: item.whole });
    }
    const whole = response(completion, request, items);
    const type = whole.status === 'completed' ? 'response.completed' : 'response.incomplete';
    yield event(type, { response: whole });
  },
  error: ({ openai }) => ({ error: { param: null, code: null, ...openai } }),
  errorEvent: ({ openai }) => {
    const json = {
      type: 'error',
      sequence_number: 99,
      code: openai.code ?? null,
      param: null,
      message: openai.message,
    };
    return `event: error\ndata: ${JSON.stringify(json)}\n\n`;
  },
};

/** An item of the output: complete, and for a stream as its start and its deltas. */
interface Item {
  readonly whole: Readonly<Record<string, unknown>>;
  readonly begun: Readonly<Record<string, unknown>>;
  readonly deltas: Iterable<readonly [type: string, delta: string]>;
}

function response(completion: ScriptedCompletion, request: RecordedRequest, items: readonly Item[]) {
  const reason = incompleteReason(completion);
  return {
    id: stableId('resp_', request.rawBody),
    object: 'response',
    created_at: Math.floor(request.at / 1000),
    model: modelOf(completion, request),
    status: reason === null ? 'completed' : 'incomplete',
    incomplete_details: reason === null ? null : { reason },
    error: null,
    instructions: null,
    output: items.map(({ whole }) => whole),
    parallel_tool_calls: true,
    store: false,
    usage: writeUsage(countUsage(completion, request)),
  };
}

const reasons: Readonly<Record<string, string>> = { length: 'max_output_tokens', refusal: 'content_filter' };

/**
 * Returns why a response is incomplete, or null if it is complete. A reason that the script names is sent
 * unchanged.
 */
function incompleteReason({ finishReason = 'stop' }: ScriptedCompletion): string | null {
  return finishReason === 'stop' || finishReason === 'tool' ? null : (reasons[finishReason] ?? finishReason);
}

function itemsOf(completion: ScriptedCompletion, request: RecordedRequest): Item[] {
  const { reasoning, text, chunks, refusal, toolCalls = [] } = completion;
  return [
    ...(reasoning === undefined ? [] : [reasoningItem(reasoning, request)]),
    ...(text == null && !chunks && refusal === undefined ? [] : [messageItem(completion)]),
    ...toolCalls.map(callItem),
  ];
}

/** Returns a reasoning item. It contains encrypted content only if the request asks for that. */
function reasoningItem(text: string, { body }: RecordedRequest): Item {
  const { include } = body;
  const isEncrypted = Array.isArray(include) && include.includes('reasoning.encrypted_content');
  const id = stableId('rs_', text);
  const encrypted_content = isEncrypted ? createHash('sha256').update(text).digest('base64') : null;
  return {
    whole: { id, type: 'reasoning', summary: [{ type: 'summary_text', text }], encrypted_content },
    begun: { id, type: 'reasoning', summary: [], encrypted_content: null },
    deltas: splitWords(text).map((word) => ['response.reasoning_summary_text.delta', word] as const),
  };
}

function messageItem(completion: ScriptedCompletion): Item {
  const { text, refusal } = completion;
  const id = stableId('msg_', JSON.stringify([text, refusal]));
  const head = { id, type: 'message', role: 'assistant' };
  const content = [
    ...(text == null ? [] : [{ type: 'output_text', text, annotations: [] }]),
    ...(refusal === undefined ? [] : [{ type: 'refusal', refusal }]),
  ];
  return {
    whole: { ...head, status: 'completed', content },
    begun: { ...head, status: 'in_progress', content: [] },
    deltas: messageDeltas(completion),
  };
}

function* messageDeltas(completion: ScriptedCompletion): Iterable<readonly [string, string]> {
  for (const text of textDeltas(completion)) yield ['response.output_text.delta', text];
  for (const word of splitWords(completion.refusal ?? '')) yield ['response.refusal.delta', word];
}

function callItem(call: ScriptedToolCall, index: number): Item {
  const written = typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments);
  const call_id = call.id ?? stableId('call_', JSON.stringify([index, call]));
  const head = {
    id: stableId('fc_', JSON.stringify([index, call])),
    type: 'function_call',
    call_id,
    name: call.name,
  };
  return {
    whole: { ...head, status: 'completed', arguments: written },
    begun: { ...head, status: 'in_progress', arguments: '' },
    deltas: splitWords(written).map((part) => ['response.function_call_arguments.delta', part] as const),
  };
}

const writeUsage = ({ input, output, cachedInput, cacheWrite, reasoning, cost }: ScriptedUsage) => ({
  input_tokens: input,
  input_tokens_details: { cached_tokens: cachedInput, cache_write_tokens: cacheWrite },
  output_tokens: output,
  output_tokens_details: { reasoning_tokens: reasoning },
  total_tokens: input + output,
  ...(cost !== undefined && { cost }),
});
