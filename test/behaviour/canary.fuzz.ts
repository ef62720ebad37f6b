import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type FakeProvider, startFakeProvider } from '../../src/offline/fake-provider.js';
import { faultNames } from '../../src/offline/faults/faults.js';
import type { FaultName } from '../../src/offline/wire/reply.js';
import { createToken } from '../../src/service/operations/access/token.js';
import { shapesOf } from '../support/key-shapes.js';
import { listen } from '../support/listen.js';
import { pooled } from '../support/pooled.js';
import { recordedFiles } from '../support/recorded-session.js';
import { type ServiceProcess, startServiceProcess, upstreamsAt } from '../support/service-process.js';
import { type SpanReceiver, startSpanReceiver } from '../support/span-receiver.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { writeTokenFile } from '../support/token-file.js';
import { type TestWatcher, watch } from '../support/watcher.js';
import { llmConfig, stepRequest, uuid, type VendorName, vendors } from '../support/whole-service.js';

/**
 * Keys with characters that encodings change: quotes, backslashes, `+/=` and percent signs. The beginning and the end of
 * each key occur in no other text, so a match is a leak.
 */
const keys = [
  'Qx7Zp9LmA-plain-Vt3Kw8YbA',
  'Qx7Zp9LmB"quoted\\n\'Vt3Kw8YbB',
  'Qx7Zp9LmC+base/64==Vt3Kw8YbC',
  'Qx7Zp9LmD%41&query=%Vt3Kw8YbD',
] as const;
/** Values of the configured header and query parameter that the service sends to both vendors. */
const gatewayValue = 'Qx7Zp9LmG"own\\n%41+/=Vt3Kw8YbG';
const queryValue = 'Qx7Zp9LmH%41&own="+/Vt3Kw8YbH';
/** A string that `Secret.parse` refuses can still be a real key. */
const malformedKeys = ['Qx7Zp9LmE with spaces Vt3Kw8YbE', 'Qx7Zp9LmFäöüVt3Kw8YbF', 'Qx7Z'.repeat(2_100)];

/** The service's own token; the prefix that all tokens share is not secret. */
const token = createToken();
const tokenShapes = shapesOf(token.replace('stepwise_', ''));
const shapes = [
  ...new Set([...[...keys, ...malformedKeys, gatewayValue, queryValue].flatMap(shapesOf), ...tokenShapes]),
].filter(({ length }) => length >= 8);
const hitsIn = (printed: string): string[] => shapes.filter((shape) => printed.includes(shape));

interface ErrorPath {
  readonly name: string;
  /** The service to call: the provider of `faults` fails, the provider of `parrot` repeats the key. */
  readonly at: 'faults' | 'parrot';
  readonly request: (key: string, vendor: VendorName) => Sent;
}

interface Sent {
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly path?: string;
  readonly method?: string;
}

const deadlineMs = 300;
const stepFor = (key: string, vendor: VendorName, changes: object = {}) => ({
  ...stepRequest({ llm_config: { ...llmConfig(vendor), deadlineMs }, user_api_keys: { llmKey: key } }),
  ...changes,
});

/** Requests to a provider that fails in each possible way, with the key in the body or in the header. */
const faulty = faultNames
  .filter((name) => name !== 'huge')
  .map(
    (fault): ErrorPath => ({
      name: `fault ${fault}`,
      at: 'faults',
      request: (key, vendor) => ({
        body: stepFor(key, vendor, {
          user_query: `fault:${fault};`,
          ...(vendor === 'openai' && { user_api_keys: null }),
        }),
        ...(vendor === 'openai' && { headers: { 'X-LLM-API-Key': key } }),
      }),
    }),
  );

