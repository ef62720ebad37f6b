import { createHash } from 'node:crypto';
import { checkAnthropicRequest } from './check-request.js';
import type { RecordedRequest, ScriptedCompletion, ScriptedToolCall, ScriptedUsage } from './reply.js';
import { countUsage, modelOf, splitWords, stableId, textDeltas, type Wire } from './wire.js';

const stopReasons: Readonly<Record<string, string>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool: 'tool_use',
  refusal: 'refusal',
};

/** Anthropic's Messages API, version 2026-10-21, as the types of `@anthropic-ai/sdk` 1.12 describe it. */
export const anthropicWire: Wire = {
  requestIdHeader: 'request-id',
  check: checkAnthropicRequest,
  plain: (completion, request) => ({
    ...messageHead(completion, request),
    content: contentBlocks(completion).map(({ whole }) => whole),
    ...ending(completion),
    usage: writeUsage(countUsage(completion, request)),
  }),
  *events(completion, request) {
    const usage = countUsage(completion, request);
    yield event({ type: 'message_start', message: startMessage(completion, request, usage) });
    for (const [index, block] of contentBlocks(completion).entries()) yield* blockEvents(block, index);
    yield event({ type: 'message_delta', delta: ending(completion), usage: deltaUsage(usage) });
    yield event({ type: 'message_stop' });
  },
  error: ({ anthropic }, requestId) => ({ type: 'error', error: anthropic, request_id: requestId }),
  errorEvent: ({ anthropic }) => event({ type: 'error', error: anthropic }),
};

/** A content block: complete, for a plain answer; and as its start and its deltas, for a stream. */
interface Block {
  readonly whole: unknown;
  readonly start: unknown;
  readonly deltas: Iterable<Record<string, unknown>>;
}

const event = (data: { type: string; [field: string]: unknown }): string =>
  `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;

function* blockEvents({ start, deltas }: Block, index: number): Iterable<string> {
  yield event({ type: 'content_block_start', index, content_block: start });
  if (index === 0) yield event({ type: 'ping' });
  for (const delta of deltas) yield event({ type: 'content_block_delta', index, delta });
  yield event({ type: 'content_block_stop', index });
}

function contentBlocks(completion: ScriptedCompletion): Block[] {
  const { reasoning, text, chunks, toolCalls = [] } = completion;
  return [
    ...(reasoning === undefined ? [] : [thinkingBlock(reasoning)]),
    ...(text == null && !chunks ? [] : [textBlock(completion)]),
    ...toolCalls.map(toolUseBlock),
  ];
}

function thinkingBlock(thinking: string): Block {
  const signature = createHash('sha256').update(thinking).digest('base64');
  return {
    whole: { type: 'thinking', thinking, signature },
    start: { type: 'thinking', thinking: '', signature: '' },
    deltas: [
      ...splitWords(thinking).map((word) => ({ type: 'thinking_delta', thinking: word })),
      { type: 'signature_delta', signature },
    ],
  };
}

function textBlock(completion: ScriptedCompletion): Block {
  return {
    whole: { type: 'text', text: completion.text ?? '', citations: null },
    start: { type: 'text', text: '', citations: null },
    deltas: textBlockDeltas(completion),
  };
}

function* textBlockDeltas(completion: ScriptedCompletion): Iterable<Record<string, unknown>> {
  for (const text of textDeltas(completion)) yield { type: 'text_delta', text };
}

function toolUseBlock(call: ScriptedToolCall, index: number): Block {
  const { name } = call;
  const head = { type: 'tool_use', id: call.id ?? stableId('toolu_', JSON.stringify([index, call])), name };
  const written = typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments);
  return {
    whole: { ...head, caller: { type: 'direct' }, input: call.arguments },
    start: { ...head, caller: { type: 'direct' }, input: {} },
    deltas: splitWords(written).map((part) => ({ type: 'input_json_delta', partial_json: part })),
  };
}

const messageHead = (completion: ScriptedCompletion, request: RecordedRequest) => ({
  id: stableId('msg_', request.rawBody),
  type: 'message',
  role: 'assistant',
  model: modelOf(completion, request),
  container: null,
  diagnostics: null,
});

const startMessage = (completion: ScriptedCompletion, request: RecordedRequest, usage: ScriptedUsage) => ({
  ...messageHead(completion, request),
  content: [],
  stop_reason: null,
  stop_sequence: null,
  stop_details: null,
  usage: { ...writeUsage(usage), output_tokens: 1 },
});

function ending({ finishReason, toolCalls, refusal }: ScriptedCompletion) {
  const reason = finishReason ?? (refusal === undefined ? (toolCalls ? 'tool' : 'stop') : 'refusal');
  const stop_details =
    refusal === undefined ? null : { type: 'refusal', category: null, explanation: refusal };
  return { stop_reason: stopReasons[reason] ?? reason, stop_sequence: null, stop_details };
}

/** Writes the usage. Anthropic's `input_tokens` excludes tokens that were read from or written to the cache. */
function deltaUsage({ input, output, cachedInput, cacheWrite, reasoning, cost }: ScriptedUsage) {
  return {
    input_tokens: input - cachedInput - cacheWrite,
    cache_creation_input_tokens: cacheWrite,
    cache_read_input_tokens: cachedInput,
    output_tokens: output,
    output_tokens_details: { thinking_tokens: reasoning },
    server_tool_use: null,
    ...(cost !== undefined && { cost }),
  };
}

const writeUsage = (usage: ScriptedUsage) => ({
  ...deltaUsage(usage),
  cache_creation: { ephemeral_5m_input_tokens: usage.cacheWrite, ephemeral_1h_input_tokens: 0 },
  inference_geo: null,
  service_tier: 'standard',
  speed: 'standard',
});
