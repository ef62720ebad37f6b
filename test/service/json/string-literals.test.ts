import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { JsonHazard } from '../../../src/service/json/json-hazards.js';
import { JoinedTexts, jsonBytes } from '../../../src/service/json/json-parts.js';
import { parseWithLiterals } from '../../../src/service/json/string-literals.js';

/** The same JSON with other escapes: what is not ASCII, and slashes and letters that need none. */
const escaped = (json: string): string =>
  json
    .replaceAll('/', '\\/')
    .replaceAll('A', '\\u0041')
    .replace(/[^\0-\x7f]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);

const long = fc
  .tuple(
    fc.constantFrom('{ "a": 1 }\\\n', 'plain ', 'A/B – 🙂', '\ud800 half', '\\u0000 as text '),
    fc.integer({ min: 400, max: 900 }),
  )
  .map(([text, times]) => text.repeat(times));

const names = fc.oneof(fc.string(), fc.constantFrom('__proto__', 'constructor', '7'), long);

const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    long,
    fc.string({ unit: 'binary' }).map((text) => text.replaceAll('\0', '')),
    fc.jsonValue({ noUnicodeString: true, maxDepth: 1 }),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.array(fc.tuple(names, tie('value')), { maxLength: 4 }).map((fields) => Object.fromEntries(fields)),
  ),
}));

const withoutNul = (json: string): boolean => !/\\u0000/.test(json.replaceAll('\\\\', ''));

test('a value is read as JSON.parse reads it, and each long string has the JSON that it was read from', () => {
  const stringsIn = (read: unknown): string[] => {
    if (typeof read === 'string') return [read];
    return typeof read === 'object' && read !== null ? Object.values(read).flatMap(stringsIn) : [];
  };
  let copied = 0;
  fc.assert(
    fc.property(value, (sent) => {
      const json = escaped(JSON.stringify(sent));
      fc.pre(withoutNul(json));
      const { value: read, literals } = parseWithLiterals(json);
      expect(read).toEqual(JSON.parse(json));
      expect(JSON.stringify(read)).toBe(JSON.stringify(JSON.parse(json)));
      for (const text of stringsIn(read)) {
        const literal = literals.of(text);
        if (literal === undefined) continue;
        expect(JSON.parse(`"${literal}"`)).toBe(text);
        expect(json).toContain(literal);
        copied += 1;
      }
    }),
  );
  expect(copied).toBeGreaterThan(50);
});

const text = 'a "long" line\\n'.repeat(1_000);
const literal = JSON.stringify(text);

test('of two fields of one name the later one counts, whichever is long', () => {
  const { value: read, literals } = parseWithLiterals(`{"a":${literal},"a":"short","b":1,"b":${literal}}`);
  expect(read).toEqual({ a: 'short', b: text });
  expect(literals.of(text)).toBe(literal.slice(1, -1));
});

test('a long name stays a name, and a body may be nothing but a long string', () => {
  expect(parseWithLiterals(`{${literal} \n: [${literal} , 1]}`).value).toEqual({ [text]: [text, 1] });
  expect(parseWithLiterals(literal).value).toBe(text);
});

test.each([
  ['is not closed', `["${'a'.repeat(5_000)}`],
  ['ends in an escaped quote', `["${'a'.repeat(5_000)}\\"]`],
  ['holds a line break', `["${'a'.repeat(5_000)}\n"]`],
  ['holds an unknown escape', `["${'a'.repeat(5_000)}\\x"]`],
  ['stands beside another value', `[${literal}${literal}]`],
  ['stands beside a number', `[1${literal}]`],
  ['is followed by a fault', `[${literal},]`],
])('what JSON.parse refuses is refused: a long string that %s', (_what, json) => {
  expect(() => JSON.parse(json)).toThrow(SyntaxError);
  expect(() => parseWithLiterals(json)).toThrow(SyntaxError);
});

test('NUL is refused in a long string and beside one, and no caller can send what marks its place', () => {
  for (const json of [
    `["${'0'.repeat(5_000)}\\u0000"]`,
    `[${literal},"\\u0000","b"]`,
    `["\\u00000",${literal}]`,
  ])
    expect(() => parseWithLiterals(json)).toThrow(JsonHazard);
  expect(parseWithLiterals(`["\\\\u00000",${literal}]`).value).toEqual(['\\u00000', text]);
});

test('joined texts say the same with their literals, which are copied as they are', () => {
  const wide = '– wide / text\n'.repeat(2_000);
  const json = escaped(JSON.stringify([wide, text]));
  const { literals } = parseWithLiterals(json);
  const texts = ['<file path="–">\n', wide, '</file>\n', 'Why "so"?', text];
  const body = (content: unknown) => ({ messages: [{ role: 'user', content }] });
  const bytes = jsonBytes(body(new JoinedTexts(texts, literals))).toString();
  expect(JSON.parse(bytes)).toEqual(body(texts.join('')));
  expect(bytes).toContain(literals.of(wide));
  expect(bytes).not.toBe(jsonBytes(body(new JoinedTexts(texts))).toString());
});
