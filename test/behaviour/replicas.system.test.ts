import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, expect, jest, test } from '@jest/globals';
import type { TurnInput } from '../../src/contract/history.js';
import type { Step } from '../../src/contract/step.js';
import { type FakeProvider, startFakeProvider } from '../../src/offline/fake-provider.js';
import type { ScriptedReply } from '../../src/offline/wire/reply.js';
import { assertIsComponent } from '../support/contract-check.js';
import { findCommand } from '../support/need.js';
import { needs } from '../support/needs.js';
import { Nginx, nginxServer, startTlsNginx } from '../support/nginx.js';
import { sendRaw } from '../support/raw-request.js';
import { readEvents } from '../support/read-events.js';
import { RedisServer, redisServer } from '../support/redis.js';
import { type ServiceProcess, startServiceProcess, upstreamsAt } from '../support/service-process.js';
import { until } from '../support/until.js';
import { llmConfig, stepRequest, type VendorName } from '../support/whole-service.js';

// Each suite starts processes, which takes longer on a busy machine.
jest.setTimeout(60_000);

const look = (part: number): ScriptedReply => ({
  text: `Thought: I look at part ${part}.\nAction: look_up(key="part ${part}")`,
  chunkDelayMs: 1,
});
/**
 * A run whose results would differ if a service kept anything between requests: a repeated call, an error, and a
 * folded history.
 */
const replies: readonly ScriptedReply[] = [
  look(0),
  look(0),
  look(0),
  { text: 'Action: look_up(key="part 1' },
  ...Array.from({ length: 6 }, (_, part) => look(part + 1)),
  { text: 'Thought: I know it.\nFinal Answer: It is 42.', chunkDelayMs: 1 },
];
const tools = [
  { name: 'look_up', inputSchema: { type: 'object', properties: { key: { type: 'string' } } } },
] as const;
/** Observations of about 2,000 tokens each, so that the budget makes the service fold the history. */
const observe = (key: unknown): string =>
  Array.from({ length: 250 }, (_, line) => `${key}, line ${line}: not here`).join('\n');

interface Way {
  readonly vendor: VendorName;
  readonly streamed: boolean;
}

/**
 * Prompts and answers of a run, without the ids and times that differ for each request. The request ids are in `ids`.
 */
interface Driven {
  readonly prompts: readonly string[];
  readonly answers: readonly unknown[];
  readonly ids: readonly string[];
}

const pathOf = ({ streamed }: Way): string => `/api/agent/react_step${streamed ? '/stream' : ''}`;

let fake: FakeProvider;
let replicas: ServiceProcess[] = [];
let nginx: Nginx | undefined;
beforeAll(async () => {
  fake = await startFakeProvider();
});
afterEach(stopAll);
afterAll(() => fake.close());

async function stopAll(): Promise<void> {
  await nginx?.stop();
  nginx = undefined;
  await Promise.all(replicas.splice(0).map((replica) => replica.stop()));
}

async function startReplicas(environment: Record<string, string> = {}): Promise<Nginx> {
  const settings = { ...upstreamsAt(fake.url), TRUST_PROXY: '1', ...environment };
  replicas = await Promise.all([startServiceProcess(settings), startServiceProcess(settings)]);
  nginx = await Nginx.start(replicas);
  return nginx;
}

/** Runs the loop of a client over one service or several in turn. */
async function drive(url: string, way: Way, name: string): Promise<Driven> {
  const before = fake.requests.length;
  const driven = { answers: [] as unknown[], ids: [] as string[] };
  let history: readonly TurnInput[] = [];
  fake.script(replies);
  for (let left = 12; left > 0; left -= 1) {
    const id = `${name}-${left}`;
    const step = await takeStep(url, way, { id, history, left });
    driven.ids.push(id);
    driven.answers.push(withoutOwn(step));
    if (step.direct_response && !step.correction) break;
    history = [...history, ...step.new_turns, ...followUp(step)];
  }
  return { ...driven, prompts: fake.requests.slice(before).map(({ rawBody }) => rawBody) };
}

