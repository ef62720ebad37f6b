import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { key, startWholeService, stepRequest, type WholeService } from '../support/whole-service.js';

let service: WholeService;
beforeAll(async () => {
  service = await startWholeService({ text: 'Final Answer: here' });
});
afterAll(() => service.close());

test('a key that was sent as a request id as well is in no log line (rule: key-redaction)', async () => {
  const { status } = await service.post('/api/agent/react_step', stepRequest(), { 'X-Request-Id': key });
  expect(status).toBe(200);
  expect(service.log.join('')).toContain('"request_id":"[redacted]"');
  expect(service.log.join('')).not.toContain(key);
});

test('the header wins over the body, and only it reaches the provider (rule: key-form)', async () => {
  const other = 'sk-other-9876543210-zyxwvutsrq';
  await service.post('/api/agent/react_step', stepRequest(), { 'X-LLM-API-Key': other });
  const sent = service.fake.requests.at(-1);
  expect(sent?.headers['authorization']).toBe(`Bearer ${other}`);
  expect(sent?.rawBody).not.toContain(key);
});
