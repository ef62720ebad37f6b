import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { pino } from 'pino';
import type { ErrorCode } from '../../src/contract/error-codes.js';
import { errorCodes } from '../../src/contract/error-codes.js';
import { type FakeProvider, startFakeProvider } from '../../src/offline/fake-provider.js';
import type { FaultName } from '../../src/offline/wire/reply.js';
import { readConfig } from '../../src/service/settings/config.js';
import { type Service, startService } from '../../src/service/start.js';
import { assertIsComponent } from '../support/contract-check.js';
import { patientEnvironment } from '../support/patience.js';
import { readEvents } from '../support/read-events.js';
import { call, linesInto, stepBody, stepPath, streamPath } from '../support/test-service.js';

jest.setTimeout(30_000);

const key = 'sk-canary-4f9a1c77d2e0';
const project = String(stepBody()['project_id']);
const projects = mkdtempSync(join(tmpdir(), 'stepwise-projects-'));
const log: Record<string, unknown>[] = [];
let fake: FakeProvider;
let service: Service;

beforeAll(async () => {
  mkdirSync(join(projects, project));
  writeFileSync(join(projects, project, 'cart.ts'), 'export const total = 41 + 1;\n');
  fake = await startFakeProvider();
  const config = readConfig({
    ...patientEnvironment,
    PORT: '0',
    OPENAI_UPSTREAM_URL: `${fake.url}/v1`,
    ANTHROPIC_UPSTREAM_URL: fake.url,
    UPSTREAMS: JSON.stringify({ gone: 'http://127.0.0.1:9/v1' }),
    PROJECTS_DIR: projects,
  });
  service = await startService(config, pino(linesInto(log)));
});
afterAll(async () => {
  await service.close();
  await fake.close();
});

const vendors = { openai: 'gpt-4o', anthropic: 'claude-sonnet-4-5' };
type VendorName = keyof typeof vendors;
const llm = (vendor: VendorName) => ({
  modelName: vendors[vendor],
  tokenLimit: 8000,
  reservedOutputTokens: 1000,
});
const post = (changes: Record<string, unknown>, path = stepPath) =>
  call(service.url, 'POST', path, {
    body: stepBody({ user_api_keys: { llmKey: key }, ...changes }),
  });
const stream = async (changes: Record<string, unknown>) => {
  const answer = await post(changes, streamPath);
  return { ...answer, events: typeof answer.body === 'string' ? readEvents(answer.body) : [] };
};

