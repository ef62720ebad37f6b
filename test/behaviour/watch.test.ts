import { writeFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { afterEach, expect, test } from '@jest/globals';
import type { StepRequestInput } from '../../src/contract/step-request.js';
import type { WatchEvent } from '../../src/contract/watch.js';
import type { Script } from '../../src/offline/fake-provider.js';
import { createToken } from '../../src/service/operations/access/token.js';
import { tool } from '../support/compat.js';
import { sendRaw } from '../support/raw-request.js';
import { tokenFileOf, writeTokenFile } from '../support/token-file.js';
import { until } from '../support/until.js';
import { type TestWatcher, watch } from '../support/watcher.js';
import { key, startWholeService, stepRequest, uuid, type WholeService } from '../support/whole-service.js';
import { askerOf, wireNames } from '../support/wires.js';

const services: WholeService[] = [];
const watchers: TestWatcher[] = [];
afterEach(async () => {
  for (const each of watchers.splice(0)) each.leave();
  await Promise.all(services.splice(0).map((each) => each.close()));
});

async function startWatched(
  script: Script = { text: 'Final Answer: here' },
  environment: Record<string, string> = {},
): Promise<WholeService> {
  const service = await startWholeService(script, { WATCH: 'on', ...environment });
  services.push(service);
  return service;
}

async function join({ url }: WholeService, headers: Record<string, string> = {}): Promise<TestWatcher> {
  const watcher = await watch(url, headers);
  watchers.push(watcher);
  return watcher;
}

/** Sends a request and reads the complete response. */
async function post({ url }: WholeService, path: string, body: object, headers = {}) {
  const all = { 'Content-Type': 'application/json', ...headers };
  const answer = await fetch(`${url}${path}`, { method: 'POST', headers: all, body: JSON.stringify(body) });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

/** Sends a step request without waiting for the answer. Returns a function that makes the caller disconnect. */
function sendStep({ url }: WholeService, changes: Partial<StepRequestInput> = {}): () => Promise<void> {
  const controller = new AbortController();
  const left = fetch(`${url}/api/agent/react_step`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(stepRequest(changes)),
    signal: controller.signal,
  }).catch(() => undefined);
  return async () => {
    controller.abort();
    await left;
  };
}

/** Waits until the last event of a watcher is of the given type, and returns all its events. */
const eventsUntil = (watcher: TestWatcher, type: WatchEvent['type']) =>
  until(watcher.events, (events) => events.at(-1)?.type === type);

const countOf = (events: readonly WatchEvent[], type: WatchEvent['type']): number =>
  events.filter((each) => each.type === type).length;

const shop = '6f9619ff-8b86-4d01-b42d-00cf4fc964ff';
const bearing = (token: string) => ({ Authorization: `Bearer ${token}` });
const tools = [
  { name: 'read_file', inputSchema: { type: 'object', properties: { path: { type: 'string' } } } },
];

test('a watcher sees a step begin, and end with its request, prompt, reply and result (rule: watch)', async () => {
  const service = await startWatched({ text: 'Thought: I look.\nAction: read_file(path="a.ts")' });
  const watcher = await join(service);
  expect(watcher.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  const { body } = await service.step({ tools });
  const events = await eventsUntil(watcher, 'step.watched');
  const common = { id: body.request_id, session_id: uuid, endpoint: 'react_step' };
  expect(events).toEqual([
    { type: 'watch.started', kept: 0, limit_steps: 100, limit_bytes: 67_108_864 },
    { type: 'step.began', ...common, model: 'gpt-4o', began_at: expect.stringMatching(/^\d{4}-.*Z$/) },
    { type: 'step.watched', ...common, step: expect.anything() },
  ]);
  expect(events.at(-1)).toMatchObject({
    step: {
      request: { user_query: 'Where is the total computed?' },
      prompt: { system: expect.stringContaining('read_file') },
      completion_text: 'Thought: I look.\nAction: read_file(path="a.ts")',
      response: { status: 'action_proposed', action_details: body.action_details, parse: body.parse },
    },
  });
});

test.each(
  wireNames,
)('a watcher sees plain and streamed steps of the endpoint %s (rule: watch)', async (wire) => {
  const service = await startWatched({ text: 'Hello' });
  const watcher = await join(service);
  const ask = askerOf(service);
  await ask(wire, { text: 'Hi' });
  await ask(wire, { text: 'Hi' }, true);
  const events = await until(watcher.events, (all) => countOf(all, 'step.watched') === 2);
  const about = events.slice(1).map(({ type, ...event }) => [type, 'endpoint' in event && event.endpoint]);
  expect(about).toEqual([
    ['step.began', wire],
    ['step.watched', wire],
    ['step.began', wire],
    ['step.watched', wire],
  ]);
});

test('a correction of a reply on /v1 is a step with an id of its own (rule: watch)', async () => {
  const service = await startWatched([
    { text: 'Action: read_file(path=' },
    { text: 'Action: read_file(path="a.ts")' },
  ]);
  const watcher = await join(service);
  const { headers } = await post(service, '/v1/chat/completions', {
    model: 'local/qwen3:8b',
    messages: [{ role: 'user', content: 'Look' }],
    tools: [tool('read_file', 'path')],
  });
  const events = await until(watcher.events, (all) => countOf(all, 'step.watched') === 2);
  const id = headers.get('x-request-id');
  expect(events.slice(1).map((event) => 'id' in event && event.id)).toEqual([id, id, `${id}#2`, `${id}#2`]);
});

test('watchers receive the error of a failed step and of a step without iterations left (rule: watch)', async () => {
  const service = await startWatched({ fault: 'rate-limited', retryAfter: '60' });
  const watcher = await join(service);
  const { body } = await service.step();
  expect(await eventsUntil(watcher, 'step.failed')).toEqual([
    expect.anything(),
    expect.objectContaining({ type: 'step.began', id: body.request_id }),
    expect.objectContaining({
      type: 'step.failed',
      id: body.request_id,
      session_id: uuid,
      code: 'upstream_rate_limited',
      message: expect.stringContaining('The provider limits the rate of requests.'),
      duration_ms: expect.any(Number),
    }),
  ]);
  await service.step({ max_iterations_left: 0 });
  const all = await until(watcher.events, (events) => countOf(events, 'step.failed') === 2);
  expect(all.at(-1)).toMatchObject({ code: 'iterations_exhausted' });
});

test('a step whose deadline passes or whose caller leaves is reported as failed (rule: watch)', async () => {
  const service = await startWatched({ fault: 'silence' });
  const watcher = await join(service);
  await service.step({ llm_config: { ...stepRequest().llm_config, deadlineMs: 200 } });
  const timedOut = await eventsUntil(watcher, 'step.failed');
  expect(timedOut.at(-1)).toMatchObject({ code: 'upstream_timeout' });
  const leave = sendStep(service);
  await eventsUntil(watcher, 'step.began');
  await leave();
  const events = await eventsUntil(watcher, 'step.failed');
  expect(events.at(-1)).toMatchObject({
    code: 'caller_left',
    message: 'The caller left before the step ended.',
  });
});

test('a later watcher is sent the last 100 steps and the steps in progress (rule: watch)', async () => {
  const service = await startWatched(({ body }) =>
    JSON.stringify(body).includes('wait') ? { fault: 'silence' } : { text: 'Final Answer: here' },
  );
  for (let step = 0; step < 102; step += 1) await service.step({ user_query: `Question ${step}.` });
  const leave = sendStep(service, { user_query: 'wait' });
  await until(() => service.fake.requests.length === 103);
  const events = await eventsUntil(await join(service), 'step.began');
  expect(events[0]).toMatchObject({ type: 'watch.started', kept: 100 });
  expect(countOf(events, 'step.watched')).toBe(100);
  expect(events[1]).toMatchObject({ step: { request: { user_query: 'Question 2.' } } });
  expect(events.at(-2)).toMatchObject({ step: { request: { user_query: 'Question 101.' } } });
  await leave();
});

test('every step succeeds while a watcher does not read; that watcher is dropped, and another sees every step (rule: watch)', async () => {
  const service = await startWatched();
  const unread = await joinWithoutReading(service.url);
  // A request is logged once its connection is closed.
  const isClosed = () => service.log.some((line) => line.includes('/api/agent/watch'));
  const reader = await join(service);
  // Socket buffers hold several megabytes. Only when they are full does the unread connection stall.
  const content = 'A line of a file.\n'.repeat(50_000);
  for (let step = 1; step <= 12; step += 1)
    expect((await service.step({ inline_context: { files: [{ path: 'a.md', content }] } })).status).toBe(200);
  expect(isClosed()).toBe(false);
  for (let step = 1; step <= 101; step += 1) expect((await service.step()).status).toBe(200);
  await until(isClosed);
  const events = await until(reader.events, (all) => countOf(all, 'step.watched') === 113);
  expect(countOf(events, 'step.began')).toBe(113);
  unread.destroy();
}, 60_000);

/** Opens a stream and reads only its headers. */
function joinWithoutReading(url: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    get(`${url}/api/agent/watch`, { agent: false }, (response) => {
      resolve(response.on('error', () => {}).pause());
    }).on('error', reject);
  });
}

