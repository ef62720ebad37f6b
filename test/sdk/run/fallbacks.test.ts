import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startLocalService } from '../../../src/cli/session/local-service.js';
import { type FakeProvider, startFakeProvider } from '../../../src/offline/fake-provider.js';
import type { ScriptedReply } from '../../../src/offline/wire/reply.js';
import { StepwiseClient } from '../../../src/sdk/client/stepwise-client.js';
import type { RunOptions } from '../../../src/sdk/run/run-options.js';
import type { Service } from '../../../src/service/start.js';
import { lookUp, readAll } from '../../support/run-harness.js';

let first: FakeProvider;
let second: FakeProvider;
let service: Service;

beforeAll(async () => {
  first = await startFakeProvider();
  second = await startFakeProvider();
  const keyed = ({ url }: FakeProvider) => ({ url: `${url}/v1`, keyRequired: true });
  const upstreams = { first: keyed(first), second: keyed(second) };
  service = await startLocalService({ UPSTREAMS: JSON.stringify(upstreams) });
});
afterAll(async () => {
  await service.close();
  await first.close();
  await second.close();
});

const fallbackKey = 'sk-canary-of-the-fallback';
const fallbacks = [{ llmConfig: { modelName: 'b', provider: 'second' }, llmKey: fallbackKey }];

const start = (options: Partial<RunOptions> = {}) =>
  new StepwiseClient({ baseUrl: service.url, llmKey: 'sk-canary-of-the-first' }).run('How much?', {
    llmConfig: { modelName: 'a', provider: 'first' },
    tools: [lookUp],
    retries: 0,
    fallbacks,
    ...options,
  });

test('after an outage the run goes on with the next model, its key, and the history so far (rule: fallbacks)', async () => {
  const replies: ScriptedReply[] = [{ text: 'Action: look_up(key="price")' }];
  first.script(() => replies.shift() ?? { fault: 'overloaded' });
  second.script([{ text: 'Final Answer: It is 42.' }]);
  const run = start();
  const events = await readAll(run);
  const result = await run.result();
  expect(result).toMatchObject({ stopReason: 'answered', answer: 'It is 42.', error: null });
  expect(events.find(({ type }) => type === 'agent_error')).toMatchObject({
    error: { code: 'upstream_overloaded' },
    retryInMs: 0,
    fallback: 'b',
  });
  const sent = second.requests.at(-1);
  expect(sent?.headers['authorization']).toBe(`Bearer ${fallbackKey}`);
  expect(sent?.body['model']).toBe('b');
  expect(JSON.stringify(sent?.body)).toContain('price is 42');
  expect(JSON.stringify(run.save())).not.toContain('sk-canary');
});

test('a run whose model key is refused ends with that error and does not use the fallback', async () => {
  const before = second.requests.length;
  first.script([{ fault: 'unauthorized' }]);
  const { error } = await start().result();
  expect(error?.code).toBe('upstream_authentication_failed');
  expect(second.requests).toHaveLength(before);
});

test('a run whose models are all unavailable ends with the error of the last fallback', async () => {
  first.script(() => ({ fault: 'overloaded' }));
  second.script(() => ({ fault: 'rate-limited' }));
  const { error } = await start().result();
  expect(error?.code).toBe('upstream_rate_limited');
});

test('a fallback without a model throws a TypeError that names it', () => {
  expect(() => start({ fallbacks: [{ llmConfig: {} as { modelName: string } }] })).toThrow(
    new TypeError(
      'fallbacks[0].llmConfig.modelName: this field is required: a string with at least 1 character.',
    ),
  );
});