describe.each(['openai', 'anthropic'] as const)('a step with %s', (vendor) => {
  const tools = [
    { name: 'read_file', inputSchema: { type: 'object', properties: { path: { type: 'string' } } } },
  ];

  test('a step proposes an action, and its history can be sent back unchanged', async () => {
    fake.script([
      { text: 'Thought: I need the file.\nAction: read_file(path="cart.ts")' },
      { text: 'Thought: I know.\nFinal Answer: 42' },
    ]);
    const first = (await post({ llm_config: llm(vendor), tools })).body;
    expect(first).toMatchObject({
      status: 'action_proposed',
      thought: 'I need the file.',
      action_details: { tool_name: 'read_file', tool_args: { path: 'cart.ts' } },
      iterations_remaining: 2,
      provider: vendor,
      error: null,
    });
    const observation = {
      role: 'tool_observation',
      content: 'export const total = 41 + 1;',
      toolCallId: first.action_details.id,
    };
    const second = (
      await post({
        llm_config: llm(vendor),
        tools,
        user_query: '',
        conversation_history: [...first.updated_conversation_history, observation],
        max_iterations_left: first.iterations_remaining,
      })
    ).body;
    expect(second).toMatchObject({ status: 'direct_response_provided', direct_response: '42' });
    expect(second.updated_conversation_history.slice(0, 3)).toEqual([
      ...first.updated_conversation_history,
      observation,
    ]);
  });

  test('in a streamed step, the joined deltas equal the final fields and the last event is the step (rule: deltas-join)', async () => {
    fake.script({ text: 'Thought: It is simple.\nFinal Answer: The answer is 42.' });
    const { events } = await stream({ llm_config: llm(vendor) });
    expect(events.slice(0, 2).map(({ event }) => event)).toEqual(['step.started', 'context.built']);
    const last = events.at(-1);
    expect(last?.event).toBe('step.completed');
    assertIsComponent('Step', last?.data.step);
    expect(last?.data.step).toMatchObject({
      thought: 'It is simple.',
      direct_response: 'The answer is 42.',
    });
    const joined = (event: string) =>
      events
        .filter((each) => each.event === event)
        .map(({ data }) => data.delta)
        .join('');
    expect([joined('thought.delta'), joined('answer.delta')]).toEqual(['It is simple.', 'The answer is 42.']);
  });

  test('requested project files are included in the prompt (rule: project-folder)', async () => {
    fake.script({ text: 'Final Answer: 42' });
    const before = fake.requests.length;
    const { body } = await post({
      llm_config: llm(vendor),
      explicit_context_paths: ['cart.ts', 'missing.ts'],
      include: { report: 'full' },
    });
    expect(fake.requests[before]?.rawBody).toContain('total = 41 + 1');
    const statuses = body.context_report.items.map((item: { id: string; status: string }) => [
      item.id,
      item.status,
    ]);
    expect(statuses).toEqual(
      expect.arrayContaining([
        ['cart.ts', 'included'],
        ['missing.ts', 'unavailable'],
      ]),
    );
  });

  test.each<[string, object, ErrorCode]>([
    ['a refusal', { refusal: 'I will not.' }, 'upstream_refusal'],
    [
      'an action truncated by the output limit',
      { text: 'Action: read_file(path="ca', finishReason: 'length' },
      'output_truncated',
    ],
    ['an empty reply', { text: '' }, 'empty_response'],
  ])('an unusable model reply returns 200 with an error code: %s (rule: billed-outcomes)', async (_what, reply, code) => {
    fake.script(reply);
    const { status, body } = await post({ llm_config: llm(vendor), tools });
    expect([status, body.status, body.error?.code]).toEqual([200, 'error', code]);
    expect(body.iterations_remaining).toBe(2);
    expect(body.context_report).not.toBeNull();
  });

  const upstream: [FaultName, ErrorCode][] = [
    ['bad-request', 'upstream_rejected_request'],
    ['context-overflow', 'upstream_context_length_exceeded'],
    ['unauthorized', 'upstream_authentication_failed'],
    ['echoed-key', 'upstream_authentication_failed'],
    ['payment-required', 'upstream_billing'],
    ['forbidden', 'upstream_permission_denied'],
    ['not-found', 'upstream_model_not_found'],
    ['rate-limited', 'upstream_rate_limited'],
    ['quota-exhausted', 'upstream_billing'],
    ['server-error', 'upstream_error'],
    ['overloaded', 'upstream_overloaded'],
    ['html', 'upstream_invalid_response'],
    ['null', 'upstream_invalid_response'],
    ['redirect', 'upstream_invalid_response'],
    ['cut', 'upstream_unreachable'],
    ['reset', 'upstream_unreachable'],
    ['silence', 'upstream_timeout'],
  ];

  test.each(
    upstream,
  )('the upstream fault %s returns %s, both plain and as the last event of a stream (rule: error-table)', async (fault, code) => {
    fake.script({ fault, ...(fault === 'rate-limited' && { retryAfter: '60' }) });
    const changes = { llm_config: { ...llm(vendor), deadlineMs: 1_500 } };
    const history = [{ role: 'user', content: 'before', own: 1 }];
    const plain = await post({ ...changes, conversation_history: history });
    expect([plain.status, plain.body.error.code]).toEqual([errorCodes[code].status, code]);
    expect(plain.body.updated_conversation_history).toEqual(history);
    expect(plain.body.iterations_remaining).toBe(3);
    const { status, events } = await stream(changes);
    expect(status).toBe(200);
    const last = events.at(-1);
    expect([last?.event, last?.data.error.error.code]).toEqual(['error', code]);
    assertIsComponent('ErrorResponse', last?.data.error);
    expect(events.filter(({ event }) => event === 'error' || event === 'step.completed')).toHaveLength(1);
    expect(JSON.stringify([plain, events])).not.toContain(key);
  });
});

