import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isShort, jsonBytes, jsonParts } from '../../../src/service/json/json-parts.js';

async function joined(value: unknown): Promise<string> {
  let text = '';
  for await (const part of jsonParts(value)) text += part;
  return text;
}

test('JSON in parts says what JSON.stringify says (rule: loop-share)', async () => {
  await fc.assert(
    fc.asyncProperty(fc.jsonValue({ maxDepth: 7 }), async (value) => {
      expect(await joined(value)).toBe(JSON.stringify(value));
    }),
  );
});

test('JSON as bytes says what JSON.stringify says', () => {
  const long = fc.constantFrom(
    'line "of" code\n'.repeat(1_000),
    '– wide\t'.repeat(2_000),
    '🙂\u0001'.repeat(900),
  );
  const texts = fc.array(fc.oneof(long, fc.string({ unit: 'grapheme' })), { maxLength: 5 });
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), texts, (value, parts) => {
      const body = (content: unknown) => ({
        model: 'm',
        messages: [{ role: 'user', content }, value, parts],
      });
      expect(jsonBytes(body(parts.join(''))).toString()).toBe(JSON.stringify(body(parts.join(''))));
    }),
  );
});

test('a long text is written in parts, and says the same', async () => {
  const value = {
    said: '👩 "quoted"\n'.repeat(50_000),
    numbers: Array.from({ length: 50_000 }, (_, n) => n),
  };
  expect(JSON.parse(await joined(value))).toEqual(value);
});

test('what is long is known by its first part', () => {
  const unread = {
    get text(): string {
      throw new Error('looked at');
    },
  };
  expect(isShort(['a'.repeat(2 ** 18 - 5)])).toBe(true);
  expect(isShort(['a'.repeat(2 ** 18), 'b', unread])).toBe(false);
});

test.each([
  ['text', 'a'.repeat(200)],
  ['names', { ['a'.repeat(200)]: '' }],
  ['empty lists', Array.from({ length: 200 }, () => [])],
])('no part is much longer than the others, however little its items hold: %s (rule: loop-share)', async (_, item) => {
  const lengths: number[] = [];
  for await (const part of jsonParts(Array(5_000).fill(item))) lengths.push(part.length);
  expect(Math.max(...lengths)).toBeLessThan(2 ** 17);
});
