import { describe, expect, test } from '@jest/globals';
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

test('a long value is read like a short one: duplicate keys, spellings of numbers and the nesting limit (rule: values)', () => {
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
        const resolve = (text: string): string => resolveEscapes(new Scanner('', 0), text, quote);
        const text = parts.join('');
        expect(resolve(text.repeat(times))).toBe(resolve(text).repeat(times));
      },
    ),
  );
});

describe('backslashes that are no escapes stay as written (rule: values)', () => {
  const read = (literal: string) => {
    const scanner = new Scanner(literal, 0);
    const value = readValue(scanner);
    return { value, isRepaired: scanner.repairs.has('literal_backslashes') };
  };

  test.each([
    ['a back reference', String.raw`"s/\(foo\)/\1bar/"`, String.raw`s/\(foo\)/\1bar/`],
    ['a pattern', String.raw`"\bword\b\s+"`, String.raw`\bword\b\s+`],
    ['a pattern beside a line break', String.raw`"\d+\n\"x\""`, '\\d+\n"x"'],
    ['an escaped carriage return beside a pattern', String.raw`"\r\d"`, String.raw`\r\d`],
    ['a path of Windows', String.raw`"C:\new\test.ts"`, String.raw`C:\new\test.ts`],
    ['a path of Windows in single quotes', String.raw`'C:\Users\dev\n.ts'`, String.raw`C:\Users\dev\n.ts`],
    ['a path of a share', String.raw`"\\server\share\new"`, String.raw`\\server\share\new`],
    ['a short octal escape', String.raw`"\1\2"`, String.raw`\1\2`],
    ['a hexadecimal control character', String.raw`"\x1b[0m"`, String.raw`\x1b[0m`],
    ['an incomplete \\U', String.raw`"\Users"`, String.raw`\Users`],
    ['a control character in a template string', '`\\b\\n`', '\\b\n'],
  ])('a literal with backslashes that are no escapes keeps them: %s', (_, literal, value) => {
    expect(read(literal)).toEqual({ value, isRepaired: true });
  });

  test.each([
    [String.raw`"a\nb\t\"c\" \u00e9 \\ \/"`, 'a\nb\t"c" é \\ /'],
    [String.raw`"\x41\101\U0001F600"`, 'AA😀'],
    [String.raw`"\u0007"`, '\u0007'],
    [String.raw`"C:\\new\\test.ts"`, String.raw`C:\new\test.ts`],
    [String.raw`"q:\"two words\"\n"`, 'q:"two words"\n'],
    [String.raw`'A:\'x'`, "A:'x"],
    [String.raw`r"\b\d"`, String.raw`\b\d`],
    ['`\\d\\$`', 'd$'],
  ])('the literal %s has only valid escapes, which are resolved', (literal, value) => {
    expect(read(literal)).toEqual({ value, isRepaired: false });
  });

  test('an object that is valid JSON is read with the escapes of JSON, even if a path then contains line breaks', () => {
    const json = String.raw`{"path": "C:\new", "bell": "\b\f", "deep": {"list": ["\b"]}}`;
    expect(read(json)).toEqual({ value: JSON.parse(json), isRepaired: false });
  });

  test('in an object that is no valid JSON, a literal keeps backslashes that are no escapes', () => {
    const value = { path: String.raw`C:\new`, text: 'a\nb' };
    expect(read(String.raw`{path: "C:\new", text: "a\nb"}`)).toEqual({ value, isRepaired: true });
  });

  test('a literal without a \\u escape never yields a control character except tab and line feed', () => {
    const written = fc.array(fc.constantFrom('\\', 'a', 'b', 'f', 'n', 'x1b', '0', '7', 'v', ' '), {
      maxLength: 20,
    });
    fc.assert(
      fc.property(written, (parts) => {
        const { value } = read(`"${parts.join('')} "`);
        // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
        expect(String(value ?? '')).not.toMatch(/[\x00-\x08\x0b-\x1f]/);
      }),
    );
  });
});
