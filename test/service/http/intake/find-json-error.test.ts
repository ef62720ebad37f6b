import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { findJsonError } from '../../../../src/service/http/intake/find-json-error.js';

const find = (text: string): Promise<string> => findJsonError(text, new AbortController().signal);
const brokenAt = (place: string): string =>
  `${place}: expected a string that ends on its line, without unknown escapes`;

/** Returns the position at which V8 stopped, which is within the token whose beginning findJsonError reports. */
function stopOf(text: string): number | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return Number(/position (\d+)/.exec(String(error))?.[1] ?? text.length);
  }
}

describe('finding a string that never ends (rule: body-limits)', () => {
  const SIZE = 4 * 1024 * 1024;

  test.each([
    ['letters', 'x'],
    ['words', 'fix the failing test in src/cart.ts '],
    ['escapes', '\\n'],
    ['codes', '\\u0041'],
    ['escaped quotes', '\\"'],
    ['escaped backslashes', '\\\\'],
  ])('findJsonError completes on an endless string of %s at the body limit', async (_, fragment) => {
    const text = `{"user_query":"${fragment.repeat(SIZE / fragment.length)}`;
    expect(await find(text)).toBe(brokenAt('line 1, column 15 (offset 14)'));
    expect(await find(`${text}\n"}`)).toBe(brokenAt('line 1, column 15 (offset 14)'));
  });
});

test.each([
  ['{"a": "fix the failing test in src/cart.ts', 'line 1, column 7 (offset 6)'],
  ['{"a": "two\nlines"}', 'line 1, column 7 (offset 6)'],
  ['{\n "a": "\\x41"}', 'line 2, column 7 (offset 8)'],
  ['["\\u00g0"]', 'line 1, column 2 (offset 1)'],
  ['["ends in a backslash\\', 'line 1, column 2 (offset 1)'],
])('an invalid JSON string is reported at its beginning: %j', async (text, place) => {
  expect(await find(text)).toBe(brokenAt(place));
});

test('the reported position is the token at which JSON.parse stops', async () => {
  const broken = fc
    .tuple(fc.json(), fc.nat(), fc.constantFrom('"', '\\', '{', ',', '\n', '1', 'x', ''), fc.boolean())
    .map(([json, at, insert, cut]) => {
      const place = at % (json.length + 1);
      return json.slice(0, place) + insert + (cut ? '' : json.slice(place));
    })
    .filter((text) => stopOf(text) !== undefined);
  await fc.assert(
    fc.asyncProperty(broken, async (text) => {
      const offset = Number(/offset (\d+)/.exec(await find(text))?.[1]);
      expect(offset).toBeLessThanOrEqual(stopOf(text) ?? 0);
      expect(stopOf(text.slice(0, offset)) ?? offset).toBe(offset);
    }),
  );
});

describe('reporting where a text stops being JSON (rule: body-limits)', () => {
  test.each([
    ['{"a": 1,}', 'line 1, column 9 (offset 8): expected a field name in double quotes'],
    ['{\n  "a": 1\n  "b": 2\n}', 'line 3, column 3 (offset 13): expected a comma or the end of the object'],
    ['[1, 2', 'line 1, column 6 (offset 5): expected a comma or the end of the array'],
    [
      "{'a': 1}",
      'line 1, column 2 (offset 1): expected a field name in double quotes or the end of the object',
    ],
    ['{"a" 1}', 'line 1, column 6 (offset 5): expected a colon'],
    ['{"a": canary}', 'line 1, column 7 (offset 6): expected a value'],
    ['["line\nend"]', 'line 1, column 2 (offset 1): expected a string that ends on its line'],
    ['[01]', 'line 1, column 2 (offset 1): expected a value or the end of the array'],
    ['{} {}', 'line 1, column 4 (offset 3): expected the end of the text'],
    ['', 'line 1, column 1 (offset 0): expected a value'],
  ])('the JSON error in %j is reported by position, without quoting the text', async (text, message) => {
    expect(await find(text)).toMatch(message);
    expect(await find(text)).not.toMatch(/canary/);
  });
});
