import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { changedSpan } from '../../../examples/vscode/src/workspace/changed-span.js';

/** Texts of few different characters, so that they share long parts; includes a surrogate pair and CRLF. */
const texts = fc
  .array(fc.constantFrom('a', 'b', '\n', '\r\n', '\u{1f600}', '\u{1f601}'))
  .map((parts) => parts.join(''));

const splitsPair = (text: string, at: number): boolean =>
  /^(?:[\uD800-\uDBFF][\uDC00-\uDFFF]|\r\n)$/.test(text.slice(at - 1, at + 1));

describe('changedSpan of two texts', () => {
  test('replacing the changedSpan of two texts turns the first into the second', () => {
    fc.assert(
      fc.property(texts, texts, (before, after) => {
        const { start, end, text } = changedSpan(before, after);
        expect(before.slice(0, start) + text + before.slice(end)).toBe(after);
      }),
    );
  });

  test('changedSpan splits no surrogate pair and no CRLF', () => {
    fc.assert(
      fc.property(texts, texts, (before, after) => {
        const { start, end } = changedSpan(before, after);
        expect([start, end].filter((at) => splitsPair(before, at))).toEqual([]);
      }),
    );
  });

  test('changedSpan is empty for equal texts and one word for one changed word', () => {
    expect(changedSpan('let a = 1;', 'let a = 1;')).toEqual({ start: 10, end: 10, text: '' });
    expect(changedSpan('let a = 1;', 'let a = 20;')).toEqual({ start: 8, end: 9, text: '20' });
  });
});
