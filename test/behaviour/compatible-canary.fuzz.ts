import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Respond } from '../../src/offline/answer-request.js';
import type { FaultName } from '../../src/offline/wire/reply.js';
import { createToken } from '../../src/service/operations/access/token.js';
import { shapesOf } from '../support/key-shapes.js';
import { pooled } from '../support/pooled.js';
import { recordedFiles } from '../support/recorded-session.js';
import { type SpanReceiver, startSpanReceiver } from '../support/span-receiver.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { writeTokenFile } from '../support/token-file.js';
import { until } from '../support/until.js';
import { type TestWatcher, watch } from '../support/watcher.js';
import { startWholeService, type WholeService } from '../support/whole-service.js';

const main = join(process.cwd(), '.build/src/cli/main.js');

/** A model key with characters that encodings change. */
const key = 'Qx7Zp9LmA"quoted\\n%41+/=Vt3Kw8YbA';
/** A text that a client sends as the key because its settings demand one. */
const placeholder = 'Qx7Zp9LmP-nothing-Vt3Kw8YbP';
/** The prefix that all tokens share is not secret. */
const token = createToken();
const tokenPart = token.replace('stepwise_', '');
/** Values of the gateway: one that encodings change, and two that may be an id or the name of a model. */
const gateway = {
  odd: 'Gh4Zp9LmB"own\\n+/=Ut3Kw8YbB',
  header: 'Gh7Zp2LmC-own-Ut3Kw8YbC',
  query: 'Gq7Tp2LmD.own.Ux9Kw8YaD',
};

const hitsOf = (secrets: readonly string[]) => {
  const shapes = [...new Set(secrets.flatMap(shapesOf))].filter(({ length }) => length >= 8);
  return (printed: string): string[] => shapes.filter((shape) => printed.includes(shape));
};
const hitsIn = hitsOf([key, placeholder, tokenPart, ...Object.values(gateway)]);
const callersHits = hitsOf([key, placeholder, tokenPart]);
const tokenHits = hitsOf([tokenPart]);

type Headers = Readonly<Record<string, string>>;

/**
 * Headers in which a caller may send the secret or a token, to a service without tokens (`open`) and with tokens
 * (`guarded`) (rule: compatible-keys).
 */
const places: Readonly<Record<'open' | 'guarded', (secret: string) => Headers[]>> = {
  open: (secret) => [
    { 'X-LLM-API-Key': secret },
    { 'x-api-key': secret },
    { Authorization: `Bearer ${secret}` },
    { Authorization: `Bearer ${token}`, 'x-api-key': token, 'X-LLM-API-Key': token },
  ],
  guarded: (secret) => [
    { 'X-Stepwise-Token': token, 'X-LLM-API-Key': secret },
    { 'X-Stepwise-Token': token, 'x-api-key': secret },
    { 'X-Stepwise-Token': token, Authorization: `Bearer ${secret}` },
    { Authorization: `Bearer ${token}`, 'X-LLM-API-Key': secret },
    { 'x-api-key': token, 'X-LLM-API-Key': secret },
    { Authorization: `Bearer ${secret}`, 'x-api-key': token },
    { 'X-Stepwise-Token': token, Authorization: `Bearer ${token}`, 'x-api-key': token },
    { Authorization: `Bearer ${token}`, 'X-LLM-API-Key': token },
  ],
};

const user = (content: unknown) => ({ messages: [{ role: 'user', content }] });
const faults: readonly FaultName[] = ['unauthorized', 'echoed-key', 'html-502', 'reset', 'cut', 'not-found'];

/** Request bodies: one for each model and reply of the upstream, and others with the secret in wrong fields. */
const bodiesFor = (secret: string): unknown[] => [
  ...['keyed/keyed-m', 'anthropic/keyed-m', 'keyless/keyless-m'].flatMap((model) => [
    ...[...faults, 'parrot', 'answer'].map((reply) => ({ model, ...user(`reply:${reply};`) })),
    { model, messages: secret },
    { model, messages: [{ role: secret, content: '' }], tools: [{ type: secret }] },
    { model, ...user(' '), max_tokens: secret },
    { model, ...user('reply:answer;'), previous_response_id: secret },
  ]),
  `{"model": "${secret}`,
  JSON.stringify(secret),
  { model: secret, ...user('.') },
  { model: `nobody/${secret}`, ...user('.') },
  ...[secret, gateway.header].map((name) => ({ model: `keyless/${name}`, ...user('reply:not-found;') })),
];

