import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isBelow, portablePath } from '../../../../src/files/portable-path.js';
import { inlineSource } from '../../../../src/service/context/sources/inline.js';

const { signal } = new AbortController();
const sourceOf = (paths: readonly string[]) =>
  inlineSource({ files: paths.map((path) => ({ path, content: path })), pinned_items: undefined });

describe('folders of the inline context source (rule: source-order)', () => {
  const part = fc.constantFrom('a', 'ab', 'a0', 'a.b', 'a-b', 'b', '.', '', '..', '\uffff');
  const path = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/') || '/');

  test('an inline folder contains exactly the files below its path, in the order of code units', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(path), path, async (paths, asked) => {
        const names = [...new Set(paths.map((each) => portablePath(each) ?? each))];
        const folder = portablePath(asked) ?? asked;
        const found = await sourceOf(paths).read(asked, signal);
        if (names.includes(folder)) return expect(found).toMatchObject({ type: 'file', path: folder });
        const below = names.filter((name) => isBelow(folder, name)).sort();
        if (below.length === 0) return expect(found).toBeUndefined();
        expect(found).toMatchObject({ type: 'folder', path: folder, listing: below });
      }),
      { numRuns: 1_000 },
    );
  });

  test('all spellings of a path return the same inline folder object', async () => {
    const source = sourceOf(['a/b.ts', 'a/c.ts']);
    const found = await Promise.all(['a', 'a/', './a', 'a//'].map((each) => source.read(each, signal)));
    expect(found[0]).toMatchObject({ type: 'folder', listing: ['a/b.ts', 'a/c.ts'] });
    expect(new Set(found).size).toBe(1);
  });

  test('20,000 lookups of absent folders among 100,000 inline files complete (rule: linear-work)', async () => {
    const source = sourceOf(Array.from({ length: 100_000 }, (_, index) => `a/${'long/'.repeat(9)}${index}`));
    for (let index = 0; index < 20_000; index += 1) {
      expect(await source.read(`absent/${index}`, signal)).toBeUndefined();
    }
    expect(await source.read('a/long', signal)).toMatchObject({ type: 'folder' });
  });
});
