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
)('a mebibyte from the model is answered, and its history taken again: %s (rule: linear-work)', async (_name, text) => {
  service.fake.script({ text });
  const answer = await stepPatiently(service, { tools });
  expect(answer.status).toBe(200);
  await sendBack(service, answer, { tools });
});
