import { afterEach, expect, test } from '@jest/globals';
import { startWholeService, type WholeService } from '../support/whole-service.js';

let service: WholeService | undefined;
afterEach(() => service?.close());

const long = 'The port is set in server.ts line by line. '.repeat(400);

/** Returns the warnings of a step whose provider counts this many tokens for the prompt. */
async function warningsFor(input: number, question: string): Promise<readonly string[]> {
  service = await startWholeService({ text: 'Final Answer: 8080', usage: { input } });
  const { body } = await service.step({ user_query: question });
  expect(body.direct_response).toBe('8080');
  return body.warnings.map(({ code }) => code);
}

test('a step warns if the provider counted less than half of the prompt (rule: usage)', async () => {
  expect(await warningsFor(1_024, long)).toEqual(['prompt_truncated_upstream']);
});

test.each([
  ['the provider counted most of the prompt', 3_500, long],
  ['the provider counted nothing', 0, long],
  ['the prompt is short', 10, 'Where is the port set?'],
])('a step does not warn of a cut prompt if %s (rule: usage)', async (_, input, question) => {
  expect(await warningsFor(input, question)).toEqual([]);
});
