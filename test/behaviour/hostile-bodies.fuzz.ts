import { afterAll, beforeAll, test } from '@jest/globals';
import { expectNoCrash } from '../support/hostile-bodies.js';
import { startTestService, type TestService } from '../support/test-service.js';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

test('10,000 hostile bodies cause no 5xx, no response over 2 s, and no exit (rule: body-limits)', async () => {
  await expectNoCrash(() => service, 10_000);
}, 300_000);
