import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { hostileReplies, sendBack, stepPatiently } from '../support/hostile-replies.js';
import { startWholeService, type WholeService } from '../support/whole-service.js';

const MIB = 1_048_576;
const tools = ['read_file', 'write_file'].map((name) => ({
  name,
  inputSchema: { type: 'object', properties: { path: {}, content: {}, start_line: {}, end_line: {} } },
}));

let service: WholeService;
beforeAll(async () => {
  service = await startWholeService();
});
afterAll(() => service.close());

test.each(
  Object.entries(hostileReplies(MIB)),
)('the service answers after a reply of 1 MiB and accepts the returned history: %s (rule: linear-work)', async (_name, text) => {
  service.fake.script({ text });
  const answer = await stepPatiently(service, { tools });
  expect(answer.status).toBe(200);
  await sendBack(service, answer, { tools });
});