/** Places in which a provider may repeat the key: a field of its error, headers, an HTML page. */
const echoes: Readonly<Record<string, (key: string) => { type: string; body: string }>> = {
  message: (key) => json({ message: `bad key ${key}`, type: 'authentication_error' }),
  code: (key) => json({ message: 'bad', type: key, code: key }),
  param: (key) =>
    json({ message: `Unsupported parameter: '${key}'`, param: key, code: 'unsupported_parameter' }),
  fragment: (key) => json({ message: `no such model: ${key.slice(4, 12)}`, type: 'invalid_request_error' }),
  escaped: (key) => json({ message: JSON.stringify(JSON.stringify({ key })) }),
  percent: (key) =>
    json({ message: `https://x.test/?k=${encodeURIComponent(key)} ${encodeURIComponent(key)}` }),
  base64: (key) => json({ message: Buffer.from(`Bearer ${key}`).toString('base64') }),
  page: (key) => ({ type: 'text/html', body: `<html>${key}</html>` }),
  broken: (key) => ({ type: 'application/json', body: `{"error": {"message": "${key}` }),
};
const json = (error: unknown) => ({
  type: 'application/json',
  body: JSON.stringify({ type: 'error', error }),
});
const statuses = [200, 307, 400, 401, 403, 404, 413, 422, 429, 500, 503, 529];

const parroted = statuses.flatMap((status) =>
  Object.keys(echoes).map(
    (form): ErrorPath => ({
      name: `parrot ${status} ${form}`,
      at: 'parrot',
      request: (key, vendor) => ({ body: stepFor(key, vendor, { user_query: `parrot:${status}:${form};` }) }),
    }),
  ),
);

