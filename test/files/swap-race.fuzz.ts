import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { checkByKernel, checkByWalk } from '../../src/files/disk/open-contained.js';
import { raceAgainstSwaps } from '../support/swap-race.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const home = temporaryFolder();

test.each([
  ['the kernel', checkByKernel],
  ['a walk', checkByWalk],
])(
  '100,000 link swaps while reading, checked by %s, leak 0 bytes from outside the root (rule: containment)',
  async (name, check) => {
    const { reads, inside, leaked } = await raceAgainstSwaps(join(home, name), 100_000, check);
    expect(leaked).toEqual([]);
    expect(reads).toBeGreaterThan(1_000);
    expect(inside).toBeGreaterThan(0);
  },
  120_000,
);
