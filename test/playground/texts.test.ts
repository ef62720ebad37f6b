import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { clock, duration, tokens } from '../../src/playground/text/figures.js';
import { textWindow } from '../../src/playground/text/text-window.js';
import { wordFor } from '../../src/playground/text/word-for.js';
import { spellUnseen } from '../../src/sdk/base/unseen.js';

describe('textWindow shows the beginning of a long text (rule: playground-untrusted)', () => {
  const size = { lines: 3, characters: 20 };

  test.each([
    ['no character', '', '', 0],
    ['few lines', 'a\nb', 'a\nb', 0],
    ['as many lines as fit', 'a\nb\nc', 'a\nb\nc', 0],
    ['more lines', 'a\nb\nc\nd\ne', 'a\nb\nc', 2],
    ['one long line', 'x'.repeat(50), 'x'.repeat(20), 0],
  ])('textWindow shows as much of a text as fits: %s', (_, text, shown, hiddenLines) => {
    expect(textWindow(text, size)).toEqual({
      shown,
      hiddenLines,
      hiddenCharacters: text.length - shown.length,
    });
  });

  test('textWindow splits no character, and its beginning and rest add up to the text', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 2, max: 40 }),
        (text, lines, characters) => {
          const { shown, hiddenCharacters } = textWindow(text, { lines, characters });
          expect(text.startsWith(shown)).toBe(true);
          expect(shown.length + hiddenCharacters).toBe(text.length);
          expect(shown.split('\n').length).toBeLessThanOrEqual(lines);
          expect(shown.isWellFormed()).toBe(text.isWellFormed() || shown.isWellFormed());
        },
      ),
    );
  });
});

test('the page formats numbers and times briefly', () => {
  expect([tokens(0), tokens(999), tokens(1_000), tokens(12_345)]).toEqual(['0', '999', '1.0k', '12k']);
  expect([duration(12), duration(1_234)]).toEqual(['12 ms', '1.2 s']);
  expect([clock(299_600), clock(61_000), clock(0)]).toEqual(['5:00', '1:01', '0:00']);
});

describe('display words for names from an untrusted file (rule: playground-untrusted)', () => {
  test.each([
    'constructor',
    '__proto__',
    'toString',
    'hasOwnProperty',
    'newer',
  ])('the page shows the unknown name %s unchanged', (name) => {
    expect(wordFor({ answer: 'An answer' }, name)).toBe(name);
  });

  test('the page replaces a known name by its display word', () => {
    expect(wordFor({ answer: 'An answer' }, 'answer')).toBe('An answer');
  });

  test('the page spells out invisible characters of a name in a label', () => {
    expect(spellUnseen('a\u202Egpj.txt')).toBe('aU+202Egpj.txt');
  });
});
