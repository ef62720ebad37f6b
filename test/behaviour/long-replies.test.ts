import { afterEach, describe, expect, test } from '@jest/globals';
import type { StepRequestInput } from '../../src/contract/step-request.js';
import { createToken } from '../../src/service/operations/access/token.js';
import { scrape } from '../support/scrape.js';
import { writeTokenFile } from '../support/token-file.js';
import { until } from '../support/until.js';
import {
  key,
  llmConfig,
  startWholeService,
  stepRequest,
  type WholeService,
} from '../support/whole-service.js';

const token = createToken();
const services: WholeService[] = [];
afterEach(async () => {
  await Promise.all(services.splice(0).map((service) => service.close()));
});

const paths = { plain: '/api/agent/react_step', streamed: '/api/agent/react_step/stream' };
const preview = '/api/agent/context_preview';

/** Starts a service with this maximum of bytes in flight. One pending request already uses several thousand of them. */
async function start(
  reply: string,
  maxBytes: number,
  limits: { tokensPerDay?: number } = {},
): Promise<WholeService> {
  const service = await startWholeService(
    ({ body }) => (JSON.stringify(body).includes('Wait') ? { text: '', delayMs: 60_000 } : { text: reply }),
    {
      MAX_BYTES_IN_FLIGHT: String(maxBytes),
      AUTH_TOKENS_FILE: writeTokenFile({ token, name: 'a', limits }),
    },
  );
  services.push(service);
  void send(service, paths.plain, { user_query: 'Wait' }).catch(() => {});
  await service.fake.request(0);
  return service;
}

async function send(
  { url }: WholeService,
  path: string,
  changes: Partial<StepRequestInput>,
): Promise<{ status: number; code: string | undefined }> {
  const response = await fetch(url + path, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Authorization: `Bearer ${token}`,
      'X-LLM-API-Key': key,
    },
    body: JSON.stringify({ ...stepRequest(changes), user_api_keys: undefined }),
  });
  const text = await response.text();
  return { status: response.status, code: /"code":"(\w+)","message"/.exec(text)?.[1] };
}

const bearer = { Authorization: `Bearer ${token}` };
const bytesInFlight = async ({ url }: WholeService) =>
  (await scrape(url, bearer)).sum('stepwise_bytes_in_flight', {});

describe.each([
  'openai',
  'anthropic',
] as const)('replies of %s in a process at its limit of bytes in flight (rule: overload)', (vendor) => {
  test.each(
    Object.entries(paths),
  )('a %s reply that is much longer than the size counted in advance fails with overloaded, and its tokens are charged', async (_, path) => {
    // The reply exceeds the maximum of bytes in flight, but the response does not: it has three times as many bytes as
    // the reply, and only an eighth of them count.
    const service = await start('word '.repeat(40_000), 100_000, { tokensPerDay: 10 });
    const before = await bytesInFlight(service);
    const llm_config = llmConfig(vendor);
    expect(await send(service, path, { llm_config })).toMatchObject({ code: 'overloaded' });
    await until(async () => (await bytesInFlight(service)) === before);
    await until(async () => (await send(service, path, { llm_config })).code === 'rate_limited');
  });

  test.each(
    Object.entries(paths),
  )('a %s reply that is slightly longer than the size counted in advance succeeds', async (_, path) => {
    const service = await start('word '.repeat(1_200), 12_000);
    expect(await send(service, path, { llm_config: llmConfig(vendor) })).toEqual({
      status: 200,
      code: undefined,
    });
  });

  test('a streamed reply fails with overloaded if its last event has many more bytes than its deltas', async () => {
    const llm_config = { ...llmConfig(vendor), reservedOutputTokens: 2_000 };
    const service = await start('\u0001'.repeat(8_000), 16_000);
    const changes = { llm_config, include: { completion_text: true } };
    expect(await send(service, paths.streamed, changes)).toEqual({ status: 200, code: 'overloaded' });
  });
});

test('a preview that is much longer than its request fails with overloaded in a process at its limit of bytes in flight (rule: overload)', async () => {
  const explicit_context_paths = Array.from({ length: 500 }, (_, index) => `f${index}`);
  const llm_config = { ...llmConfig('openai'), reservedOutputTokens: 1 };
  const changes = { explicit_context_paths, llm_config, include: { report: 'full' as const } };
  const roomy = await start('', 40_000);
  expect(await send(roomy, preview, changes)).toEqual({ status: 200, code: undefined });
  const full = await start('', 10_500);
  expect(await send(full, preview, changes)).toEqual({ status: 503, code: 'overloaded' });
});