/** Headers that could bring a secret of the same request into the log, the answer or a trace. */
const idsFor = (secret: string): Headers[] => [
  {},
  { 'X-Request-Id': `run.${secret.slice(0, 8)}` },
  { 'X-Request-Id': `run.${secret.slice(-8)}`, traceparent: secret, tracestate: `k=${secret}` },
];

/**
 * Answers with the fault or the reply that the text of the request names. `parrot` is an error that repeats the
 * headers and the query of the request, and `repeat` a call whose thought and argument repeat them.
 */
const respond: Respond = ({ headers, query, rawBody }) => {
  const [, reply = 'answer'] = /reply:([\w-]+);/.exec(rawBody) ?? [];
  const seen = JSON.stringify({ headers, query });
  if (reply === 'parrot') throw new Error(`refused: ${seen}`);
  if (reply === 'repeat')
    return { text: `Thought: I saw ${seen}\nAction: read_file(path=${JSON.stringify(seen)})` };
  if (reply === 'answer') return { text: 'Final Answer: x', model: gateway.header };
  return { fault: reply as FaultName, retryAfter: '0' }; // cast: the requests name only faults here
};

const root = temporaryFolder();
/** Folder with the recorded runs of a service. */
const runsOf = (kind: keyof typeof places): string => join(root, kind);

let traces: SpanReceiver;
const services: Partial<Record<keyof typeof places, WholeService>> = {};
const watchers: Partial<Record<keyof typeof places, TestWatcher>> = {};
const serviceOf = (kind: keyof typeof places): WholeService => {
  const service = services[kind];
  if (!service) throw new Error('The service has not started.');
  return service;
};

beforeAll(async () => {
  traces = await startSpanReceiver();
  const settings = {
    headers: { 'X-Gateway-Odd': `\${GATEWAY_ODD}`, 'X-Gateway-Key': `\${GATEWAY_HEADER}` },
    query: { sig: `\${GATEWAY_QUERY}` },
  };
  const environment = {
    UPSTREAMS: JSON.stringify({
      keyed: { url: 'FAKE_URL/v1', keyRequired: true, ...settings },
      keyless: { url: 'FAKE_URL/v1', keyRequired: false, ...settings },
      anthropic: settings,
    }),
    GATEWAY_ODD: gateway.odd,
    GATEWAY_HEADER: gateway.header,
    GATEWAY_QUERY: gateway.query,
    OTEL_EXPORTER_OTLP_ENDPOINT: traces.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_BSP_SCHEDULE_DELAY: '100',
    WATCH: 'on',
  };
  const AUTH_TOKENS_FILE = writeTokenFile({ token, name: 'canary', watch: true });
  for (const kind of ['open', 'guarded'] as const) mkdirSync(runsOf(kind));
  services.open = await startWholeService(respond, { ...environment, RECORD_DIR: runsOf('open') });
  services.guarded = await startWholeService(respond, {
    ...environment,
    AUTH_TOKENS_FILE,
    RECORD_DIR: runsOf('guarded'),
  });
  watchers.open = await watch(services.open.url);
  watchers.guarded = await watch(services.guarded.url, { Authorization: `Bearer ${token}` });
});
afterAll(async () => {
  for (const watcher of Object.values(watchers)) watcher.leave();
  await Promise.all(Object.values(services).map((service) => service.close()));
  await traces.close();
});

