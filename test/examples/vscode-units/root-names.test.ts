import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { rootNames } from '../../../examples/vscode/src/workspace/root-names.js';

test('rootNames gives each workspace folder a unique name, even if a folder already has the numbered name', () => {
  expect(rootNames(['web', 'api', 'web'])).toEqual(['web', 'api', 'web (2)']);
  expect(rootNames(['a', 'a', 'a (2)'])).toEqual(['a', 'a (2)', 'a (2) (2)']);
  fc.assert(
    fc.property(fc.array(fc.constantFrom('a', 'a (2)', 'a (3)', 'a (2) (2)', 'a/b', 'a-b')), (names) => {
      const found = rootNames(names);
      expect(found).toHaveLength(names.length);
      expect(new Set(found).size).toBe(names.length);
    }),
  );
});
