import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { key, startWholeService, stepRequest, type WholeService } from '../support/whole-service.js';

let service: WholeService;
beforeAll(async () => {
  service = await startWholeService({ text: 'Final Answer: here' });
});
afterAll(() => service.close());

test('a key that was also sent as the request id is in no log line (rule: key-redaction)', async () => {
  const { status } = await service.post('/api/agent/react_step', stepRequest(), { 'X-Request-Id': key });
  expect(status).toBe(200);
  expect(service.log.join('')).not.toContain(key);
});

const plainKey = 'own-key-0123456789abcdef';
const asId = { 'X-Request-Id': `run.${plainKey}` };

test.each<[string, object, Record<string, string>]>([
  ['in the body', { ...stepRequest(), user_api_keys: { llmKey: plainKey } }, {}],
  ['in a body that is refused', { user_api_keys: { llmKey: plainKey } }, {}],
  ['in a header', { nothing: true }, { 'X-LLM-API-Key': plainKey }],
  ['in the header of Anthropic', { nothing: true }, { 'X-Api-Key': plainKey }],
  ['in the header of Azure', { nothing: true }, { 'Api-Key': plainKey }],
  ['as X-Stepwise-Token', { nothing: true }, { 'X-Stepwise-Token': `stepwise_${plainKey}` }],
])('a request id that contains the key sent %s is replaced (rule: key-redaction)', async (_where, body, headers) => {
  const answer = await service.post('/api/agent/react_step', body, { ...asId, ...headers });
  expect(answer.headers['x-request-id']).toBe(answer.body.request_id);
  expect(JSON.stringify([answer, service.log])).not.toContain(plainKey);
});

test('a request id without a key is kept (rule: request-log)', async () => {
  const { headers } = await service.post('/api/agent/react_step', stepRequest(), {
    'X-Request-Id': 'run.1-a_b',
  });
  expect(headers['x-request-id']).toBe('run.1-a_b');
});

test('the key in the header overrides the one in the body, and only it reaches the provider (rule: key-form)', async () => {
  const other = 'sk-other-9876543210-zyxwvutsrq';
  await service.post('/api/agent/react_step', stepRequest(), { 'X-LLM-API-Key': other });
  const sent = service.fake.requests.at(-1);
  expect(sent?.headers['authorization']).toBe(`Bearer ${other}`);
  expect(sent?.rawBody).not.toContain(key);
});