/** Returns the status, the headers and the body as one text. */
async function send(url: string, headers: Headers, body?: unknown): Promise<string> {
  const response = await fetch(url, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  return `${response.status} ${JSON.stringify([...response.headers])}\n${await receivedText(response)}`;
}

/** Returns the body as far as it arrives, since a stream may break off. */
async function receivedText({ body }: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  try {
    for await (const chunk of body ?? []) text += decoder.decode(chunk, { stream: true });
  } catch {
    // The stream broke off.
  }
  return text;
}

interface Ask {
  readonly at: string;
  readonly headers: Headers;
  readonly body?: unknown;
}

const wirePaths = ['/v1/chat/completions', '/v1/responses', '/v1/messages'];

/** Returns a body with its fields renamed as the endpoint `at` expects. */
function bodyFor(at: string, body: object): object {
  if (at !== '/v1/responses') return body;
  const { messages, max_tokens, ...rest } = body as Readonly<Record<string, unknown>>; // cast: every body is an object
  // This endpoint accepts a text as a prompt, so an object makes the body invalid.
  const input = typeof messages === 'string' ? { messages } : messages;
  return { input, max_output_tokens: max_tokens, ...rest };
}

/** Returns requests that send each body to each endpoint, plain and streamed, and requests for the lists of models. */
function asksFor(secret: string, place: Headers): Ask[] {
  const hasSecret = Object.values(place).some((value) => value.includes(secret));
  const sent = hasSecret ? secret : tokenPart;
  const ids = idsFor(sent);
  return [
    ...bodiesFor(hasSecret ? secret : 'harmless').flatMap((body, index) =>
      [...wirePaths, '/v1/messages/count_tokens'].flatMap((at) =>
        [false, true].map((stream) => ({
          at,
          headers: { ...place, ...ids[(index + Number(stream)) % ids.length] },
          body: typeof body === 'object' ? bodyFor(at, { max_tokens: 500, ...body, stream }) : body,
        })),
      ),
    ),
    ...['/v1/models', '/v1/models/keyless/x', '/api/agent/models'].flatMap((at) =>
      [{}, { 'anthropic-version': '2023-06-01', 'X-Stepwise-Protocol': sent }].map((more) => ({
        at,
        headers: { ...place, ...more },
      })),
    ),
    ...wirePaths.map((at) => ({
      at,
      headers: { ...place, 'X-Stepwise-Protocol': sent },
      body: bodyFor(at, { model: 'keyed/keyed-m', ...user('.') }),
    })),
  ];
}

const parameters = { type: 'object', properties: { path: { type: 'string' } } };
const toolOf: Readonly<Record<string, object>> = {
  '/v1/chat/completions': { type: 'function', function: { name: 'read_file', parameters } },
  '/v1/responses': { type: 'function', name: 'read_file', parameters },
  '/v1/messages': { name: 'read_file', input_schema: parameters },
};

/** Returns requests whose model repeats the headers and the query of its request, plain and streamed. */
const repeatingAsks = (place: Headers): Ask[] =>
  ['keyed/keyed-m', 'anthropic/keyed-m', 'keyless/keyless-m'].flatMap((model) =>
    wirePaths.flatMap((at) =>
      [false, true].map((stream) => {
        const body = { model, ...user('reply:repeat;'), tools: [toolOf[at]], max_tokens: 500, stream };
        return { at, headers: place, body: bodyFor(at, body) };
      }),
    ),
  );

/** A parser that reads every reply as an answer, so that an evaluation shows each run with its prompts. */
const otherParser = `export const parseCompletion = (text) =>
  ({ outcome: 'answer', action: null, answer: text, thought: null });
`;

/** Evaluates recorded runs. Returns all reports and the output as one text. */
function evaluate(runs: string): string {
  writeFileSync(join(root, 'parser.mjs'), otherParser);
  const reports = ['r.json', 'r.xml', 'r.html'];
  const [json = '', junit = '', html = ''] = reports;
  const options = ['--parser-only', '--parser', 'parser.mjs', '--verbose'];
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [main, 'eval', runs, ...options, '--json', json, '--junit', junit, '--html', html],
    { cwd: root, encoding: 'utf8', env: { PATH: process.env['PATH'], HOME: root } },
  );
  if (status !== 1) throw new Error(`stepwise eval ended with ${status}: ${stderr}`);
  const texts = reports.map((name) => readFileSync(join(root, name), 'utf8'));
  for (const text of texts) expect(text).toContain('[redacted]');
  return [stdout, stderr, ...texts].join('\n');
}

