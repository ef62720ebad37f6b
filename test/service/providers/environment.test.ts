import Anthropic from '@anthropic-ai/sdk';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { apiVersion } from '../../../src/service/providers/anthropic/provider.js';
import { ask, canary, connect, directoryAt, fakeProvider, ways } from '../../support/providers/requests.js';

const foreign = 'operator-poison';

/**
 * Every environment variable of either SDK that could change the destination of a request, who pays, or what is
 * printed.
 */
const poisoned = {
  OPENAI_API_KEY: `sk-${foreign}`,
  OPENAI_ADMIN_KEY: `sk-admin-${foreign}`,
  OPENAI_ORG_ID: `org-${foreign}`,
  OPENAI_PROJECT_ID: `proj-${foreign}`,
  OPENAI_BASE_URL: `http://127.0.0.1:9/${foreign}`,
  OPENAI_CUSTOM_HEADERS: `Authorization: Bearer ${foreign}\nX-Extra: ${foreign}\nUser-Agent: ${foreign}`,
  OPENAI_WEBHOOK_SECRET: foreign,
  OPENAI_LOG: 'debug',
  ANTHROPIC_API_KEY: `sk-ant-${foreign}`,
  ANTHROPIC_AUTH_TOKEN: foreign,
  ANTHROPIC_BASE_URL: `http://127.0.0.1:9/${foreign}`,
  ANTHROPIC_CUSTOM_HEADERS: `Authorization: Bearer ${foreign}\nx-api-key: ${foreign}\nAnthropic-Version: 1999-01-01`,
  ANTHROPIC_WEBHOOK_SIGNING_KEY: foreign,
  ANTHROPIC_LOG: 'debug',
  ANTHROPIC_PROFILE: foreign,
  ANTHROPIC_CONFIG_DIR: `/nowhere/${foreign}`,
  ANTHROPIC_ORGANIZATION_ID: foreign,
  ANTHROPIC_WORKSPACE_ID: foreign,
  ANTHROPIC_IDENTITY_TOKEN: foreign,
  ANTHROPIC_OPEN_TELEMETRY: 'true',
  ANTHROPIC_OPEN_TELEMETRY_PROPAGATION: 'true',
  ANTHROPIC_OPEN_TELEMETRY_TRACES_CONTENT_MODE: 'content',
  HTTP_PROXY: `http://127.0.0.1:9/${foreign}`,
  HTTPS_PROXY: `http://127.0.0.1:9/${foreign}`,
};

const before = { ...process.env };
const printed: unknown[][] = [];

beforeAll(() => {
  Object.assign(process.env, poisoned);
  for (const method of ['log', 'info', 'warn', 'error', 'debug'] as const) {
    jest.spyOn(console, method).mockImplementation((...words) => void printed.push(words));
  }
});

afterAll(() => {
  for (const name of Object.keys(poisoned)) delete process.env[name];
  Object.assign(process.env, before);
  jest.restoreAllMocks();
});

describe.each(ways)('with misleading environment variables: $title', (way) => {
  test('no key, host, organisation or header from the environment is used, and nothing is printed', async () => {
    const fake = await fakeProvider();
    const provider = connect(directoryAt(fake.url), way.model);
    for (let call = 0; call < 25; call += 1) await ask(provider, way);
    expect(fake.requests).toHaveLength(25);
    for (const { headers, rawBody } of fake.requests) {
      expect(JSON.stringify(headers) + rawBody).not.toContain(foreign);
      expect(Object.keys(headers).sort()).toEqual(
        [
          'accept',
          ...(way.name === 'anthropic' ? ['anthropic-version'] : []),
          'authorization',
          'connection',
          'content-length',
          'content-type',
          'host',
          'user-agent',
        ].sort(),
      );
      expect(headers['authorization']).toBe(`Bearer ${canary}`);
    }
    expect(printed).toEqual([]);
  });

  test('an upstream without a key gets no authorization header', async () => {
    const fake = await fakeProvider();
    await ask(connect(directoryAt(fake.url), 'qwen3', 'local'), { model: 'qwen3', streamed: way.streamed });
    expect(JSON.stringify(fake.requests[0]?.headers)).not.toMatch(/authorization|operator/);
  });
});

test('a model that the SDK marks as deprecated prints no warning', async () => {
  const fake = await fakeProvider();
  const model = 'claude-sonnet-4-5';
  await ask(connect(directoryAt(fake.url), model), { model, streamed: false });
  expect(printed).toEqual([]);
});

test('the Anthropic API version equals the one that the SDK sends', async () => {
  const fake = await fakeProvider();
  delete process.env['ANTHROPIC_CUSTOM_HEADERS'];
  const sdk = new Anthropic({ apiKey: 'sk-ant-test', baseURL: fake.url, maxRetries: 0, logLevel: 'off' });
  await sdk.post('/v1/messages', {
    body: { model: 'x', max_tokens: 1, messages: [{ role: 'user', content: 'x' }] },
  });
  expect(fake.requests[0]?.headers['anthropic-version']).toBe(apiVersion);
});
