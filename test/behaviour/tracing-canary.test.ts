import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type FakeProvider, startFakeProvider } from '../../src/offline/fake-provider.js';
import { faultNames } from '../../src/offline/faults/faults.js';
import type { ScriptedReply } from '../../src/offline/wire/reply.js';
import { createToken } from '../../src/service/operations/access/token.js';
import { startService } from '../../src/service/start.js';
import { patience } from '../support/patience.js';
import { type SpanReceiver, startSpanReceiver } from '../support/span-receiver.js';
import { llmConfig, uuid, vendors } from '../support/whole-service.js';
import { withEnvironment } from '../support/with-environment.js';

/** A string that the test puts wherever a caller, a model or an operator can write something. */
const CANARY = 'Zanzibar7';
const key = `sk-${CANARY}-0123456789`;
/** A service token, which the test also sends as the model name, as if by mistake. */
const token = createToken();
const shapes = [
  token.slice(-64),
  CANARY,
  CANARY.toLowerCase(),
  ...[0, 1, 2].map((offset) =>
    Buffer.from('x'.repeat(offset) + CANARY)
      .toString('base64')
      .slice(4, -4),
  ),
];

const words = `${CANARY} says what nobody else may read. `;
const tool = {
  name: `tool_${CANARY}`,
  description: words,
  inputSchema: { type: 'object', properties: { [CANARY]: { type: 'string', description: words } } },
};
const step = {
  project_id: uuid,
  session_id: uuid,
  user_query: words,
  conversation_history: [
    { role: 'user', content: words },
    {
      role: 'assistant',
      content: words,
      toolCall: { id: CANARY, name: tool.name, parameters: { [CANARY]: words } },
    },
    {
      role: 'tool_observation',
      content: words,
      toolCallId: CANARY,
      toolResult: { success: true, result: words },
    },
  ],
  explicit_context_paths: [`${CANARY}.ts`],
  pinned_item_ids_to_include: [CANARY],
  inline_context: { files: [{ path: `${CANARY}.ts`, content: words }] },
  vector_search_results_to_include: [{ path: `${CANARY}.md`, content: words }],
  implicit_context: { last_focused_file_path: `${CANARY}.ts` },
  tasks: [{ id: 1, content: words, status: 'todo' }],
  available_tools_prompt_segment: words,
  tools: [tool],
  user_api_keys: { llmKey: key },
  max_iterations_left: 5,
};
const compaction = { ...step, target_tokens: 1, strategy: 'summarize' };

const replies: ScriptedReply[] = [
  { text: `Thought: ${words}\nFinal Answer: ${words}`, model: words, finishReason: CANARY, reasoning: words },
  { text: `Thought: ${words}\nAction: tool_${CANARY}({"${CANARY}": "${words}"})` },
  { text: words, toolCalls: [{ id: CANARY, name: tool.name, arguments: { [CANARY]: words } }] },
  { text: null, refusal: words },
  { text: 'Final Answer: 42', model: key },
  ...faultNames
    .filter((name) => !['huge', 'drip', 'slow-headers'].includes(name))
    .map((fault) => ({ fault })),
];

let reply: ScriptedReply = { text: '' };
let fake: FakeProvider;
beforeAll(async () => {
  fake = await startFakeProvider(() => reply);
});
afterAll(() => fake.close());

/** Sends every kind of request with every reply, and the canary in headers and query as well. */
async function askEverything(protocol: 'http/json' | 'http/protobuf'): Promise<SpanReceiver> {
  const receiver = await startSpanReceiver();
  const credentials = (url: string) => url.replace('http://', `http://${CANARY}:${CANARY}@`);
  const telemetry = {
    OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
    OTEL_BSP_SCHEDULE_DELAY: '100',
    OTEL_BSP_MAX_QUEUE_SIZE: '65536',
  };
  const settings = {
    ...patience,
    PORT: 0,
    LOG_LEVEL: 'silent' as const,
    OPENAI_UPSTREAM_URL: `${fake.url}/v1`,
    ANTHROPIC_UPSTREAM_URL: fake.url,
    CONTEXT_SERVICE_URL: `${credentials(fake.url)}/${CANARY}`,
    OTEL_EXPORTER_OTLP_ENDPOINT: `${receiver.url}/path`,
  };
  const service = await withEnvironment(telemetry, () => startService(settings));
  const post = async (path: string, body: unknown): Promise<void> => {
    const answer = fetch(`${service.url}${path}?${CANARY}=${CANARY}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
        tracestate: `canary=${CANARY}`,
        baggage: `canary=${CANARY}`,
        'user-agent': CANARY,
        'x-request-id': `${CANARY}/`,
      },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    // On a busy machine a request may miss its deadline; its spans are checked as well.
    await answer.then((response) => response.text()).catch(() => {});
  };
  for (reply of replies) {
    await Promise.all(
      Object.entries(vendors).flatMap(([provider, modelName]) => {
        const llm_config = { ...llmConfig('openai'), provider, modelName, deadlineMs: 400 };
        return [
          post('/api/agent/react_step', { ...step, llm_config }),
          post('/api/agent/react_step/stream', { ...step, llm_config, protocol: 'native' }),
          post('/api/agent/compact_history', { ...compaction, llm_config }),
        ];
      }),
    );
  }
  for (const modelName of [key, token, words.slice(0, 100)]) {
    await post('/api/agent/react_step', { ...step, llm_config: { ...llmConfig('openai'), modelName } });
  }
  await post('/api/agent/context_preview', { ...step, llm_config: llmConfig('openai') });
  await post('/api/agent/react_step', `{"${CANARY}`);
  await post('/api/agent/react_step', { [CANARY]: CANARY });
  await post(`/api/${CANARY}`, {});
  await service.close();
  await receiver.close();
  return receiver;
}

const hitsIn = (posts: readonly string[]): string[] =>
  shapes.filter((shape) => posts.join('\n').includes(shape));

test.each([
  'http/json',
  'http/protobuf',
] as const)('spans sent as %s contain no text of a caller, model or operator, whatever fails (rule: span-contents)', async (protocol) => {
  const { posts, spans } = await askEverything(protocol);
  // Proves that the test can find leaks: the providers did receive the canary.
  expect(hitsIn(fake.requests.map(({ rawBody }) => rawBody))).toContain(CANARY);
  expect(posts.length).toBeGreaterThan(0);
  expect(hitsIn(posts)).toEqual([]);
  if (protocol === 'http/protobuf') return;
  const names = [...new Set(spans().map(({ name }) => name))].sort();
  expect(names).toEqual(
    [
      ...['react_step', 'react_step/stream', 'context_preview', 'compact_history'].map(
        (path) => `POST /api/agent/${path}`,
      ),
      ...['POST', 'chat', ...Object.values(vendors).map((model) => `chat ${model}`)],
      ...['read_situation', 'gather_context', 'fit_to_budget', 'render_prompt'],
      ...['read_reply', 'conclude'],
    ].sort(),
  );
  for (const { status, attributes } of spans()) {
    expect(status.message ?? '').toBe('');
    for (const name of Object.keys(attributes))
      expect(name).toMatch(/^(?:http|url|server|error|gen_ai|stepwise)\./);
  }
  expect(JSON.stringify(posts)).not.toContain('"events":[{');
}, 60_000);
