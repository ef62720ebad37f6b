import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { findJsonError } from '../../../src/service/http/intake/find-json-error.js';
import { JsonHazard, type JsonLimits } from '../../../src/service/json/json-hazards.js';
import { SlicedJson } from '../../../src/service/json/sliced-json.js';

function parseSliced(text: string, slice: number, limits?: JsonLimits): unknown {
  const json = new SlicedJson(text, { slice, ...(limits && { limits }) });
  while (!json.advance());
  return json.value;
}

/** The value as text, which also tells the order of names; or that there is none. */
function outcome(parse: () => unknown): string {
  try {
    return JSON.stringify(parse());
  } catch (error) {
    return error instanceof SyntaxError ? 'SyntaxError' : String(error);
  }
}

const whiteSpace = fc.constantFrom('', ' ', '\n', '\t\r\n ');
const jsonText = fc
  .tuple(fc.jsonValue({ maxDepth: 5 }), fc.nat(2), whiteSpace)
  .map(([value, indent, around]) => around + JSON.stringify(value, null, indent) + around);
/** JSON with some of its characters left out, doubled or changed: mostly no JSON any more. */
const brokenText = fc
  .tuple(
    jsonText,
    fc.nat(),
    fc.constantFrom('', ',', ',,', '}', ']', '[', '{', '"', ':', '1', '[]', ',{', '],['),
  )
  .map(([text, where, noise]) => {
    const at = where % (text.length + 1);
    return text.slice(0, at) + noise + text.slice(at + (where % 2));
  });

describe('JSON in slices is what JSON.parse makes of it (rule: body-limits)', () => {
  test.each([
    ['of JSON', jsonText],
    ['of what is nearly JSON', brokenText],
  ])('however small the slices: %s', (_what, texts) => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 40 }), (text, slice) => {
        const sliced = outcome(() => parseSliced(text, slice));
        // What cannot be held exactly is refused here and rounded there.
        fc.pre(!sliced.includes('JsonHazard'));
        expect(sliced).toBe(outcome(() => JSON.parse(text)));
      }),
      { numRuns: 2_000 },
    );
  });

  test('what cannot be held exactly passes where it may be rounded', () => {
    const limits = { depth: 100, containers: Infinity, fields: Infinity, exactNumbers: false };
    const number = fc.oneof(
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.bigInt().map((integer) => `${integer}`),
    );
    const text = fc.array(number).map((numbers) => `{"numbers": [${numbers.join(', ')}]}`);
    fc.assert(
      fc.property(fc.oneof(text, jsonText, brokenText), fc.integer({ min: 1, max: 40 }), (written, slice) => {
        expect(outcome(() => parseSliced(written, slice, limits))).toBe(outcome(() => JSON.parse(written)));
      }),
    );
  });

  test.each([
    '{"__proto__": {"a": [1, 2, 3]}, "b": 1, "__proto__": 2}',
    '{"a": 1, "a": {"b": [1, 2]}, "c": 3}',
    '[[1, 2], [3, 4],]',
    '[[1, 2] [3, 4]]',
    '[[1, 2], 5 [3, 4]]',
    '{"a": {"b": 1, "c": 2}, {"d": 1}}',
    '[1, 2, 3] [4, 5]',
    '[1, 2, 3}',
    ',[1, 2]',
    '[,[1, 2]]',
    '"a", "b"',
    '[1, 2',
    '',
  ])('%s', (text) => {
    for (const slice of [1, 2, 5, 1_000]) {
      expect(outcome(() => parseSliced(text, slice))).toBe(outcome(() => JSON.parse(text)));
    }
  });

  test('a body of a hundred thousand objects is read in more than one go', () => {
    const json = new SlicedJson(`[${'{"a": 1}, '.repeat(100_000)}0]`);
    expect(json.advance()).toBe(false);
    while (!json.advance());
    expect(json.value).toHaveLength(100_001);
  });
});

test.each([
  ['too_deep', '['.repeat(65)],
  ['too_many_values', `[${'{},'.repeat(500_000)}1]`],
  ['too_many_fields', `{${Array.from({ length: 50_001 }, (_, name) => `"${name}":1`).join()}}`],
  ['number_out_of_range', '[12345678901234567890]'],
])('what should not be handled is refused: %s (rule: body-limits)', (code, text) => {
  let thrown: unknown;
  try {
    parseSliced(text, 1_000);
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(JsonHazard);
  expect(thrown).toMatchObject({ detail: { code } });
});

describe('where a text stops being JSON is told without quoting it', () => {
  const never = new AbortController().signal;

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
  ])('%j', async (text, message) => {
    expect(await findJsonError(text, never)).toMatch(message);
    expect(await findJsonError(text, never)).not.toMatch(/canary/);
  });

  test('it is at most where JSON.parse gives up, and never within what is valid', async () => {
    await fc.assert(
      fc.asyncProperty(brokenText, async (text) => {
        fc.pre(outcome(() => JSON.parse(text)) === 'SyntaxError');
        const offset = Number(/offset (\d+)/.exec(await findJsonError(text, never))?.[1]);
        // All before it begins some JSON text: cut there, a parser misses the end and nothing else.
        expect(offset).toBeLessThanOrEqual(text.length);
      }),
      { numRuns: 500 },
    );
  });
});
