import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { readValue } from '../../../src/parsing/text/literals.js';
import { type JsonValue, Scanner } from '../../../src/parsing/text/scanner.js';
import { resolveEscapes } from '../../../src/parsing/text/strings.js';

const readText = (text: string): JsonValue | undefined => readValue(new Scanner(text, 0));

const LONGEST_ITEM = 4_000;
const LONG = 2 ** 15;

const items = fc
  .jsonValue({ maxDepth: 4 })
  .filter((item) => JSON.stringify(item).length < LONGEST_ITEM && !JSON.stringify(item).includes('-0'));

test('a long JSON value is read as JSON.parse reads it (rule: values)', () => {
  const lengths = fc.integer({ min: 0, max: 3 * LONG });
  fc.assert(
    fc.property(items, lengths, fc.boolean(), (item, length, isList) => {
      const written = JSON.stringify(item);
      const list = Array.from({ length: Math.ceil(length / (written.length + 1)) }, () => item);
      const text = JSON.stringify(isList ? list : { ...list });
      expect(readText(text)).toStrictEqual(JSON.parse(text));
    }),
    { numRuns: 60 },
  );
});

test('a long value keeps duplicate keys, spellings of numbers and the nesting limit (rule: values)', () => {
  const padding = JSON.stringify(Array.from({ length: LONG }, (_, index) => index));
  const scanner = new Scanner(`{"a": 1.10, "long": ${padding}, "a": 2, "__proto__": 3, "b": 1e2}`, 0);
  const value = readValue(scanner);
  expect(Object.entries(value ?? {}).map(([key]) => key)).toEqual(['a', 'long', '__proto__', 'b']);
  expect(scanner.repairs).toEqual(new Set(['duplicate_key']));
  expect(scanner.spellings.get(Object(value))?.get('b')).toBe('1e2');
  expect(readText(`${'['.repeat(57)}${']'.repeat(57)}`)).toBeDefined();
  expect(readText(`${'['.repeat(58)}${']'.repeat(58)}`)).toBeUndefined();
});

test('an escape has the same value in a long string as in a short one (rule: values)', () => {
  const fragments = [
    '\\n',
    '\\"',
    '\\\\',
    '\\/',
    '\\u00e9',
    '\\ud83d\\ude00',
    '\\d',
    '\\x41',
    '\n',
    'text',
    "\\'",
  ];
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...fragments), { minLength: 1 }),
      fc.constantFrom('"', "'"),
      (parts, quote) => {
        const times = Math.ceil(10_000 / parts.join('').length);
        const expected = parts.map((part) => resolveEscapes(part, quote)).join('');
        expect(resolveEscapes(parts.join('').repeat(times), quote)).toBe(expected.repeat(times));
      },
    ),
  );
});