test('a ninth watcher is refused until one of the others leaves (rule: watch)', async () => {
  const service = await startWatched();
  const joined = await Promise.all(Array.from({ length: 8 }, () => join(service)));
  const refused = await sendRaw(service.url, { method: 'GET', path: '/api/agent/watch' });
  expect(refused.status).toBe(503);
  expect(refused.text).toContain('the maximum number of watchers is reached');
  joined[0]?.leave();
  await until(
    async () => (await join(service)).status,
    (status) => status === 200,
  );
});

test('without WATCH the endpoint is absent and says how to turn it on (rule: watch)', async () => {
  const service = await startWholeService({ text: 'x' });
  services.push(service);
  const { status, text } = await sendRaw(service.url, { method: 'GET', path: '/api/agent/watch' });
  expect(status).toBe(404);
  expect(text).toContain('watching is off; the operator of this service turns it on with WATCH=on');
  expect(await fetch(`${service.url}/readyz`).then((answer) => answer.json())).toEqual({
    status: 'ok',
    watch: 'off',
  });
});

test('/readyz and the startup log report that steps can be watched (rule: watch)', async () => {
  const service = await startWatched();
  const ready = await fetch(`${service.url}/readyz`).then((answer) => answer.json());
  expect(ready).toEqual({ status: 'ok', watch: 'on' });
  expect(service.log.join('')).toContain(
    'every step can be watched, with its prompt and its reply (WATCH=on)',
  );
});