/** Requests that the service refuses before it calls a provider, with the key in allowed and in wrong places. */
const refused: Readonly<Record<string, (key: string, vendor: VendorName) => Sent>> = {
  'not JSON': (key) => ({ body: `{"user_api_keys": {"llmKey": ${JSON.stringify(key)}` }),
  'a bare key as the body': (key) => ({ body: key }),
  'a JSON string as the body': (key) => ({ body: JSON.stringify(key) }),
  'a list as the body': (key) => ({ body: [key] }),
  'keys as text': (key, vendor) => ({ body: stepFor(key, vendor, { user_api_keys: key }) }),
  'keys in a list': (key, vendor) => ({ body: stepFor(key, vendor, { user_api_keys: [key] }) }),
  'a key in an object': (key, vendor) => ({
    body: stepFor(key, vendor, { user_api_keys: { llmKey: { value: key } } }),
  }),
  'a key for the task': (key, vendor) => ({ body: stepFor(key, vendor, { user_query: [key] }) }),
  'a key for an id': (key, vendor) => ({ body: stepFor(key, vendor, { session_id: key }) }),
  'a key for a project': (key, vendor) => ({ body: stepFor(key, vendor, { project_id: key }) }),
  'a key for a protocol': (key, vendor) => ({ body: stepFor(key, vendor, { protocol: key }) }),
  'a key for a phase': (key, vendor) => ({ body: stepFor(key, vendor, { phase: key }) }),
  'a key for a number': (key, vendor) => ({ body: stepFor(key, vendor, { max_iterations_left: key }) }),
  'a key for a role': (key, vendor) => ({
    body: stepFor(key, vendor, { conversation_history: [{ role: key, content: '' }] }),
  }),
  'a key for a tool': (key, vendor) => ({ body: stepFor(key, vendor, { tools: key }) }),
  'a key for a schema': (key, vendor) => ({
    body: stepFor(key, vendor, { tools: [{ name: 'f', inputSchema: key }] }),
  }),
  'a key for a model setting': (key, vendor) => ({
    body: stepFor(key, vendor, { llm_config: { ...llmConfig(vendor), temperature: key } }),
  }),
  'a key for the model': (key, vendor) => ({
    body: stepFor(key, vendor, { llm_config: { ...llmConfig(vendor), modelName: key, provider: null } }),
  }),
  'a key for a model that is asked': (key, vendor) => ({
    body: stepFor(key, vendor, { llm_config: { ...llmConfig(vendor), modelName: key, deadlineMs } }),
  }),
  'a key for the provider': (key, vendor) => ({
    body: stepFor(key, vendor, { llm_config: { ...llmConfig(vendor), provider: key } }),
  }),
  'a NUL behind the key': (key, vendor) => ({
    body: stepFor(key, vendor, { user_api_keys: { llmKey: `${key}\0` } }),
  }),
  'too deep': (key, vendor) => ({
    body: stepFor(key, vendor, {
      tasks: JSON.parse('['.repeat(200) + JSON.stringify(key) + ']'.repeat(200)),
    }),
  }),
  'an integer too large': (key, vendor) => ({
    body: JSON.stringify(stepFor(key, vendor)).replace(
      '"max_iterations_left":5',
      '"max_iterations_left":9007199254740993',
    ),
  }),
  'a body too large': (key, vendor) => ({ body: stepFor(key, vendor, { padding: 'x'.repeat(5 * 2 ** 20) }) }),
  'the wrong type': (key, vendor) => ({
    body: stepFor(key, vendor),
    headers: { 'Content-Type': 'text/plain' },
  }),
  'the key for a charset': (key, vendor) => ({
    body: stepFor(key, vendor),
    headers: { 'Content-Type': `application/json; charset=${encodeURIComponent(key)}` },
  }),
  'the key for an encoding': (key, vendor) => ({
    body: stepFor(key, vendor),
    headers: { 'Content-Encoding': encodeURIComponent(key) },
  }),
  'the key for a request id': (key) => ({ body: '{', headers: { 'X-Request-Id': `${key} !` } }),
  'the key for a trace': (key) => ({ body: '{', headers: { traceparent: key, tracestate: key } }),
  'the key for a token': (key) => ({ body: '{', headers: { Authorization: `Bearer ${key}`, Cookie: key } }),
  'the key for the wrong scheme': (key) => ({ body: '{', headers: { Authorization: `Basic ${key}` } }),
  'no token': (key, vendor) => ({ body: stepFor(key, vendor), headers: { Authorization: '' } }),
  'half a token': (key, vendor) => ({
    body: stepFor(key, vendor),
    headers: { Authorization: `Bearer ${token.slice(0, -2)}` },
  }),
  'the token for the model key': (_, vendor) => ({ body: stepFor(token, vendor) }),
  'the token for a request id': (key, vendor) => ({
    body: stepFor(key, vendor, { user_query: '' }),
    headers: { 'X-Request-Id': token.slice('stepwise_'.length) },
  }),
  'the token for a project': (key, vendor) => ({ body: stepFor(key, vendor, { project_id: token }) }),
  'the token in the path': () => ({ body: '{}', path: `/api/${token}?access_token=${token}` }),
  'another project': (key, vendor) => ({ body: stepFor(key, vendor, { project_id: randomUUID() }) }),
  'the key for an origin': (key) => ({
    body: '{',
    headers: { Origin: `https://${encodeURIComponent(key)}` },
  }),
  'the key in the path': (key) => ({ body: '{}', path: `/api/agent/${encodeURIComponent(key)}` }),
  'the key in the query': (key) => ({
    body: '{',
    path: `/api/agent/react_step?key=${encodeURIComponent(key)}`,
  }),
  'the wrong method': (key, vendor) => ({ body: stepFor(key, vendor), method: 'PUT' }),
  'a path that is none': (key) => ({ body: '{}', path: `/%E0%A4%A?${encodeURIComponent(key)}` }),
  'a budget too small': (key, vendor) => ({
    body: stepFor(key, vendor, {
      llm_config: { ...llmConfig(vendor), tokenLimit: 20, reservedOutputTokens: 10 },
    }),
  }),
  'a reserve too large': (key, vendor) => ({
    body: stepFor(key, vendor, { llm_config: { ...llmConfig(vendor), reservedOutputTokens: 16_000 } }),
  }),
  'native without tools': (key, vendor) => ({ body: stepFor(key, vendor, { protocol: 'native' }) }),
  'no task': (key, vendor) => ({ body: stepFor(key, vendor, { user_query: '' }) }),
  'no iterations left': (key, vendor) => ({ body: stepFor(key, vendor, { max_iterations_left: 0 }) }),
  'a malformed key beside it in the header': (key, vendor) => ({
    body: stepFor(key, vendor),
    headers: { 'X-LLM-API-Key': 'Qx7Zp9LmE with spaces Vt3Kw8YbE' },
  }),
  ...Object.fromEntries(
    malformedKeys.map((malformed, index) => [
      `malformed key ${index}`,
      (key: string, vendor: VendorName): Sent => ({
        body: stepFor(index === 0 ? malformed : `${key} ${malformed}`, vendor),
      }),
    ]),
  ),
  'a preview': (key, vendor) => ({
    body: stepFor(key, vendor, { user_query: '' }),
    path: '/api/agent/context_preview',
  }),
  'a summary that fails': (key, vendor) => ({
    path: '/api/agent/compact_history',
    body: stepFor(key, vendor, {
      conversation_history: Array.from({ length: 8 }, (_, index) => ({
        role: index % 2 ? 'assistant' : 'user',
        content: `fault:echoed-key; ${'word '.repeat(200)}`,
      })),
      target_tokens: 50,
      strategy: 'summarize',
    }),
  }),
};

