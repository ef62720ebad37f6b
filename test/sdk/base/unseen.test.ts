import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { hasUnseen, spellUnseen, splitUnseen } from '../../../src/sdk/base/unseen.js';

describe('invisible characters (rule: playground-untrusted)', () => {
  test.each([
    ['a bidi override', 'rm \u202Etxt.exe', 'U+202E'],
    ['a zero width space', 'a\u200Bb', 'U+200B'],
    ['an escape', '\u001B[2J', 'U+001B'],
    ['a space that is none', 'a\u00A0b', 'U+00A0'],
    ['a filler', '\u3164', 'U+3164'],
    ['a tag character', '\u{E0041}', 'U+E0041'],
  ])('splitUnseen replaces %s by its code', (_, text, code) => {
    expect(
      splitUnseen(text)
        .filter(({ isUnseen }) => isUnseen)
        .map((piece) => piece.text),
    ).toEqual([code]);
  });

  test('line breaks, tabs, letters of any script and emoji count as visible', () => {
    const text = 'مرحبا\n\tπ = 3 漢字 👍';
    expect(splitUnseen(text)).toEqual([{ text, isUnseen: false }]);
  });

  test('the parts of splitUnseen add up to the whole text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const back = splitUnseen(text).map((piece) =>
          piece.isUnseen ? String.fromCodePoint(Number.parseInt(piece.text.slice(2), 16)) : piece.text,
        );
        expect(back.join('')).toBe(text);
      }),
    );
  });

  test('hasUnseen finds the same characters as splitUnseen', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(hasUnseen(text)).toBe(splitUnseen(text).some(({ isUnseen }) => isUnseen));
      }),
    );
  });

  test('spellUnseen replaces each invisible character by the result of the callback', () => {
    expect(spellUnseen('a\u200Bb')).toBe('aU+200Bb');
    expect(spellUnseen('a\u200Bb\n', (code, character) => `<${code} ${character.length}>`)).toBe(
      'a<U+200B 1>b\n',
    );
  });
});