test('a HEAD request for the watch stream returns its headers without joining it (rule: watch)', async () => {
  const service = await startWatched();
  const head = await fetch(`${service.url}/api/agent/watch`, { method: 'HEAD' });
  expect([head.status, head.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
});

test('shutting down ends the watch stream after the last step (rule: watch)', async () => {
  const service = await startWatched({ text: 'Final Answer: here', chunkDelayMs: 100 });
  const watcher = await join(service);
  const step = service.step();
  // The step may have ended already when the test sees that it began.
  await until(watcher.events, (events) => countOf(events, 'step.began') === 1);
  services.splice(0);
  await Promise.all([service.close(), step]);
  expect(await watcher.end).toBe('ended');
  expect(watcher.events().at(-1)).toMatchObject({ type: 'step.watched' });
});

test.each([
  [{ HOST: '0.0.0.0', ALLOW_UNAUTHENTICATED: 'on' }],
  [{ ALLOW_UNAUTHENTICATED: 'on' }],
  [{ TRUST_PROXY: '1' }],
  [{ HOST: '0.0.0.0' }],
])('without tokens, the service refuses to start with watching enabled and the settings %j (rule: watch)', async (settings) => {
  await expect(startWatched(undefined, settings)).rejects.toThrow(
    'WATCH: without tokens, everybody who can reach the port could read the prompts and replies of all callers',
  );
});

test('CORS_ORIGINS does not allow pages of other origins to watch (rule: watch)', async () => {
  const service = await startWatched(undefined, { CORS_ORIGINS: 'https://app.example' });
  const origin = ['Origin', 'https://app.example'] as const;
  const ask = { path: '/api/agent/watch', headers: [origin, ['Sec-Fetch-Site', 'cross-site']] } as const;
  const preflight = await sendRaw(service.url, { method: 'OPTIONS', ...ask });
  const refused = await sendRaw(service.url, { method: 'GET', ...ask });
  expect([preflight, refused].map(({ headers }) => headers['access-control-allow-origin'])).toEqual([
    undefined,
    undefined,
  ]);
  expect(refused.status).toBe(403);
  expect(refused.text).toContain('CORS_ORIGINS does not apply here');
});

test('only a token with `watch: true` may watch, and only the steps of its own projects (rule: watch)', async () => {
  const token = { all: createToken(), shop: createToken(), blind: createToken() };
  const file = writeTokenFile(
    { token: token.all, name: 'all', watch: true },
    { token: token.shop, name: 'shop', projects: [shop], watch: true },
    { token: token.blind, name: 'blind' },
  );
  const service = await startWatched({ text: 'Final Answer: 42' }, { AUTH_TOKENS_FILE: file });
  const refused = await join(service, bearing(token.blind));
  expect(refused.status).toBe(403);
  expect((await join(service)).status).toBe(401);
  const [everything, ofShop] = [
    await join(service, bearing(token.all)),
    await join(service, bearing(token.shop)),
  ];
  const ask = (path: string, body: object) => post(service, path, body, bearing(token.all));
  const chat = { model: 'local/qwen3:8b', messages: [{ role: 'user', content: 'Hi' }] };
  await ask('/v1/chat/completions', chat);
  await ask('/api/agent/react_step', stepRequest());
  const { headers } = await ask('/api/agent/react_step', stepRequest({ project_id: shop }));
  const id = headers.get('x-request-id');
  await until(everything.events, (events) => countOf(events, 'step.watched') === 3);
  const seen = await eventsUntil(ofShop, 'step.watched');
  expect(seen.slice(1).map((event) => 'id' in event && event.id)).toEqual([id, id]);
  const later = await eventsUntil(await join(service, bearing(token.shop)), 'step.watched');
  expect(later).toMatchObject([{ type: 'watch.started', kept: 1 }, { id }]);
});

test('the watch stream of a revoked token ends with the next step (rule: watch)', async () => {
  const token = { watcher: createToken(), caller: createToken() };
  const caller = { token: token.caller, name: 'caller' };
  const file = writeTokenFile({ token: token.watcher, name: 'watcher', watch: true }, caller);
  const service = await startWatched({ text: 'Final Answer: 42' }, { AUTH_TOKENS_FILE: file });
  const watcher = await join(service, bearing(token.watcher));
  writeFileSync(file, tokenFileOf(caller));
  await until(() => service.log.join('').includes('AUTH_TOKENS_FILE was reloaded'));
  await service.post('/api/agent/react_step', stepRequest(), bearing(token.caller));
  expect(await watcher.end).toBe('ended');
  expect(watcher.events()).toMatchObject([{ type: 'watch.started' }]);
});

test.each([
  'react_step',
  'react_step/stream',
])('no event of a step by %s contains the key (rule: watch)', async (path) => {
  const echo = `Thought: your key is ${key}\nAction: read_file(path="${key}")`;
  const service = await startWatched([{ text: echo }, { fault: 'rate-limited', retryAfter: '60' }]);
  const watcher = await join(service);
  for (const modelName of ['gpt-4o', key]) {
    const llm_config = { ...stepRequest().llm_config, modelName };
    const answer = await fetch(`${service.url}/api/agent/${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-Request-Id': key },
      body: JSON.stringify(stepRequest({ tools, llm_config, user_query: `Use ${key}.` })),
    });
    await answer.text();
  }
  await eventsUntil(watcher, 'step.failed');
  expect(watcher.text()).toContain('[redacted]');
  expect(watcher.text()).not.toContain(key);
  expect(watcher.text()).not.toContain(key.slice(-8));
  expect(watcher.text()).not.toContain('user_api_keys');
});

test.each(
  wireNames.flatMap(
    (wire) =>
      [
        [wire, false],
        [wire, true],
      ] as const,
  ),
)('no event of a step by %s, streamed: %s, contains the key (rule: watch)', async (wire, streamed) => {
  const service = await startWatched([{ text: `Your key is ${key}.` }, { fault: 'unauthorized' }]);
  const watcher = await join(service);
  const ask = askerOf(service);
  const headers = { 'X-LLM-API-Key': key, 'X-Request-Id': key };
  const request = { model: 'openai/gpt-4o', text: `Use ${key}.`, headers };
  await ask(wire, request, streamed);
  await ask(wire, request, streamed).catch(() => undefined);
  await eventsUntil(watcher, 'step.failed');
  expect(watcher.text()).toContain('[redacted]');
  expect(watcher.text()).not.toContain(key);
  expect(watcher.text()).not.toContain(key.slice(-8));
});
