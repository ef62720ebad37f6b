import { isAscii } from 'node:buffer';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { asciiJson } from '../../../../src/service/http/intake/ascii-json.js';

const read = (text: string): unknown => {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return 'no JSON';
  }
};

const piece = fc.oneof(
  fc.constantFrom(
    '\\',
    '"',
    '–',
    '漢',
    '🙂',
    'é',
    '\u2028',
    '{',
    '}',
    ':',
    ',',
    '\\u00e9',
    '\\n',
    ' ',
    'a'.repeat(1_100),
  ),
  fc.string({ unit: 'binary' }),
);

test('JSON in ASCII means what it meant, or is left alone', () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), fc.jsonValue(), (pieces, value) => {
      for (const text of [pieces.join(''), `"${pieces.join('')}"`, JSON.stringify(value)]) {
        const sent = Buffer.from(text);
        const ascii = asciiJson(sent);
        if (ascii === undefined) continue;
        expect(isAscii(Buffer.from(ascii))).toBe(true);
        expect(read(ascii)).toEqual(read(sent.toString()));
      }
    }),
  );
});

test('other characters are escaped wherever they stand: at the ends, over the seam of two blocks, as two halves', () => {
  for (const before of [0, 1, 1_020, 1_022, 1_023, 1_024, 5_000]) {
    const text = JSON.stringify(['–', 'x'.repeat(before), '🙂漢', 'x'.repeat(before), 'é']);
    const ascii = asciiJson(Buffer.from(text));
    expect(isAscii(Buffer.from(ascii ?? '–'))).toBe(true);
    expect(read(ascii ?? '')).toEqual(read(text));
  }
});

test('a text in another script is left alone, and so is what stands after a backslash', () => {
  expect(asciiJson(Buffer.from(JSON.stringify('é '.repeat(3_000))))).toBeUndefined();
  expect(asciiJson(Buffer.from(JSON.stringify('漢'.repeat(3_000))))).toBeUndefined();
  expect(asciiJson(Buffer.from('"\\é"'))).toBeUndefined();
});
