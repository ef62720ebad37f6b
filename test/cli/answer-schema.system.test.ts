import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { act, answer, scripted, setUp } from '../support/cli-harness.js';

const schema = {
  type: 'object',
  properties: { path: { type: 'string' }, line: { type: 'integer' } },
  required: ['path'],
};

async function openBench(script: Parameters<typeof setUp>[0]) {
  const opened = await setUp(script);
  const file = join(opened.folder, 'schema.json');
  writeFileSync(file, JSON.stringify(schema));
  return { ...opened, file };
}

test('--answer-schema prints the answer as JSON alone on standard output (rule: answer-schema-flag)', async () => {
  const value = { path: 'a\u202eb.ts', line: 3 };
  const { run, file } = await openBench([act('list_files()'), answer(JSON.stringify(value))]);
  const { code, stdout } = await run([...scripted, 'Where is it?', '--answer-schema', file]);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toEqual(value);
  expect(stdout).not.toContain('\u202e');
}, 20_000);

test('a run whose answer never matches the schema prints nothing to standard output and exits with 1', async () => {
  const { run, file } = await openBench(Array.from({ length: 3 }, () => answer('In a.ts.')));
  const { code, stdout, stderr } = await run([...scripted, 'Where is it?', '--answer-schema', file]);
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toContain('answer_mismatch');
}, 20_000);

test.each([
  ['{', 'is not JSON'],
  ['[]', 'must hold a JSON Schema'],
  [null, 'cannot be read (ENOENT)'],
] as const)(
  '--answer-schema refuses a missing file (null) or one with unusable content: %p',
  async (content, words) => {
    const { run, folder } = await openBench([]);
    const file = join(folder, 'other.json');
    if (content !== null) writeFileSync(file, content);
    const { code, stderr } = await run([...scripted, 'Where is it?', '--answer-schema', file]);
    expect(code).toBe(1);
    expect(stderr).toContain(words);
  },
  20_000,
);