const paths: ErrorPath[] = [
  ...faulty,
  ...parroted,
  ...Object.entries(refused).map(([name, request]): ErrorPath => ({ name, at: 'faults', request })),
];

let fake: FakeProvider;
let traces: SpanReceiver;
const parrot = createServer((incoming, response) => void repeatTheKey(incoming, response));
const services: Partial<Record<ErrorPath['at'], ServiceProcess>> = {};
const watchers: TestWatcher[] = [];
/** Folder of the recorded runs of both services. */
const runs = temporaryFolder();

beforeAll(async () => {
  fake = await startFakeProvider(({ rawBody }) => {
    const fault = /fault:([\w-]+);/.exec(rawBody)?.[1] as FaultName | undefined; // cast: the requests name only faults
    return fault ? { fault, retryAfter: '0' } : { fault: 'silence' };
  });
  const parrotUrl = await listen(parrot);
  traces = await startSpanReceiver();
  const AUTH_TOKENS_FILE = writeTokenFile({ token, name: 'canary', projects: [uuid], watch: true });
  const gateway = {
    headers: { 'x-gateway-key': `\${GATEWAY_KEY}` },
    query: { signature: `\${GATEWAY_QUERY}` },
  };
  const environment = {
    UPSTREAMS: JSON.stringify({ openai: gateway, anthropic: gateway }),
    GATEWAY_KEY: gatewayValue,
    GATEWAY_QUERY: queryValue,
    LOG_LEVEL: 'debug',
    SHUTDOWN_GRACE_MS: '500',
    NODE_ENV: 'development',
    AUTH_TOKENS_FILE,
    OTEL_EXPORTER_OTLP_ENDPOINT: traces.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_BSP_SCHEDULE_DELAY: '100',
    WATCH: 'on',
  };
  for (const [at, url] of [
    ['faults', fake.url],
    ['parrot', parrotUrl],
  ] as const) {
    const RECORD_DIR = join(runs, at);
    mkdirSync(RECORD_DIR);
    services[at] = await startServiceProcess({ ...upstreamsAt(url), ...environment, RECORD_DIR });
    watchers.push(await watch(services[at].url, { Authorization: `Bearer ${token}` }));
  }
});
afterAll(async () => {
  for (const service of Object.values(services)) await service.stop();
  parrot.closeAllConnections();
  parrot.close();
  await traces.close();
  await fake.close();
});

/**
 * Answers as a provider that repeats the key of the request in every header and in the requested form. For a streamed
 * request it repeats a gateway value instead: for OpenAI the one in the header, for Anthropic the one in the query.
 */
async function repeatTheKey(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const sent = await text(incoming);
  const [, status = '500', form = 'message'] = /parrot:(\d+):(\w+);/.exec(sent) ?? [];
  const isStreamed = sent.includes('"stream":true');
  const { pathname, searchParams } = new URL(incoming.url ?? '', 'http://localhost');
  const ofGateway = pathname.endsWith('/messages')
    ? searchParams.get('signature')
    : incoming.headers['x-gateway-key'];
  const given = isStreamed ? ofGateway : incoming.headers.authorization;
  const key = String(given ?? '').replace('Bearer ', '');
  const { type, body } = echoes[form]?.(key) ?? { type: 'text/plain', body: key };
  response.writeHead(Number(status), {
    'content-type': type,
    'retry-after': key,
    'www-authenticate': key,
    'x-request-id': key,
    'set-cookie': `key=${encodeURIComponent(key)}`,
    location: `/elsewhere?${encodeURIComponent(key)}`,
  });
  response.end(body);
}

