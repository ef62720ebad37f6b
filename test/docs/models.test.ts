import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { readArguments } from '../../src/cli/commands/read-arguments.js';
import type { Step } from '../../src/contract/step.js';
import { type StructuredSetting, structuredOf } from '../../src/service/providers/models/known-servers.js';
import { readConfig } from '../../src/service/settings/config.js';
import { type Service, startService } from '../../src/service/start.js';
import { blocks } from '../support/document-snippets.js';
import { listen } from '../support/listen.js';
import { patience } from '../support/patience.js';
import { vendorDemands } from '../support/providers/vendor-demands.js';
import { key, stepRequest } from '../support/whole-service.js';

/**
 * Starts a service with every settings line of the page and checks that its requests reach a server at the path of that
 * line.
 */
const page = readFileSync('docs/models.md', 'utf8');
const [, servers = ''] = /^## Servers\n(.*?)^## /ms.exec(page) ?? [];
const sections = servers
  .split(/^### /m)
  .slice(1)
  .map((section) => ({
    name: section.split('\n')[0] ?? '',
    line: blocks(section, 'sh')[0] ?? '',
    config: JSON.parse(blocks(section, 'json')[0] ?? 'null'),
  }));
const sectionOf = (name: string) => sections.find((each) => each.name === name) ?? { line: '', config: {} };
const rows = page
  .split('\n')
  .map((line) => /^\| \[(.+?)\]\(#.+?\) \| (.+) \|$/.exec(line))
  .flatMap((found) =>
    found ? [[found[1] ?? '', ...(found[2] ?? '').replaceAll('`', '').split(' | ')]] : [],
  );

interface Asked {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Record<string, unknown>;
}

const asked: Asked[] = [];
const services: Service[] = [];
/**
 * The vendor whose rules the fake server enforces, and the origin that requests must have; undefined if the server
 * accepts any request.
 */
let vendor: { name: string; origin: string } | undefined;
/**
 * A fake server for the formats of OpenAI and Anthropic. It accepts any path, because the tests send the requests of
 * each line in the documentation to it.
 */
const fake = createServer(async (request, response) => {
  const body = (await json(request)) as Asked['body'];
  const received = { path: request.url ?? '', headers: request.headers, body };
  asked.push(received);
  response.setHeader('content-type', 'application/json');
  const problem = vendor && problemOf(received, vendor);
  if (problem) {
    response.writeHead(400).end(JSON.stringify({ error: { message: problem } }));
    return;
  }
  const isAnthropic = request.url?.endsWith('/messages');
  if (body['stream'] !== true) {
    response.end(JSON.stringify(isAnthropic ? anthropicReply : openaiReply));
    return;
  }
  response.setHeader('content-type', 'text/event-stream');
  response.end(isAnthropic ? anthropicEvents() : openaiEvents());
});

/** Returns the first thing that the vendor would refuse. */
function problemOf({ path, headers, body }: Asked, { name, origin }: { name: string; origin: string }) {
  const demand = vendorDemands[name];
  if (!demand) return `nothing is known about ${name}`;
  if (origin + path !== demand.url) return `expected ${demand.url}, got ${origin}${path}`;
  const wanted = {
    ...demand.headers,
    ...(demand.key && { [demand.key]: demand.key === 'authorization' ? `Bearer ${key}` : key }),
  };
  for (const [header, value] of Object.entries(wanted))
    if (headers[header] !== value) return `expected the header ${header}`;
  const copies = Object.entries(headers).filter(([, value]) => String(value).includes(key)).length;
  if (copies !== (demand.key ? 1 : 0)) return `expected the key once, or not at all, got ${copies}`;
  const unknown = Object.keys(body).filter((field) => !demand.fields.includes(field));
  if (unknown.length > 0) return `unknown field ${unknown.join(', ')}`;
  const missing = demand.required.filter((field) => !(field in body));
  if (missing.length > 0) return `missing field ${missing.join(', ')}`;
  const form = (body['response_format'] as { type?: string } | undefined)?.type;
  return form === undefined || demand.formats.includes(form) ? undefined : `response_format ${form}`;
}

const event = (data: object, name?: string): string =>
  `${name ? `event: ${name}\n` : ''}data: ${JSON.stringify(data)}\n\n`;

function openaiEvents(): string {
  const { choices: _, ...head } = openaiReply;
  const chunk = (delta: object, finish_reason: string | null) =>
    event({ ...head, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] });
  return `${chunk({ role: 'assistant', content: answered }, null)}${chunk({}, 'stop')}data: [DONE]\n\n`;
}

function anthropicEvents(): string {
  const { content, stop_reason, ...message } = anthropicReply;
  const [block] = content;
  return [
    { type: 'message_start', message: { ...message, content: [], stop_reason: null } },
    { type: 'content_block_start', index: 0, content_block: { ...block, text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: block?.text } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason }, usage: { output_tokens: 1 } },
    { type: 'message_stop' },
  ]
    .map((data) => event(data, data.type))
    .join('');
}

const answered = 'Final Answer: It works.';
const openaiReply = {
  id: 'r',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: answered }, finish_reason: 'stop' }],
};
const anthropicReply = {
  ...{
    id: 'r',
    type: 'message',
    role: 'assistant',
    model: 'm',
    stop_reason: 'end_turn',
    stop_sequence: null,
  },
  content: [{ type: 'text', text: answered }],
  usage: { input_tokens: 1, output_tokens: 1 },
};

