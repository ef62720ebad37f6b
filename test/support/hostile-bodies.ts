import { expect } from '@jest/globals';
import fc from 'fast-check';
import type { TestService } from './test-service.js';
import { stepBody, stepPath } from './test-service.js';

/** Valid requests in which one field is replaced, JSON of any shape, and texts that are not JSON. */
const hostileBody: fc.Arbitrary<string> = fc.oneof(
  fc
    .tuple(
      fc.constantFrom(...Object.keys(stepBody()), 'tools', 'tasks', 'inline_context', 'include'),
      fc.jsonValue(),
    )
    .map(([name, value]) => JSON.stringify(stepBody({ [name]: value }))),
  fc
    .tuple(
      fc.constantFrom(
        'role',
        'content',
        'toolCall',
        'toolResult',
        'kind',
        'phase',
        '__proto__',
        'constructor',
      ),
      fc.jsonValue(),
    )
    .map(([name, value]) =>
      JSON.stringify(stepBody({ conversation_history: [{ role: 'user', content: 'a', [name]: value }] })),
    ),
  fc
    .record({ tokenLimit: fc.double(), reservedOutputTokens: fc.double(), temperature: fc.double() })
    .map((numbers) => JSON.stringify(stepBody({ llm_config: { modelName: 'open', ...numbers } }))),
  fc.string({ unit: 'binary', maxLength: 200 }).map((user_query) => JSON.stringify(stepBody({ user_query }))),
  fc.tuple(fc.nat(400), fc.string({ minLength: 1, maxLength: 3 })).map(([at, noise]) => {
    const text = JSON.stringify(stepBody());
    return text.slice(0, at) + noise + text.slice(at + noise.length);
  }),
  fc.integer({ min: 1, max: 20_000 }).map((depth) => `{"a":`.repeat(depth)),
  fc.integer({ min: 1, max: 20_000 }).map((depth) => '['.repeat(depth) + ']'.repeat(depth)),
  fc.json(),
  fc.string(),
);

/**
 * Maximum CPU time. Unlike elapsed time, it does not depend on other load of the machine. A request that hangs
 * without using CPU is found by the timeout of its test.
 */
const MAX_CPU_MS = 2_000;

/**
 * Expects that random bodies get a 200 or a 4xx response that follows the contract, and that the service still
 * responds to the next request.
 */
export function expectNoCrash(service: () => TestService, runs: number): Promise<void> {
  return fc.assert(
    fc.asyncProperty(hostileBody, async (raw) => {
      const before = process.cpuUsage();
      const { status } = await service().call('POST', stepPath, { raw });
      const { user, system } = process.cpuUsage(before);
      expect((user + system) / 1_000).toBeLessThan(MAX_CPU_MS);
      return status === 200 || (status >= 400 && status < 500);
    }),
    { numRuns: runs },
  );
}
