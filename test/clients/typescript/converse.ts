// One conversation through openapi-fetch, with the types of openapi-typescript.
import { deepEqual, equal, ok } from 'node:assert/strict';
import createClient from 'openapi-fetch';
import type { components, paths } from './stepwise.js';

type StepRequest = components['schemas']['StepRequest'];
type StreamEvent = components['schemas']['StreamEvent'];
const base = process.argv[2] ?? '';

const request = (changes: Partial<StepRequest> = {}): StepRequest => ({
  project_id: '6f9619ff-8b86-4d01-b42d-00cf4fc964ff',
  session_id: '7d444840-9dc0-41d1-b245-5ffdce74fad2',
  user_query: 'Why does the cart total ignore discounts?',
  conversation_history: [],
  tools: [{ name: 'search_code', inputSchema: { properties: { pattern: { type: 'string' } } } }],
  llm_config: { modelName: 'offline', tokenLimit: 8_000, reservedOutputTokens: 1_000 },
  max_iterations_left: 10,
  ...changes,
});

const step = (body: StepRequest, prefix = '') =>
  createClient<paths>({ baseUrl: base + prefix }).POST('/api/agent/react_step', { body });

// A conversation of an action, its observation and the answer.
const { data: first } = await step(request());
equal(first?.status, 'action_proposed');
equal(first?.action_details?.tool_name, 'search_code');
const observation = {
  role: 'tool_observation',
  content: 'src/cart.ts:31: // The cart total ignores discounts above 30 percent.',
  toolCallId: first?.action_details?.id ?? null,
};
const history = [...(first?.updated_conversation_history ?? []), observation];
const { data: last } = await step(
  request({ user_query: '', conversation_history: history, max_iterations_left: 1 }),
);
equal(last?.status, 'direct_response_provided');
equal(last?.action_details, null);
ok(last?.direct_response?.includes('30 percent'));

// Makes a request that fails and returns its typed error.
async function failure(body: StepRequest, prefix = ''): Promise<[number, string, boolean]> {
  const { error, response } = await step(body, prefix);
  return [response.status, error?.error.code ?? '', error?.error.retryable ?? false];
}
deepEqual(await failure(request({ user_query: '' })), [400, 'invalid_request', false]);
const keyed = { modelName: 'gpt-4o', tokenLimit: 8_000, reservedOutputTokens: 1_000 };
deepEqual(await failure(request({ llm_config: keyed, user_api_keys: { llmKey: 'short' } })), [
  401,
  'malformed_api_key',
  false,
]);
const small = { modelName: 'offline', tokenLimit: 40, reservedOutputTokens: 20 };
deepEqual(await failure(request({ llm_config: small })), [422, 'token_budget_exceeded', false]);
for (const [status, code] of [
  [429, 'upstream_rate_limited'],
  [503, 'shutting_down'],
  [504, 'upstream_timeout'],
] as const) {
  deepEqual(await failure(request(), `/failing/${code}`), [status, code, true]);
}

// A response of a newer service has more fields.
const { data: newer } = await step(request(), '/newer');
deepEqual([newer?.status, newer?.finish_reason, newer?.parse?.outcome], ['plan_proposed', 'paused', 'plan']);
const turn = newer?.updated_conversation_history?.at(-1);
deepEqual(turn, { role: 'critic', content: 'Too long.', kind: 'review', phase: 'reflect', weight: 3 });

// The client returns the event stream as text. The generated types describe its events.
const { data: text } = await createClient<paths>({ baseUrl: base }).POST('/api/agent/react_step/stream', {
  body: request(),
  parseAs: 'text',
});
const events = [...(text ?? '').matchAll(/^data: (.*)$/gm)].map(
  ([, data]): StreamEvent => JSON.parse(data ?? ''),
);
equal(events[0]?.type, 'step.started');
equal(events.at(-1)?.step?.action_details?.tool_name, 'search_code');
process.stdout.write('typescript: action, observation, answer, six failures, a newer service, the stream\n');
