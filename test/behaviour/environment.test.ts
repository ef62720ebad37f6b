import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { type FakeProvider, startFakeProvider } from '../../src/offline/fake-provider.js';
import { type ServiceProcess, startServiceProcess, upstreamsAt } from '../support/service-process.js';
import { key, llmConfig, stepRequest, type VendorName } from '../support/whole-service.js';

// The suite starts a process, which takes longer on a busy machine.
jest.setTimeout(30_000);

const foreign = 'operator-poison';
const nowhere = `http://${foreign}:password@127.0.0.1:9/`;

/** Variables that the SDKs, undici and Node would read from the shell of an operator. */
const poisoned = {
  OPENAI_API_KEY: `sk-${foreign}`,
  OPENAI_ADMIN_KEY: `sk-admin-${foreign}`,
  OPENAI_ORG_ID: `org-${foreign}`,
  OPENAI_PROJECT_ID: `proj-${foreign}`,
  OPENAI_BASE_URL: nowhere,
  OPENAI_CUSTOM_HEADERS: `Authorization: Bearer ${foreign}\nX-Extra: ${foreign}`,
  OPENAI_LOG: 'debug',
  ANTHROPIC_API_KEY: `sk-ant-${foreign}`,
  ANTHROPIC_AUTH_TOKEN: foreign,
  ANTHROPIC_BASE_URL: nowhere,
  ANTHROPIC_CUSTOM_HEADERS: `x-api-key: ${foreign}`,
  ANTHROPIC_LOG: 'debug',
  ANTHROPIC_PROFILE: foreign,
  ANTHROPIC_ORGANIZATION_ID: foreign,
  HTTP_PROXY: nowhere,
  HTTPS_PROXY: nowhere,
  ALL_PROXY: nowhere,
  NODE_USE_ENV_PROXY: '1',
};

/** The warning of Node.js 22 about `NODE_USE_ENV_PROXY`, printed before the service is loaded. */
const warningOfNode = /^\(node:\d+\) \[UNDICI-EHPA\] Warning: .*\n\(Use .*\n/;

let fake: FakeProvider;
let service: ServiceProcess;
beforeAll(async () => {
  fake = await startFakeProvider();
  const upstreams = { local: { url: `${fake.url}/v1`, keyRequired: false } };
  service = await startServiceProcess({
    ...upstreamsAt(fake.url),
    UPSTREAMS: JSON.stringify(upstreams),
    ...poisoned,
  });
});
afterAll(async () => {
  await service.stop();
  await fake.close();
});

async function post(path: string, changes: object): Promise<string> {
  const response = await fetch(service.url + path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ ...stepRequest(), ...changes }),
  });
  return response.text();
}

const paths = ['/api/agent/react_step', '/api/agent/react_step/stream'];
const ways = (['openai', 'anthropic'] as const).flatMap((vendor) =>
  paths.map((path): [VendorName, string] => [vendor, path]),
);

test.each(
  ways,
)('variables of SDKs and proxies in the environment of the operator do not change requests to %s at %s (rule: key-redaction)', async (vendor, path) => {
  const before = fake.requests.length;
  expect(await post(path, { llm_config: llmConfig(vendor) })).toContain('A scripted answer.');
  const [request] = fake.requests.slice(before);
  expect(request?.headers['authorization']).toBe(`Bearer ${key}`);
  expect(JSON.stringify(request)).not.toContain(foreign);
  expect(JSON.stringify(request?.headers)).not.toMatch(/organization|project|x-api-key|x-extra/i);
});

test('a request without a key never uses a key from the environment of the operator (rule: key-redaction)', async () => {
  const before = fake.requests.length;
  for (const vendor of ['openai', 'anthropic'] as const) {
    const answer = await post('/api/agent/react_step', {
      llm_config: llmConfig(vendor),
      user_api_keys: null,
    });
    expect(JSON.parse(answer).error.code).toBe('missing_api_key');
  }
  expect(fake.requests).toHaveLength(before);
  const llm_config = { ...llmConfig('openai'), provider: 'local' };
  await post('/api/agent/react_step', { llm_config, user_api_keys: null });
  expect(Object.keys(fake.requests.at(-1)?.headers ?? {})).not.toContain('authorization');
});

test('the SDKs of the vendors print nothing, even if the environment asks for debug logs (rule: key-redaction)', () => {
  const { stdout, stderr } = service.output;
  expect(stdout + stderr).not.toContain(foreign);
  const ours = stderr.replace(warningOfNode, '');
  expect(ours.trim().split('\n')).toHaveLength(1);
  for (const line of stdout.trim().split('\n')) expect(JSON.parse(line).msg).toBe('request');
});