let fakeUrl: string;
beforeAll(async () => {
  fakeUrl = await listen(fake);
});
afterAll(async () => {
  await Promise.all(services.map((service) => service.close()));
  fake.close();
});

/**
 * Starts the service as a line of the documentation says, but with all addresses redirected to the fake server. Returns
 * the service's decisions for each address.
 */
async function startAsDocumented(line: string): Promise<Service> {
  const [, settings] = /^(?:UPSTREAMS='(.+)' )?npm start\n$/.exec(line) ?? [line, line];
  const config = readConfig({
    PORT: '0',
    LOG_LEVEL: 'silent',
    ...Object.fromEntries(variablesIn(line).map((name) => [name, standIn(name)])),
    ...(settings && { UPSTREAMS: settings }),
  });
  const { openai: _, anthropic: __, ...servers } = config.UPSTREAMS;
  const upstreams = Object.entries(servers).map(([name, upstream]) => [
    name,
    { ...upstream, url: moved(upstream.url), structured: settingFor(upstream.url, upstream.structured) },
  ]);
  const service = await startService({
    ...config,
    ...patience,
    OPENAI_UPSTREAM_URL: moved(config.OPENAI_UPSTREAM_URL),
    ANTHROPIC_UPSTREAM_URL: moved(config.ANTHROPIC_UPSTREAM_URL).replace(/\/$/, ''),
    UPSTREAMS: Object.fromEntries(upstreams),
  });
  services.push(service);
  return service;
}

const variablesIn = (line: string): string[] =>
  [...line.matchAll(/\$\{(\w+)\}/g)].map(([, name = '']) => name);
const standIn = (name: string): string => `value-of-${name}`;

/** Returns the origin to which the service sends requests if it is started with this line of the documentation. */
function originOf(line: string, { provider }: { provider?: string }, name: string): string {
  const [, settings] = /^UPSTREAMS='(.+)' npm start\n$/.exec(line) ?? [];
  if (settings === undefined || provider === undefined)
    return name === 'Anthropic' ? 'https://api.anthropic.com' : 'https://api.openai.com';
  const entry = JSON.parse(settings)[provider];
  return new URL(typeof entry === 'string' ? entry : entry.url).origin;
}

/** Returns the setting that is equivalent to what the service detects from the address. */
function settingFor(url: string, setting: StructuredSetting | undefined): StructuredSetting {
  const structured = structuredOf(url, setting);
  if (typeof structured !== 'object') return structured;
  return structured.form === 'llama' ? 'llama' : 'json_schema';
}

const moved = (url: string): string => `${fakeUrl}${new URL(url).pathname}`;

const tools = [
  {
    name: 'read_file',
    inputSchema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
  },
];

async function step(service: Service, changes: object): Promise<Step> {
  const response = await fetch(`${service.url}/api/agent/react_step`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(
      stepRequest({ protocol: 'auto', tools, user_api_keys: { llmKey: key }, ...changes }),
    ),
  });
  return (await response.json()) as Step;
}