describe.each(['open', 'guarded'] as const)('secrets in requests to /v1 (%s service)', (kind) => {
  test('no answer, log line, metric, trace, watch event or unrelated upstream request contains a key, token, placeholder or gateway value (rules: key-redaction, compatible-keys, span-contents)', async () => {
    const { url, fake, log } = serviceOf(kind);
    const asks = [key, placeholder].flatMap((secret) =>
      places[kind](secret).flatMap((place) => asksFor(secret, place)),
    );
    const before = traces.spans().length;
    const answers = await pooled(asks, 16, ({ at, headers, body }) => send(url + at, headers, body));
    const leaks = answers.flatMap((answer, index) =>
      hitsIn(answer).map((hit) => ({ hit, answer, ask: asks[index] })),
    );
    expect(leaks.slice(0, 3)).toEqual([]);
    for (const path of wirePaths) {
      const statuses = answers.filter((_, index) => asks[index]?.at === path).map((each) => each.slice(0, 3));
      expect(new Set(statuses).size).toBeGreaterThanOrEqual(5);
    }
    await until(() => log.filter((line) => line.includes('"msg":"request"')).length >= asks.length);
    expect(log.filter((line) => hitsIn(line).length > 0).slice(0, 3)).toEqual([]);
    const watched = watchers[kind]?.text() ?? '';
    expect(watched).toContain('event: step.watched');
    expect(watched).toContain('event: step.failed');
    expect(hitsIn(watched)).toEqual([]);
    const metrics = await send(`${url}/metrics`, { Authorization: `Bearer ${token}` });
    expect(metrics).toContain('stepwise_');
    expect(hitsIn(metrics)).toEqual([]);

    const requests = fake.requests.map(({ headers, body, ...rest }) => {
      const { authorization, 'x-api-key': apiKey, ...others } = headers;
      const model = String(body?.['model']);
      return {
        model,
        rightful: [authorization, apiKey].join(' '),
        other: JSON.stringify({ others, ...rest }),
      };
    });
    const isNamed = ({ model }: { model: string }) => !hitsIn(model).length;
    const keyed = requests.filter(({ model }) => model === 'keyed-m');
    expect(keyed.some(({ rightful }) => rightful.includes(key))).toBe(true);
    expect(requests.filter((each) => tokenHits(JSON.stringify(each)).length)).toEqual([]);
    expect(requests.filter((each) => isNamed(each) && callersHits(each.other).length)).toEqual([]);
    const keyless = requests.filter(({ model }) => model !== 'keyed-m');
    expect(keyless.length).toBeGreaterThan(0);
    expect(keyless.filter(({ rightful }) => rightful !== ' ')).toEqual([]);

    await until(() => traces.spans().length - before > asks.length * 0.9);
    expect(traces.posts.flatMap(hitsIn)).toEqual([]);
  }, 300_000);

  test('no record, event for watchers or report of an evaluation has a secret, even if the model repeats it (rules: recorded-steps, watch, eval-reports)', async () => {
    const { url } = serviceOf(kind);
    const asks = [key, placeholder].flatMap((secret) => places[kind](secret).flatMap(repeatingAsks));
    const answers = await pooled(asks, 8, ({ at, headers, body }) => send(url + at, headers, body));
    // Proves that the test can find leaks: the caller reads what the model wrote.
    expect(new Set(answers.flatMap(hitsIn)).size).toBeGreaterThan(4);
    const watched = () => watchers[kind]?.text() ?? '';
    const records = () => recordedFiles(runsOf(kind)).map((file) => readFileSync(file, 'utf8'));
    const stepCount = () => records().join('').split('"parser_version"').length - 1;
    await until(() => stepCount() === watched().split('event: step.watched').length - 1);
    expect(stepCount()).toBeGreaterThan(answers.filter((answer) => answer.startsWith('200')).length - 1);
    for (const text of [watched(), records().join('\n')]) {
      expect(text).toContain('I saw ');
      expect(text).toContain('[redacted]');
      expect(hitsIn(text)).toEqual([]);
    }
    expect(hitsIn(evaluate(runsOf(kind)))).toEqual([]);
  }, 120_000);

  test.each([
    'header',
    'query',
  ] as const)('a gateway’s %s sent as the request id is neither echoed, logged nor traced (rules: request-log, gateway-settings)', async (place) => {
    const { url, log } = serviceOf(kind);
    const value = gateway[place];
    const asks = ['keyed/keyed-m', 'keyless/keyless-m', 'nobody/x'].flatMap((model) =>
      [...wirePaths, '/api/agent/react_step', '/nowhere'].map((at) => ({
        at,
        model,
      })),
    );
    for (const id of [value, `run.${value.slice(0, 8)}`, `run.${value.slice(-8)}`])
      for (const { at, model } of asks) {
        const headers = { 'X-Stepwise-Token': token, 'X-LLM-API-Key': key, 'X-Request-Id': id };
        const body = bodyFor(at, { model, max_tokens: 500, ...user('.') });
        expect(hitsIn(await send(url + at, headers, body))).toEqual([]);
      }
    expect(log.flatMap(hitsIn)).toEqual([]);
    expect(traces.posts.flatMap(hitsIn)).toEqual([]);
    const kept = await send(`${url}/livez`, { 'X-Request-Id': 'run.of-the-caller' });
    expect(kept).toContain('run.of-the-caller');
  });
});