describe('requests rejected before any model call (rule: error-table)', () => {
  const openai = llm('openai');
  const tiny = { ...openai, tokenLimit: 20, reservedOutputTokens: 10 };

  test.each<[string, ErrorCode, Record<string, unknown>]>([
    ['native calling but no tools', 'invalid_request', { protocol: 'native', llm_config: openai }],
    ['no query and no user turn', 'invalid_request', { user_query: '', llm_config: openai }],
    ['an unknown model', 'unsupported_model', { llm_config: { ...openai, modelName: 'x' } }],
    ['an unknown upstream', 'unsupported_model', { llm_config: { ...openai, provider: 'x' } }],
    ['no key', 'missing_api_key', { llm_config: openai, user_api_keys: null }],
    ['a malformed key', 'malformed_api_key', { llm_config: openai, user_api_keys: { llmKey: 'short' } }],
    ['a token limit that is too small', 'token_budget_exceeded', { llm_config: tiny }],
  ])('a step with %s is rejected with %s before any model call', async (_what, code, changes) => {
    const before = fake.requests.length;
    for (const path of [stepPath, streamPath]) {
      const answer = await post(changes, path);
      expect([answer.status, answer.body.error.code]).toEqual([errorCodes[code].status, code]);
    }
    expect(fake.requests).toHaveLength(before);
  });

  test('a step with max_iterations_left 0 returns 200 iterations_exhausted', async () => {
    const { status, body } = await post({ llm_config: openai, max_iterations_left: 0 });
    expect([status, body.error.code, body.iterations_remaining]).toEqual([200, 'iterations_exhausted', 0]);
    const { events } = await stream({ llm_config: openai, max_iterations_left: 0 });
    expect(events.map(({ event }) => event)).toEqual(['step.started', 'step.completed']);
  });

  test('a step with max_iterations_left 0 needs no model key (rule: iterations)', async () => {
    const { status, body } = await post({
      llm_config: openai,
      user_api_keys: undefined,
      max_iterations_left: 0,
    });
    expect([status, body.error.code]).toEqual([200, 'iterations_exhausted']);
  });
});

test('an unreachable provider returns 502 upstream_unreachable (rule: error-table)', async () => {
  const llm_config = { ...llm('openai'), provider: 'gone' };
  const { status, body } = await post({ llm_config });
  expect([status, body.error.code, body.error.provider]).toEqual([502, 'upstream_unreachable', 'gone']);
});

test('each of 200 concurrent requests gets its own key, prompt and reply (threat 3)', async () => {
  fake.script(({ rawBody, headers }) => ({
    text: `Final Answer: ${/task-\d+/.exec(rawBody)?.[0]} ${headers['authorization']}`,
  }));
  const answers = await Promise.all(
    Array.from({ length: 200 }, async (_, index) => {
      const { body } = await post({
        user_query: `task-${index}`,
        user_api_keys: { llmKey: `own-key-${index}` },
        llm_config: llm('openai'),
      });
      return body.direct_response;
    }),
  );
  expect(answers).toEqual(answers.map((_, index) => `task-${index} Bearer own-key-${index}`));
});

test('the offline model responds without a key (rule: offline-model)', async () => {
  const llm_config = { modelName: 'offline', tokenLimit: 8000, reservedOutputTokens: 1000 };
  const { status, body } = await post({ llm_config, user_api_keys: null });
  expect([status, body.model]).toEqual([200, 'offline']);
});

test('GET /api/agent/models lists the offline model and the configured upstreams (rule: named-upstreams)', async () => {
  const { body } = await call(service.url, 'GET', '/api/agent/models');
  expect(body.models).toContainEqual(expect.objectContaining({ name: 'offline', provider: 'offline' }));
  expect(body.upstreams.map(({ name }: { name: string }) => name)).toContain('gone');
});

test('no log line of these tests contains the model key (threat 1)', () => {
  expect(log.length).toBeGreaterThan(50);
  expect(JSON.stringify(log)).not.toMatch(/sk-canary|4f9a1c77d2e0/);
});