async function stepStreamed(service: Service, changes: object): Promise<string> {
  const response = await fetch(`${service.url}/api/agent/react_step/stream`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(stepRequest({ tools, user_api_keys: { llmKey: key }, ...changes })),
  });
  return response.text();
}

/** Returns the protocol that the service chose for `protocol: "auto"`, derived from the request it sent. */
function protocolOf({ body }: Asked): string {
  if ('tools' in body) return 'native';
  return 'response_format' in body || 'output_config' in body ? 'json' : 'text';
}

test('the table of the models page has a row for each server section, in the same order', () => {
  const others = ['Any other'];
  expect(rows.map(([name]) => name)).toEqual(
    sections.map(({ name }) => name).filter((name) => !others.includes(name)),
  );
  expect(sections).toHaveLength(19);
});

test.each(
  rows,
)('with the documented settings of %s, requests go to %s, the key is %s, auto is %s, and counting is %s', async (...row) => {
  const [name = '', path, keyStated, protocol, counting] = row;
  const { line, config } = sectionOf(name);
  const result = await step(await startAsDocumented(line), { llm_config: config });
  expect(result).toMatchObject({ status: 'direct_response_provided', direct_response: 'It works.' });
  const request = asked.at(-1);
  expect(request?.path).toBe(path);
  expect(request?.body['model']).toBe(config.modelName);
  const header = vendorDemands[name]?.key ?? null;
  expect(keyStated).toBe(
    header === null ? 'none' : header === 'authorization' ? "the caller's" : `the caller's, in ${header}`,
  );
  expect(request && protocolOf(request)).toBe(protocol);
  const inText = await step(await startAsDocumented(line), { llm_config: config, protocol: 'text' });
  expect(inText.context_report?.counting).toBe(counting);
});

describe.each(rows.map(([name = '']) => name))('requests with the settings of %s', (name) => {
  const { line, config } = sectionOf(name);
  afterEach(() => {
    vendor = undefined;
  });

  test.each([
    'text',
    'xml',
    'json',
    'native',
    'auto',
  ])('requests have all that the vendor requires, with the protocol %s, plain and streamed', async (protocol) => {
    const service = await startAsDocumented(line);
    vendor = { name, origin: originOf(line, config, name) };
    const before = asked.length;
    const changes = { llm_config: config, protocol };
    expect(await step(service, changes)).toMatchObject({ direct_response: 'It works.', warnings: [] });
    const events = await stepStreamed(service, changes);
    expect(events).toContain('"direct_response":"It works."');
    expect(events).toContain('"warnings":[]');
    // One request for the plain step, one for the streamed step. A request that the vendor refuses would be sent again.
    expect(asked).toHaveLength(before + 2);
  });
});

test.each(
  rows.map(([name = '']) => name).filter((name) => variablesIn(sectionOf(name).line).length > 0),
)('with the documented settings of %s, the value of each variable is sent in exactly one header and nowhere else', async (name) => {
  const { line, config } = sectionOf(name);
  await step(await startAsDocumented(line), { llm_config: config });
  const { headers = {}, body = {}, path = '' } = asked.at(-1) ?? {};
  for (const variable of variablesIn(line)) {
    expect(Object.values(headers).filter((value) => String(value).includes(standIn(variable)))).toHaveLength(
      1,
    );
    expect(path + JSON.stringify(body)).not.toContain(standIn(variable));
  }
});

test('the fake vendors refuse a request that lacks what they demand', () => {
  const origin = 'https://api.portkey.ai';
  const whole: Asked = {
    path: '/v1/chat/completions',
    headers: { ...vendorDemands['Portkey']?.headers, authorization: `Bearer ${key}` },
    body: { model: 'm', messages: [], max_completion_tokens: 1 },
  };
  const problem = (changes: Partial<Asked>) =>
    problemOf({ ...whole, ...changes }, { name: 'Portkey', origin });
  expect(problem({})).toBeUndefined();
  expect(problem({ path: '/v1/responses' })).toMatch(/^expected https/);
  expect(problem({ headers: { authorization: `Bearer ${key}` } })).toMatch(/^expected the header x-portkey/);
  expect(problem({ headers: { ...whole.headers, 'x-api-key': key } })).toMatch(/^expected the key once/);
  expect(problem({ body: { ...whole.body, max_tokens: 1 } })).toBe('unknown field max_tokens');
  expect(problem({ body: { model: 'm' } })).toMatch(/^missing field/);
  expect(problem({ body: { ...whole.body, response_format: { type: 'yaml' } } })).toMatch(/^response_format/);
});

