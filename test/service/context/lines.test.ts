import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { countLines, LineIndex } from '../../../src/service/context/lines.js';

test('a line index returns the same lines as splitting the text (rule: linear-work)', () => {
  const text = fc.array(fc.constantFrom('a', 'bc', '\n', '\r\n', '')).map((parts) => parts.join(''));
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 12 }), fc.nat(12), (content, first, more) => {
      const index = new LineIndex(content);
      const range = { first, last: first + more };
      expect(index.count).toBe(countLines(content));
      const lines = content.split(/(?<=\n)/).slice(range.first - 1, range.last);
      expect(index.slice(range)).toBe(lines.join(''));
    }),
  );
});
