import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { countLines, toDiff, toPatch } from '../../src/playground/project/changes-patch.js';
import { program } from '../support/need.js';
import { needs } from '../support/needs.js';
import { temporaryFolder, writeFiles } from '../support/temporary-folder.js';

const home = temporaryFolder();
let count = 0;

/** Writes the previous texts to a folder, applies the patch with Git, and returns the folder. */
async function applied(changes: Parameters<typeof toPatch>[0]) {
  const folder = join(home, String(count++));
  mkdirSync(folder);
  writeFiles(
    folder,
    Object.fromEntries(changes.flatMap(({ path, before }) => (before === undefined ? [] : [[path, before]]))),
  );
  const input = await toPatch(changes);
  const { status, stderr } = spawnSync('git', ['apply', '--whitespace=nowarn'], { cwd: folder, input });
  expect({ status, stderr: stderr.toString(), input }).toMatchObject({ status: 0 });
  return (path: string) =>
    existsSync(join(folder, path)) ? readFileSync(join(folder, path), 'utf8') : undefined;
}

const line = fc.constantFrom('a', 'b', '-- c', '++ d', ' e', '', '\\ f', '@@ g', 'ü');
const text = fc
  .tuple(fc.array(line, { maxLength: 6 }), fc.boolean())
  .map(([all, ends]) => all.join('\n') + (ends ? '\n' : ''));
const path = fc.constantFrom('a.txt', 'src/b.ts', 'with space.txt', 'ümlaut/ß.md', "it's (1).txt");

needs(program('git')).test('Git applies the patch of any changes (rule: playground-project)', async () => {
  const change = fc.record({ path, before: fc.option(text, { nil: undefined }), after: text });
  const changes = fc
    .uniqueArray(change, { selector: (each) => each.path, minLength: 1, maxLength: 4 })
    .map((all) => all.filter(({ before, after }) => before !== after));
  await fc.assert(
    fc.asyncProperty(changes, async (all) => {
      if (all.length === 0) return;
      const now = await applied(all);
      for (const { path: name, after } of all) expect(now(name)).toBe(after);
    }),
    { numRuns: 60 },
  );
});

test('Git applies the patch of a text that was replaced completely', async () => {
  const long = (seed: number) =>
    Array.from({ length: 20_000 }, (_, index) => `${seed * index}-${seed}`).join('\n');
  const now = await applied([{ path: 'a.txt', before: long(7), after: long(11) }]);
  expect(now('a.txt')).toBe(long(11));
});

test('the patch counts added and removed lines, whatever they contain', async () => {
  const diff = await toDiff({ path: 'a.txt', before: '-- a\nb\n', after: '++ a\nb\nc\n' });
  expect(countLines(diff)).toEqual({ added: 2, removed: 1 });
});
