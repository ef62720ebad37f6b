import { checkOpenAiRequest } from './check-request.js';
import type { RecordedRequest, ScriptedCompletion, ScriptedToolCall, ScriptedUsage } from './reply.js';
import { countUsage, modelOf, splitWords, stableId, textDeltas, type Wire } from './wire.js';

const finishReasons: Readonly<Record<string, string>> = {
  stop: 'stop',
  length: 'length',
  tool: 'tool_calls',
  refusal: 'content_filter',
};

/** OpenAI's Chat Completions (https://platform.openai.com/docs/api-reference/chat). */
export const openaiWire: Wire = {
  requestIdHeader: 'x-request-id',
  check: checkOpenAiRequest,
  plain: (completion, request) => ({
    ...envelope('chat.completion', completion, request),
    choices: [
      { index: 0, message: message(completion), logprobs: null, finish_reason: finishReason(completion) },
    ],
    usage: writeUsage(countUsage(completion, request)),
  }),
  *events(completion, request) {
    const head = envelope('chat.completion.chunk', completion, request);
    const withUsage = wantsUsage(request);
    const chunk = (choices: unknown[], usage: unknown = null): string =>
      event({ ...head, choices, ...(withUsage && { usage }) });
    for (const delta of deltas(completion)) yield chunk([choice(delta, null)]);
    yield chunk([choice({}, finishReason(completion))]);
    if (withUsage) yield chunk([], writeUsage(countUsage(completion, request)));
    yield 'data: [DONE]\n\n';
  },
  error: ({ openai }) => ({ error: { param: null, code: null, ...openai } }),
  errorEvent: (error, requestId) => event(openaiWire.error(error, requestId)),
};

const event = (data: unknown): string => `data: ${JSON.stringify(data)}\n\n`;

function envelope(object: string, completion: ScriptedCompletion, request: RecordedRequest) {
  return {
    id: stableId('chatcmpl-', request.rawBody),
    object,
    created: Math.floor(request.at / 1000),
    model: modelOf(completion, request),
    service_tier: 'default',
  };
}

function message(completion: ScriptedCompletion) {
  const { text, reasoning, reasoningDetails, thoughtSignature, refusal, toolCalls } = completion;
  return {
    role: 'assistant',
    content: text ?? null,
    refusal: refusal ?? null,
    ...(reasoning !== undefined && { reasoning_content: reasoning }),
    ...(reasoningDetails && { reasoning_details: reasoningDetails }),
    ...googleContent(thoughtSignature),
    ...(toolCalls && { tool_calls: toolCalls.map(writeToolCall) }),
  };
}

function* deltas(completion: ScriptedCompletion): Iterable<Record<string, unknown>> {
  yield { role: 'assistant', content: completion.text === null ? null : '', refusal: null };
  for (const word of splitWords(completion.reasoning ?? '')) yield { reasoning_content: word };
  for (const detail of completion.reasoningDetails ?? []) yield* detailDeltas(detail);
  for (const word of textDeltas(completion)) yield { content: word };
  const signature = googleContent(completion.thoughtSignature);
  if (signature) yield { content: '', ...signature };
  for (const word of splitWords(completion.refusal ?? '')) yield { refusal: word };
  for (const [index, call] of (completion.toolCalls ?? []).entries()) yield* toolCallDeltas(call, index);
}

const googleContent = (signature: string | undefined) =>
  signature === undefined ? undefined : { extra_content: { google: { thought_signature: signature } } };

/**
 * Yields the text of a reasoning detail word by word, and its other fields together with the last word, as
 * OpenRouter sends them.
 */
function* detailDeltas(detail: Readonly<Record<string, unknown>>): Iterable<Record<string, unknown>> {
  const { type, index, text, ...rest } = detail;
  if (typeof text !== 'string') return yield { reasoning_details: [detail] };
  for (const word of splitWords(text)) yield { reasoning_details: [{ type, index, text: word }] };
  yield { reasoning_details: [{ type, index, ...rest }] };
}

function* toolCallDeltas(call: ScriptedToolCall, index: number): Iterable<Record<string, unknown>> {
  const { function: written, ...rest } = writeToolCall(call, index);
  yield { tool_calls: [{ index, ...rest, function: { name: written.name, arguments: '' } }] };
  for (const part of splitWords(written.arguments)) {
    yield { tool_calls: [{ index, function: { arguments: part } }] };
  }
}

function writeToolCall(call: ScriptedToolCall, index: number) {
  const written = typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments);
  const id = call.id ?? stableId('call_', JSON.stringify([index, call]));
  const called = { name: call.name, arguments: written };
  return { id, type: 'function', ...googleContent(call.thoughtSignature), function: called };
}

function finishReason({ finishReason: asked, toolCalls }: ScriptedCompletion): string {
  const reason = asked ?? (toolCalls ? 'tool' : 'stop');
  return finishReasons[reason] ?? reason;
}

const choice = (delta: unknown, finish_reason: string | null) => ({
  index: 0,
  delta,
  logprobs: null,
  finish_reason,
});

function wantsUsage({ body }: RecordedRequest): boolean {
  const options = body['stream_options'];
  return typeof options === 'object' && options !== null && Object.entries(options).some(isIncludeUsage);
}

const isIncludeUsage = ([name, value]: [string, unknown]): boolean =>
  name === 'include_usage' && value === true;

function writeUsage({ input, output, cachedInput, cacheWrite, reasoning, cost }: ScriptedUsage) {
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    ...(cost !== undefined && { cost }),
    prompt_tokens_details: { cached_tokens: cachedInput, cache_write_tokens: cacheWrite, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: reasoning, audio_tokens: 0 },
  };
}