async function takeStep(
  url: string,
  way: Way,
  { id, history, left }: { id: string; history: readonly TurnInput[]; left: number },
): Promise<Step> {
  const body = stepRequest({
    llm_config: { ...llmConfig(way.vendor), tokenLimit: 8_000 },
    user_query: history.length === 0 ? 'What is it?' : '',
    conversation_history: [...history],
    max_iterations_left: left,
    tools: [...tools],
  });
  const answer = await sendRaw(url, { path: pathOf(way), headers: [['X-Request-Id', id]], body });
  expect([answer.status, answer.headers['x-request-id']]).toEqual([200, id]);
  return way.streamed ? readEvents(answer.text).at(-1)?.data.step : JSON.parse(answer.text);
}

function followUp({ correction, action_details: action }: Step): TurnInput[] {
  if (correction) return [correction];
  if (!action) return [];
  const content = observe(action.tool_args['key']);
  return [{ role: 'tool_observation', content, toolCallId: action.id }];
}

const withoutOwn = (step: Step): unknown =>
  JSON.parse(JSON.stringify(step), (name, value) =>
    ['timestamp', 'request_id'].includes(name) ? undefined : value,
  );

/** Returns for each request the index of the replica whose log contains its response. */
async function answeredBy(ids: readonly string[]): Promise<number[]> {
  const look = () =>
    ids.map((id) => replicas.findIndex(({ output }) => output.stdout.includes(`"request_id":"${id}"`)));
  await until(() => !look().includes(-1));
  return look();
}

needs(nginxServer).describe('two replicas behind the shipped nginx configuration', () => {
  test.each<Way>([
    { vendor: 'openai', streamed: false },
    { vendor: 'openai', streamed: true },
    { vendor: 'anthropic', streamed: false },
    { vendor: 'anthropic', streamed: true },
  ])('a run that alternates between replicas gives the prompts and answers of one service: %j (rule: replicas)', async (way) => {
    const { url } = await startReplicas();
    const alone = await drive(replicas[0]?.url ?? '', way, 'alone');
    const both = await drive(url, way, 'both');
    expect(both.prompts).toEqual(alone.prompts);
    expect(both.answers).toEqual(alone.answers);
    expect(both.prompts).toHaveLength(replies.length);
    // Checks that the run contains what kept state could change: advice on repeated calls, a correction, and a cut
    // history.
    const said = JSON.stringify(both.answers);
    expect(said).toMatch(/"repeated_action":[1-9]/);
    expect(said).toMatch(/"outcome":"malformed_action"/);
    expect(both.prompts.at(-1)).not.toContain('part 1, line 200');
    const turns = await answeredBy(both.ids);
    const changes = turns.filter((replica, index) => index > 0 && replica !== turns[index - 1]);
    expect(changes.length).toBeGreaterThan(replies.length / 2);
  });
});

/**
 * Returns the statuses of twelve requests of one client that claims another address each time, or null if Redis was
 * slow.
 */
async function spendLimit(): Promise<number[] | null> {
  const redis = await RedisServer.start();
  try {
    const { url } = await startReplicas({ REDIS_URL: redis.url, RATE_LIMIT_PER_MINUTE: '8' });
    const ids = Array.from({ length: 12 }, (_, number) => `limited-${number}`);
    const statuses: number[] = [];
    for (const id of ids) {
      const headers = [
        ['X-Request-Id', id],
        ['X-Forwarded-For', `10.0.0.${statuses.length}`],
      ] as const;
      statuses.push((await sendRaw(url, { method: 'GET', path: '/api/agent/models', headers })).status);
    }
    expect(new Set(await answeredBy(ids))).toEqual(new Set([0, 1]));
    const wasSlow = replicas.some(({ output }) =>
      output.stdout.includes('each process counts its own limits'),
    );
    return wasSlow ? null : statuses;
  } finally {
    await stopAll();
    await redis.stop();
  }
}

