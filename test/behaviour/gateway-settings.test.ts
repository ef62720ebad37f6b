import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { StepRequestInput } from '../../src/contract/step-request.js';
import { streamStep } from '../support/stream-step.js';
import { key, startWholeService, stepRequest, type WholeService } from '../support/whole-service.js';

/** Returns the placeholder that the service replaces with a variable of the environment. */
const variable = (name: string): string => `\${${name}}`;

const headerValue = 'Qh4Zp9LmB"own\\n+/=Vt3Kw8Yb';
const queryValue = 'Wq7Tp2LmA%41&own=Zx9Kw8Ya';

let service: WholeService;
beforeAll(async () => {
  const gateway = {
    headers: { 'X-Portkey-Api-Key': variable('GATEWAY_KEY'), 'HTTP-Referer': 'https://shop.example' },
    query: { 'api-version': '2026-01-01', sig: variable('GATEWAY_QUERY') },
  };
  service = await startWholeService(
    { text: 'Final Answer: here' },
    {
      GATEWAY_KEY: headerValue,
      GATEWAY_QUERY: queryValue,
      UPSTREAMS: JSON.stringify({
        gateway: { url: 'FAKE_URL/v1', keyRequired: true, ...gateway },
        azure: { url: 'FAKE_URL/v1', keyRequired: true, keyHeader: 'api-key' },
        open: { url: 'FAKE_URL/v1', keyRequired: false, headers: { Authorization: 'Bearer own-token' } },
        local: { url: 'FAKE_URL/v1', keyRequired: false },
        openai: gateway,
        anthropic: { ...gateway, keyHeader: 'x-api-key' },
      }),
    },
  );
});
afterAll(() => service.close());

const at = (provider: string, changes: Partial<StepRequestInput> = {}): Partial<StepRequestInput> => ({
  llm_config: {
    ...stepRequest().llm_config,
    provider,
    modelName: provider === 'anthropic' ? 'claude-opus-5' : 'm',
  },
  ...changes,
});

const sent = () => service.fake.requests.at(-1);

describe('gateway settings (rule: gateway-settings)', () => {
  test.each([
    'gateway',
    'openai',
    'anthropic',
  ])('the configured headers and query go with each request to %s, plain and streamed', async (provider) => {
    for (const streamed of [false, true]) {
      if (streamed) await streamStep(service, at(provider));
      else expect((await service.step(at(provider))).status).toBe(200);
      expect(sent()?.headers).toMatchObject({
        'x-portkey-api-key': headerValue,
        'http-referer': 'https://shop.example',
        ...(provider === 'anthropic' ? { 'x-api-key': key } : { authorization: `Bearer ${key}` }),
      });
      expect(sent()?.query).toEqual({ 'api-version': '2026-01-01', sig: queryValue });
    }
  });

  test('the header that keyHeader names has the key without "Bearer", and no other header has the key', async () => {
    await service.step(at('azure'));
    expect(sent()?.headers['api-key']).toBe(key);
    expect(sent()?.headers).not.toHaveProperty('authorization');
    await service.step(at('anthropic'));
    expect(sent()?.headers).not.toHaveProperty('authorization');
  });

  test.each([
    ['the header', headerValue],
    ['a part of the header', headerValue.slice(4, 14)],
    ['the header in base64', Buffer.from(headerValue).toString('base64')],
    ['the query', queryValue],
    ['the query, percent-encoded', encodeURIComponent(queryValue)],
  ])('a vendor’s message is dropped if it contains %s (rule: key-redaction)', async (_, echoed) => {
    service.fake.script(() => {
      throw new Error(`Invalid gateway settings: ${echoed}`);
    });
    const { status, body } = await service.step(at('gateway'));
    expect([status, body.error?.details]).toEqual([422, []]);
    service.fake.script(() => {
      throw new Error('Invalid gateway settings.');
    });
    const plain = await service.step(at('gateway'));
    expect(plain.body.error?.details).toEqual([
      expect.objectContaining({ message: 'Invalid gateway settings.' }),
    ]);
    service.fake.script({ text: 'Final Answer: here' });
  });

  test('no log line contains a header or query value of a gateway, whatever fault occurs', async () => {
    for (const fault of ['unauthorized', 'echoed-key', 'html-502', 'reset', 'redirect'] as const) {
      service.fake.script({ fault });
      await service.step(at('gateway'));
    }
    service.fake.script({ text: 'Final Answer: here' });
    const printed = service.log.join('');
    expect(printed).toContain('"route":"/api/agent/react_step"');
    for (const value of [headerValue, queryValue])
      for (const shape of [
        value,
        JSON.stringify(value).slice(1, -1),
        encodeURIComponent(value),
        value.slice(0, 8),
        value.slice(-8),
      ])
        expect(printed).not.toContain(shape);
  });
});

describe('the key of a caller for a gateway (rule: key-form)', () => {
  test.each([
    ['an Entra token of 3,000 characters', 'e'.repeat(3_000)],
    ['a key of 8,192 characters', 'k'.repeat(8_192)],
  ])('a key reaches the provider unchanged, from the body and from the header: %s', async (_, long) => {
    await service.step(at('gateway', { user_api_keys: { llmKey: long } }));
    expect(sent()?.headers['authorization']).toBe(`Bearer ${long}`);
    const { status } = await service.post('/api/agent/react_step', stepRequest(at('gateway')), {
      'X-LLM-API-Key': long,
    });
    expect(status).toBe(200);
    expect(sent()?.headers['authorization']).toBe(`Bearer ${long}`);
  });

  test.each([
    'x',
    'ollama',
    'not needed',
    'ein Schlüssel',
    'k'.repeat(9_000),
    'sk-real-key-0123456789',
  ])('a key that the upstream does not need is accepted and not sent: %j', async (llmKey) => {
    const { status } = await service.step(at('local', { user_api_keys: { llmKey } }));
    expect(status).toBe(200);
    expect(sent()?.headers).not.toHaveProperty('authorization');
    expect(JSON.stringify(sent()?.headers)).not.toContain(llmKey.slice(0, 20).padEnd(6, '·'));
  });

  test('an upstream that needs no key gets the authorization header of its settings', async () => {
    await service.step(at('open'));
    expect(sent()?.headers['authorization']).toBe('Bearer own-token');
  });

  test.each([
    'k'.repeat(8_193),
    'short',
    'has a space',
    'YOUR_API_KEY',
    'sk-xxxxxxxxxxxx',
    '<your-api-key>',
    'your-openai-api-key',
    'sk-your-key-here',
    'no-key-required',
  ])('if the upstream needs a key, the key %j is refused as malformed and nothing is sent', async (llmKey) => {
    const before = service.fake.requests.length;
    const { status, body } = await service.step(at('gateway', { user_api_keys: { llmKey } }));
    expect([status, body.error?.code]).toEqual([401, 'malformed_api_key']);
    expect(service.fake.requests).toHaveLength(before);
  });
});

test.each([
  'openai',
  'anthropic',
])('usage.cost is the cost that %s reports, else null (rule: usage)', async (provider) => {
  service.fake.script({ text: 'Final Answer: here', usage: { cost: 0.00123 } });
  expect((await service.step(at(provider))).body.usage?.cost).toBe(0.00123);
  expect((await streamStep(service, at(provider))).step.usage?.cost).toBe(0.00123);
  service.fake.script({ text: 'Final Answer: here' });
  expect((await service.step(at(provider))).body.usage?.cost).toBeNull();
});