interface Ask {
  readonly path: ErrorPath;
  readonly key: string;
  readonly vendor: VendorName;
  readonly streamed: boolean;
}

test('no error path leaks a model key in any encoding, not even to a watcher or into a record (rules: key-redaction, span-contents, watch, recorded-steps)', async () => {
  const asks = paths.flatMap((path) =>
    keys.flatMap((key) =>
      (Object.keys(vendors) as VendorName[]).flatMap((vendor) =>
        [false, true].map((streamed): Ask => ({ path, key, vendor, streamed })),
      ),
    ),
  );
  const leaks = (await pooled(asks, 24, leaksOf)).flat();
  await drainWithOneUnderWay();
  const printed = Object.values(services).map(({ output }) => output.stdout + output.stderr);
  const lines = printed.join('').split('\n').length;
  process.stdout.write(`${paths.length} error paths, ${asks.length} requests, ${lines} printed lines, `);
  process.stdout.write(`${shapes.length} shapes: ${leaks.length + hitsIn(printed.join('\n')).length} hits\n`);
  expect(paths.length).toBeGreaterThanOrEqual(60);
  expect(asks.length).toBeGreaterThanOrEqual(2_000);
  // Proves that the test can find leaks: the keys did reach the providers.
  expect(hitsIn(JSON.stringify(fake.requests.map(({ headers }) => headers)))).not.toEqual([]);
  // The service token reaches a provider only if the caller sent it as the model key.
  const asKey = asks.filter(({ path }) => path.name === 'the token for the model key').length;
  const seen = fake.requests.filter((each) => JSON.stringify(each).includes(token)).length;
  expect([seen > 0, seen <= asKey * 2]).toEqual([true, true]);
  expect(lines).toBeGreaterThan(asks.length * 0.9);
  expect(leaks).toEqual([]);
  expect(hitsIn(printed.join('\n'))).toEqual([]);
  expect(traces.spans().filter(({ kind }) => kind === 2).length).toBeGreaterThan(asks.length * 0.9);
  expect(hitsIn(traces.posts.join('\n'))).toEqual([]);
  for (const watcher of watchers) {
    expect(watcher.text()).toContain('event: step.failed');
    expect(hitsIn(watcher.text())).toEqual([]);
  }
  const files = Object.keys(services).flatMap((at) => recordedFiles(join(runs, at)));
  const recorded = files.map((file) => readFileSync(file, 'utf8'));
  expect(recorded.join('')).toContain('completion_text');
  expect(hitsIn(recorded.join('\n'))).toEqual([]);
}, 300_000);

async function leaksOf({ path, key, vendor, streamed }: Ask): Promise<string[]> {
  const sent = path.request(key, vendor);
  const printed = await send(services[path.at]?.url ?? '', sent, streamed);
  return hitsIn(printed).map((shape) => `${path.name}, ${vendor}, ${streamed}: ${shape} in ${printed}`);
}

/** Returns the complete response as text, or an empty text if the HTTP client refuses to send the request. */
async function send(url: string, { body, headers, path, method }: Sent, streamed: boolean): Promise<string> {
  const request = {
    method: method ?? 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}`, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  };
  const usual = `/api/agent/react_step${streamed ? '/stream' : ''}`;
  const response = await fetch(url + (path ?? usual), request).catch(() => undefined);
  if (!response) return '';
  return `${JSON.stringify([...response.headers])}\n${await response.text()}`;
}

/** Stops the service during a request, to collect the 503 `shutting_down` response and the last log lines. */
async function drainWithOneUnderWay(): Promise<void> {
  const url = services.faults?.url ?? '';
  const asked = fake.requests.length;
  const answers = keys.map((key) =>
    send(url, { body: { ...stepFor(key, 'openai'), llm_config: llmConfig('openai') } }, false),
  );
  await fake.request(asked + keys.length - 1);
  const exits = Object.values(services).map((service) => service.stop());
  const printed = (await Promise.all(answers)).join('\n');
  expect(printed).toContain('shutting_down');
  expect(hitsIn(printed)).toEqual([]);
  expect(await Promise.all(exits)).toEqual([0, 0]);
}