test('an unknown server gets text prompts unless the settings declare more', async () => {
  const { line, config } = sectionOf('Any other');
  await step(await startAsDocumented(line), { llm_config: config });
  expect(asked.at(-1)?.body['response_format']).toMatchObject({ type: 'json_schema' });
  await step(await startAsDocumented(line.replace(', "structured": "json_schema"', '')), {
    llm_config: config,
  });
  expect(asked.at(-1)).toMatchObject({ path: '/v1/chat/completions' });
  expect(protocolOf(asked.at(-1) as Asked)).toBe('text');
});

test('the settings line with two servers configures both', async () => {
  const [line = ''] = blocks(page, 'sh');
  const service = await startAsDocumented(line);
  const models = await (await fetch(`${service.url}/api/agent/models`)).json();
  expect(models).toMatchObject({
    upstreams: expect.arrayContaining([
      { name: 'ollama', key_required: false },
      { name: 'openrouter', key_required: true },
    ]),
  });
});

test('the command that names a model and its server is valid', () => {
  const [, flags = ''] = /^ {4}stepwise "task" (.+)$/m.exec(page) ?? [];
  expect(readArguments(['task', ...flags.split(' ')])).toMatchObject({
    options: { model: 'qwen3:8b', upstream: 'ollama' },
  });
});

test('a run may change its model, server and protocol between any two steps', async () => {
  const service = await startAsDocumented(sectionOf('Ollama').line);
  const history = [
    { role: 'user', content: 'Where is the total?' },
    {
      role: 'assistant',
      content: 'I read.',
      toolCall: { name: 'read_file', parameters: { path: 'a.ts' }, id: 'x' },
    },
    { role: 'tool_observation', content: 'total = 1', toolCallId: 'x', toolResult: { success: true } },
  ];
  for (const name of ['Ollama', 'OpenAI', 'Anthropic']) {
    for (const protocol of ['text', 'xml', 'json', 'native', 'auto']) {
      const { config } = sectionOf(name);
      const request = { llm_config: config, protocol, user_query: '', conversation_history: history };
      expect(await step(service, request)).toMatchObject({ direct_response: 'It works.' });
      expect(JSON.stringify(asked.at(-1)?.body)).toContain('total = 1');
    }
  }
});

test('the service selects parameters, API and key header for a model as the page states', async () => {
  const reasoning = { modelName: 'o3', tokenLimit: 32_000, reservedOutputTokens: 4_000, temperature: 0 };
  const result = await step(await startAsDocumented('npm start\n'), { llm_config: reasoning });
  expect(result.warnings).toContainEqual(expect.objectContaining({ code: 'parameter_dropped' }));
  expect(asked.at(-1)?.body).toMatchObject({ max_completion_tokens: 4_000 });
  expect(asked.at(-1)?.body).not.toHaveProperty('temperature');
  const newer = { ...reasoning, modelName: 'gpt-5.4', temperature: undefined };
  await step(await startAsDocumented('npm start\n'), { llm_config: newer });
  expect([asked.at(-1)?.path, protocolOf(asked.at(-1) as Asked)]).toEqual(['/v1/responses', 'native']);
  const { line, config } = sectionOf('Azure OpenAI');
  await step(await startAsDocumented(line), { llm_config: config });
  expect(asked.at(-1)?.body).toMatchObject({ max_completion_tokens: 4_000 });
  const entra = await step(await startAsDocumented(line.replace('"keyHeader": "api-key", ', '')), {
    llm_config: config,
    user_api_keys: { llmKey: 'e'.repeat(1_500) },
  });
  expect(entra.direct_response).toBe('It works.');
  expect(asked.at(-1)?.headers['authorization']).toBe(`Bearer ${'e'.repeat(1_500)}`);
});