needs(nginxServer).describe('requests through nginx to replicas', () => {
  const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
  const openStream = async (url: string) => {
    fake.script({ text: `Final Answer: ${'word '.repeat(2_000)}`, chunkDelayMs: 20 });
    const before = fake.requests.length;
    const leaving = new AbortController();
    const response = await fetch(`${url}/api/agent/react_step/stream`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', traceparent },
      body: JSON.stringify(stepRequest()),
      signal: leaving.signal,
    });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    return { reader, leaving, asked: await fake.request(before) };
  };

  test('nginx passes on stream events as they come, and if the caller disconnects, the provider call is aborted (rules: stream-events, caller-leaves)', async () => {
    const { url } = await startReplicas();
    const { reader, leaving, asked } = await openStream(url);
    for (let seen = ''; !seen.includes('answer.delta'); ) seen += (await reader?.read())?.value ?? '';
    expect(asked.ending).toBeNull();
    leaving.abort();
    expect(await asked.ended).toBe('aborted');
  });

  test('nginx passes on the trace of the caller (rule: trace-context)', async () => {
    const { url } = await startReplicas();
    const { leaving, asked } = await openStream(url);
    leaving.abort();
    expect(asked.headers['traceparent']).toContain(traceparent.slice(3, 35));
  });
});

needs(nginxServer).describe('errors that nginx returns without a replica', () => {
  test.each([
    ['a body too large even for nginx', 'x'.repeat(5.5 * 2 ** 20), 413, 'request_too_large', false],
    ['a body that the service itself refuses', 'x'.repeat(4.5 * 2 ** 20), 413, 'request_too_large', false],
    ['a request without a running replica', '', 502, 'service_unreachable', true],
  ])('nginx returns the common error body with the request id for %s (rule: one-failure-body)', async (_what, query, status, code, retryable) => {
    const { url } = await startReplicas();
    if (status === 502) await Promise.all(replicas.map((replica) => replica.kill()));
    const body = stepRequest({ user_query: query });
    const answer = await sendRaw(url, { headers: [['X-Request-Id', 'too-bad']], body });
    const said = JSON.parse(answer.text);
    // The body is the service's JSON error, although nginx chose the status 502.
    assertIsComponent('ErrorResponse', said);
    expect([answer.status, said.error.code, said.error.retryable]).toEqual([status, code, retryable]);
    expect([said.request_id, answer.headers['x-request-id']]).toEqual(['too-bad', 'too-bad']);
  });
});

/** Sends a request line and headers unchanged, on a new connection. Returns the response. */
async function sendHead(url: string, lines: readonly string[]): Promise<string> {
  const { port, hostname } = new URL(url);
  const socket = createConnection(Number(port), hostname);
  const [first = '', ...more] = lines;
  socket.write([first, 'Host: localhost', 'Connection: close', ...more, '', ''].join('\r\n'));
  return text(socket);
}
const bodyOf = (answer: string) => JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')));
const models = 'GET /api/agent/models HTTP/1.1';
const padding = (length: number) => `X-Padding: ${'x'.repeat(length)}`;

needs(
  nginxServer,
).test('nginx passes an HTTP/1.0 request without a Host to a replica, which refuses it (rule: own-host)', async () => {
  const { url } = await startReplicas();
  const { port, hostname } = new URL(url);
  const socket = createConnection(Number(port), hostname);
  socket.write('GET /api/agent/models HTTP/1.0\r\n\r\n');
  const answer = await text(socket);
  expect(answer).toMatch(/^HTTP\/1\.1 403 /);
  expect(bodyOf(answer).error.code).toBe('forbidden');
});

