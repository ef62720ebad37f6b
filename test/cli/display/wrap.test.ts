import { stripVTControlCharacters, styleText } from 'node:util';
import { beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import stringWidth from 'string-width';
import { columnsOf, loadWidths } from '../../../src/cli/display/columns.js';
import { cut, wrap } from '../../../src/cli/display/wrap.js';

beforeAll(loadWidths);

const red = (text: string): string => styleText('red', text, { validateStream: false });
const bold = (text: string): string => styleText('bold', text, { validateStream: false });

const piece = fc.constantFrom(
  ...[
    'word ',
    'longer-word ',
    '这是',
    '，',
    '（一',
    '日本語',
    'カード',
    '한국어 ',
    '👩‍👩‍👧',
    'e\u0301',
    'שלום ',
    ' ',
    '(',
    '\ufffd',
    '\n',
  ],
);
const text = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(''));

describe('wrapping (rule: terminal)', () => {
  test('the fast width measurement agrees with string-width', () => {
    const known = Array.from({ length: 0xffff }, (_, code) => String.fromCharCode(code)).filter((character) =>
      /[^\p{Cc}\p{Cs}]/u.test(character),
    );
    expect(known.filter((character) => columnsOf(character) !== stringWidth(character))).toEqual([]);
    fc.assert(fc.property(text, (value) => expect(columnsOf(value)).toBe(stringWidth(value))));
  });

  test('wrapped rows fit the width and lose nothing but spaces', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 2, max: 40 }), (value, columns) => {
        const rows = wrap(red(value), columns);
        for (const row of rows) expect(columnsOf(row)).toBeLessThanOrEqual(columns);
        const withoutSpaces = (shown: string) => stripVTControlCharacters(shown).replaceAll(/\s/g, '');
        expect(withoutSpaces(rows.join(''))).toBe(withoutSpaces(value));
      }),
    );
  });

  test.each([
    ['words', 'one two three', 8, ['one two', 'three']],
    ['a word that is wider', 'a abcdefgh', 5, ['a', 'abcde', 'fgh']],
    ['an indent', '  one two', 6, ['  one', '  two']],
    ['an indent of most of the row', '      one two', 6, ['one', 'two']],
    ['code in a sentence', 'call foo(bar) now', 9, ['call', 'foo(bar)', 'now']],
    ['Chinese among words', 'costs 10% 这是一个说明', 14, ['costs 10% 这是', '一个说明']],
    ['Chinese with its punctuation', '这是说明，一个（例）', 8, ['这是说', '明，一个', '（例）']],
    ['Korean, which has spaces', '한국어 텍스트', 8, ['한국어', '텍스트']],
  ])('a text is wrapped between words: %s', (_, value, columns, rows) =>
    expect(wrap(value, columns)).toEqual(rows));

  test('wrapping ends styles with each row and restores them in the next', () => {
    expect(wrap(red(`one ${bold('two three')} four`), 8)).toEqual([
      '\u001b[31mone \u001b[1mtwo\u001b[0m',
      '\u001b[31m\u001b[1mthree\u001b[22m\u001b[0m',
      '\u001b[31mfour\u001b[39m',
    ]);
    expect(wrap(red('one\ntwo'), 8)).toEqual(['\u001b[31mone\u001b[0m', '\u001b[31mtwo\u001b[39m']);
  });

  test('a long row is cut between visible characters, and its style ends there', () => {
    expect(cut('日本語', 5)).toBe('日本');
    expect(cut('a👩‍👩‍👧b', 2)).toBe('a');
    expect(cut(red('abcdef'), 3)).toBe('\u001b[31mabc\u001b[0m');
    expect(cut('abc', 3)).toBe('abc');
    expect(columnsOf(cut('x\u0301'.repeat(100_000), 20))).toBeLessThanOrEqual(20);
  });
});
