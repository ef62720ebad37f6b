import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { expectNoCrash } from '../support/hostile-bodies.js';
import { startTestService, type TestService } from '../support/test-service.js';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

test('300 hostile bodies cause no 5xx and no hang; `npm run fuzz` sends 10,000 (rule: body-limits)', async () => {
  await expectNoCrash(() => service, 300);
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
}, 30_000);