needs(nginxServer).describe('request heads that nginx refuses', () => {
  test.each([
    ['is too large', [models, ...Array(3).fill(padding(6_900))], 431, 'invalid_request'],
    ['has too long an address', [`GET /${'x'.repeat(8_000)} HTTP/1.1`], 414, 'invalid_request'],
    [
      'has an invalid length',
      ['POST /api/agent/react_step HTTP/1.1', 'Content-Length: -1'],
      400,
      'invalid_request',
    ],
    ['is no HTTP', ['well'], 400, 'invalid_request'],
    ['has an unsupported method', ['TRACE / HTTP/1.1'], 405, 'method_not_allowed'],
    ['asks for the metrics, which each replica has for itself', ['GET /metrics HTTP/1.1'], 404, 'not_found'],
  ])('nginx returns the common error body for a request head that %s (rule: one-failure-body)', async (_how, head, status, code) => {
    const { url } = await startReplicas();
    const answer = await sendHead(url, head);
    const [failed, ofService] = [bodyOf(answer), (await sendRaw(url, { path: '/nowhere' })).text];
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} [^]*\r\nContent-Type: application/json\r\n`));
    expect(answer).toContain(`X-Request-Id: ${failed.request_id}\r\n`);
    expect(Object.keys(failed)).toEqual(Object.keys(JSON.parse(ofService)));
    expect(Object.keys(failed.error)).toEqual(Object.keys(JSON.parse(ofService).error));
    expect(failed.error).toMatchObject({ code, retryable: false });
  });

  test.each([
    ['three headers of 7 KB', [models, ...Array(3).fill(padding(7_000))]],
    ['a control character in a header', [models, 'X-Padding: \u0001']],
  ])('a request head with %s does not make nginx avoid a replica (rule: replicas)', async (_what, head) => {
    const { url } = await startReplicas();
    const ask = async () => (await sendRaw(url, { method: 'GET', path: '/api/agent/models' })).status;
    const warm = [await ask(), await ask()];
    await sendHead(url, head);
    await sendHead(url, head);
    expect([...warm, await ask(), await ask()]).toEqual([200, 200, 200, 200]);
  });

  test('a replica accepts the largest request head that nginx accepts (rule: body-limits)', async () => {
    const { url } = await startReplicas();
    const ask = (length: number) => sendHead(url, [models, padding(850), padding(length), padding(length)]);
    expect(await ask(7_100)).toMatch(/^HTTP\/1.1 200 /);
    expect(await ask(7_200)).toMatch(/^HTTP\/1.1 431 /);
  });
});

const openssl = { name: 'openssl', isMet: findCommand(['openssl', 'version']) !== undefined };

needs(
  nginxServer,
  openssl,
).test('the shipped configuration with its lines for TLS passes on the events of a stream as they occur (rule: replicas)', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'stepwise-tls-'));
  const files = { cert: join(folder, 'server.pem'), key: join(folder, 'server.key') };
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  const args = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', ...subject];
  execFileSync('openssl', [...args, '-keyout', files.key, '-out', files.cert], { stdio: 'ignore' });
  replicas = [await startServiceProcess({ ...upstreamsAt(fake.url), TRUST_PROXY: '1' })];
  const [replica] = replicas;
  if (!replica) throw new Error('no replica');
  const tls = await startTlsNginx(replica, files);
  fake.script({ text: 'Final Answer: 42', delayMs: 1_000 });
  const options = {
    ...{ host: '127.0.0.1', port: tls.port, servername: 'localhost', ca: readFileSync(files.cert) },
    ...{ method: 'POST', path: pathOf({ vendor: 'openai', streamed: true }), agent: false as const },
    headers: { 'Content-Type': 'application/json' },
  };
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request(options, resolve).on('error', reject).end(JSON.stringify(stepRequest()));
  });
  const pieces = await response.setEncoding('utf8').toArray();
  const pieceWith = (event: string) => pieces.findIndex((piece) => piece.includes(`event: ${event}\n`));
  expect(response.statusCode).toBe(200);
  expect(pieceWith('context.built')).toBeGreaterThanOrEqual(0);
  expect(pieceWith('step.completed')).toBeGreaterThan(pieceWith('context.built'));
  expect(tls.said()).toBe('');
  await tls.stop();
  rmSync(folder, { recursive: true });
});

needs(nginxServer).describe('data that nginx stores', () => {
  const [hex, key] = ['0123456789abcdef'.repeat(4), 'vendor.Key-4242424242'];
  const asKey = [['X-LLM-API-Key', key]] as const;
  const asToken = [['Authorization', 'Bearer stepwise_Q2hhcmxpZSB0aGUgY2F0']] as const;
  test.each<[string, string, readonly (readonly [string, string])[]]>([
    ['a model key by its shape', 'sk-proj-1', []],
    ['a token by its shape', 'Stepwise_1', []],
    ['a digest', `run-${hex}`, []],
    ['the model key', key, asKey],
    ['the model key, with more around it', `my-${key.toUpperCase()}-id`, asKey],
    ['the model key in base64', Buffer.from(key).toString('base64url'), asKey],
    ['a key in x-api-key', key, [['x-api-key', key]]],
    [
      'a token in X-Stepwise-Token',
      'Q2hhcmxpZSB0aGUgY2F0',
      [['X-Stepwise-Token', 'stepwise_Q2hhcmxpZSB0aGUgY2F0']],
    ],
    ['the end of the token', 'run-1-GUgY2F0x-dGhlIGNhdA-aGUgY2F0', asToken],
  ])('nginx neither logs nor returns a request id that is %s, even without replicas (rule: request-log)', async (_what, id, secrets) => {
    const { url } = await startReplicas();
    const headers = [['X-Request-Id', id], ...secrets] as const;
    const ask = () => sendRaw(url, { method: 'GET', path: '/api/agent/models', headers });
    const answers = [await ask()];
    await Promise.all(replicas.map((replica) => replica.kill()));
    answers.push(await ask());
    expect(answers.map(({ status }) => status)).toEqual([200, 502]);
    for (const kept of [nginx?.accessLog(), ...answers.map((answer) => JSON.stringify(answer))]) {
      expect(kept).not.toContain(id);
    }
  });

  test('nginx returns the caller’s request id if it resembles no secret, also beside a service token', async () => {
    const { url } = await startReplicas();
    const headers = [['X-Request-Id', 'stepwise-run.42'], ...asToken] as const;
    await Promise.all(replicas.map((replica) => replica.kill()));
    const answer = await sendRaw(url, { method: 'GET', path: '/api/agent/models', headers });
    expect([answer.status, answer.headers['x-request-id']]).toEqual([502, 'stepwise-run.42']);
  });

  test('nginx keeps a UUID as the request id of a request with a model key', async () => {
    const { url } = await startReplicas();
    const id = '6f9619ff-8b86-4d01-b42d-00cf4fc964ff';
    await Promise.all(replicas.map((replica) => replica.kill()));
    const headers = [['X-Request-Id', id], ...asKey] as const;
    const answer = await sendRaw(url, { method: 'GET', path: '/api/agent/models', headers });
    expect([answer.status, answer.headers['x-request-id']]).toEqual([502, id]);
  });

  test('nginx writes no part of a conversation to disk, however large it is', async () => {
    const { url } = await startReplicas();
    fake.script({ text: 'Final Answer: 42' });
    const user_query = 'word '.repeat(700_000);
    const answer = await sendRaw(url, { body: stepRequest({ user_query }) });
    expect(JSON.parse(answer.text).status).toBeDefined();
    expect(nginx?.warnings).toBe('');
  });
});

needs(nginxServer, redisServer).describe('a rate limit shared by two replicas', () => {
  test('two replicas together limit the requests of a client, whatever address the client claims (rules: shared-limits, rate-limit)', async () => {
    let statuses = await spendLimit();
    // On a busy machine Redis may take longer than the service waits for it, which another suite tests; so the trial is
    // repeated.
    while (!statuses) statuses = await spendLimit();
    expect(statuses).toEqual([...Array(8).fill(200), ...Array(4).fill(429)]);
  });
});
