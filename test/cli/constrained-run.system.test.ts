import { expect, test } from '@jest/globals';
import { scripted, setUp } from '../support/cli-harness.js';

test('a run with `--protocol json` calls a tool, reads its result and answers (rule: object-reply)', async () => {
  const call = { tool: 'read_file', args: { path: 'src/shop.ts' } };
  const bench = await setUp(
    [
      { text: JSON.stringify({ thought: 'I read it.', action: call }) },
      { text: JSON.stringify({ thought: 'There it is.', final_answer: 'Thirty.' }) },
    ],
    { 'src/shop.ts': 'export const limit = 30;\n' },
  );
  const end = await bench.run([...scripted, '--protocol', 'json', 'What is the limit?']);
  expect({ code: end.code, stderr: end.stderr }).toEqual({ code: 0, stderr: expect.any(String) });
  expect(end.stdout).toContain('Thirty.');
  expect(end.stdout).not.toContain('final_answer');
  const [, second] = bench.provider.requests;
  expect(JSON.stringify(second?.body)).toContain('export const limit = 30;');
}, 20_000);
