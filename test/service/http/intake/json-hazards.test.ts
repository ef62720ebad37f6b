import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { scanJson } from '../../../../src/service/http/intake/json-hazards.js';

const codeOf = (text: string): string | undefined => scanJson(text).hazard?.detail.code;
const fields = (count: number) => `{${Array.from({ length: count }, (_, name) => `"${name}":1`).join()}}`;

test.each([
  ['too_deep', '['.repeat(65), 64],
  ['too_deep', '{"a":'.repeat(65), 64 * 5],
  ['too_many_values', `[${'{},'.repeat(150_000)}1]`, 1 + 149_999 * 3],
  ['too_many_fields', `[1, ${fields(50_001)}]`, 5 + fields(50_000).length - 2],
  ['number_out_of_range', '[12345678901234567890]', 1],
  ['number_out_of_range', '[-1e999]', 2],
  ['number_out_of_range', `[${'1'.repeat(1_001)}]`, 1],
  ['nul_character', '["a\\\\\\u0000"]', 5],
])('scanJson reports the hazard %s with its position (rule: body-limits)', (code, text, at) => {
  expect(scanJson(text).hazard).toMatchObject({ at, detail: { code } });
});

test.each([
  ['64 levels', '['.repeat(64) + ']'.repeat(64)],
  ['150,000 objects and arrays', `[${'{},'.repeat(149_999)}1]`],
  ['objects of 50,000 fields, one after the other', `[${fields(50_000)},${fields(50_000)}]`],
  ['an array of more items', `[${'1,'.repeat(60_000)}1]`],
  ['fields around and after an object', `{"a": ${fields(49_999)}, "b": 1, "c": 2}`],
  ['numbers that are exact', '[9007199254740991, -1e22, 0.1, 250000000000000000000]'],
  ['digits in a string', '["12345678901234567890 [[[ {,"]'],
  ['an escaped backslash before u0000', '["\\\\u0000"]'],
])('scanJson finds no hazard in %s (rule: body-limits)', (_what, text) => {
  expect(codeOf(text)).toBeUndefined();
});

test('scanJson reports the first of two hazards (rule: body-limits)', () => {
  expect(codeOf('["\\u0000", 12345678901234567890]')).toBe('nul_character');
  expect(codeOf('[12345678901234567890, "\\u0000"]')).toBe('number_out_of_range');
});

test('a lenient scan reports NUL and integers beyond 2^53 as convertible, not as hazards (rule: compatible-bodies)', () => {
  expect(scanJson('["\\u0000", -9223372036854775808]', { isLenient: true })).toMatchObject({
    hazard: undefined,
    hasNul: true,
    largeIntegers: [{ start: 12, end: 31 }],
  });
});

test('a lenient scan accepts 10,000 integers beyond 2^53 (rule: compatible-bodies)', () => {
  const text = `[${'9223372036854775807,'.repeat(9_999)}9223372036854775807]`;
  expect(scanJson(text, { isLenient: true }).hazard).toBeUndefined();
});

test.each([
  ['number_out_of_range', '[12345678901234567890, 1e999]', 23],
  ['number_out_of_range', `[${'1'.repeat(1_001)}]`, 1],
  ['number_out_of_range', `[${'1'.repeat(400)}]`, 1],
  ['number_out_of_range', `[${'9223372036854775807,'.repeat(10_000)}9223372036854775807]`, 1 + 10_000 * 20],
  ['too_deep', '['.repeat(65), 64],
])('a lenient scan still reports the hazard %s (rule: compatible-bodies)', (code, text, at) => {
  expect(scanJson(text, { isLenient: true }).hazard).toMatchObject({ at, detail: { code } });
});

test('scanJson finds no hazard in JSON that JavaScript represents exactly (rule: body-limits)', () => {
  const text = fc
    .tuple(fc.jsonValue({ maxDepth: 5 }), fc.nat(2))
    .map(([value, indent]) => JSON.stringify(value, null, indent))
    .filter((written) => !written.includes('\\u0000'));
  fc.assert(fc.property(text, (written) => expect(codeOf(written)).toBeUndefined()));
});

test.each([
  ['an object or array', '[{},[]]', 3 * 16 + 2],
  ['a field', '{"a":1,"b":{"c":2}}', 2 * 16 + 3 * 16 + 2],
  ['a comma between items', '[1,2,3]', 16 + 2 * 2],
  ['nothing inside a string', '["{}[],:"]', 16],
])('scanJson counts memory overhead for %s (rule: overload)', (_what, text, bytes) => {
  expect(scanJson(text)).toMatchObject({ hazard: undefined, overheadBytes: bytes });
});

describe('reading a text of any shape in linear time (rule: body-limits)', () => {
  const SIZE = 4 * 2 ** 20;

  test.each([
    ['commas', ','],
    ['brackets that open and close', '[]'],
    ['closing braces', '}'],
    ['quotes', '"'],
    ['backslashes', '\\'],
    ['escaped quotes', '\\"'],
    ['backslashes before u0000', '\\\\u0000'],
    ['digits', '1'],
    ['exponents', '1e99,'],
    ['long numbers', '1234567890123456,'],
  ])('scanJson reads 4 MiB of %s in less than a second', (_what, unit) => {
    for (const start of ['', '"']) {
      const before = process.cpuUsage();
      scanJson(start + unit.repeat(SIZE / unit.length));
      const { user, system } = process.cpuUsage(before);
      expect((user + system) / 1_000).toBeLessThan(1_000);
    }
  });
});
