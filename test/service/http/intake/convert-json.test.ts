import { expect, test } from '@jest/globals';
import { parseConverting } from '../../../../src/service/http/intake/convert-json.js';
import { scanJson } from '../../../../src/service/http/intake/json-hazards.js';

const convert = (text: string) => parseConverting(text, scanJson(text, { isLenient: true }));
const codesOf = (text: string) => convert(text).warnings.map(({ code }) => code);

test('parseConverting replaces NUL by U+FFFD in strings and keys (rule: compatible-bodies)', () => {
  const text = String.raw`{"a\u0000": ["A=1\u0000B=2", "\\u0000"], "__proto__": "\u0000"}`;
  const expected = String.raw`{"a\ufffd": ["A=1\ufffdB=2", "\\u0000"], "__proto__": "\ufffd"}`;
  expect(JSON.stringify(convert(text).body)).toBe(JSON.stringify(JSON.parse(expected)));
  expect(codesOf(text)).toEqual(['nul_replaced']);
});

test.each([
  'messages',
  'input',
])('parseConverting keeps the digits of large integers in `%s` as text, and rounds those in other fields (rule: compatible-bodies)', (field) => {
  const text = `{"${field}": [{"n": [-9223372036854775808, 7]}], "tools": {"max": [9223372036854775807]}}`;
  expect(convert(text).body).toEqual({
    [field]: [{ n: ['-9223372036854775808', 7] }],
    tools: { max: [2 ** 63] },
  });
  expect(codesOf(text)).toEqual(['integer_converted']);
});

test.each([
  ['as a key', '{12345678901234567890: 1}'],
  ['with a leading zero', '{"input": 012345678901234567890}'],
  ['after another number', '[1 12345678901234567890]'],
])('a large integer %s does not make invalid JSON valid', (_where, text) => {
  expect(() => convert(text)).toThrow(SyntaxError);
});

test('parseConverting returns any other JSON unchanged, without a warning', () => {
  expect(convert('[1, "12345678901234567890", 2.5e20]')).toEqual({
    body: [1, '12345678901234567890', 2.5e20],
    warnings: [],
  });
});
