import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { CodeSpans } from '../../../src/parsing/text/code-spans.js';

test('a backtick run opens a code span if a run of equal length follows, and closes one of equal length', () => {
  const lengths = fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(lengths, (runs) => {
      const text = runs.map((length) => `${'`'.repeat(length)}a`).join('');
      const spans = new CodeSpans(text);
      let open = 0;
      let at = 0;
      for (const [index, length] of runs.entries()) {
        if (open === 0 && runs.indexOf(length, index + 1) > 0) open = length;
        else if (open === length) open = 0;
        at = spans.enterRun(at) + 1;
        expect(spans.isOpen).toBe(open > 0);
      }
    }),
  );
});
