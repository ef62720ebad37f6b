import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, jest, test } from '@jest/globals';
import { ChangedFiles, putBackNotice } from '../../../src/cli/session/changed-files.js';
import { ProjectRoot } from '../../../src/tools/project-root.js';
import { createToolPack } from '../../../src/tools/tool-pack.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const all = temporaryFolder();

/** Creates a folder with tools whose changes are recorded. */
async function watched() {
  const folder = mkdtempSync(join(all, 'project-'));
  const root = await ProjectRoot.open(folder);
  const changes = new ChangedFiles(root);
  const tools = changes.watch(await createToolPack(folder));
  changes.beginTask();
  const write = async (path: string, content = 'new\n') => {
    const { signal } = new AbortController();
    const tool = tools.find(({ name }) => name === 'write_file');
    await tool?.execute({ path, content }, { callId: path, sessionId: 's', signal });
  };
  return { folder, root, changes, write, isThere: (path: string) => existsSync(join(folder, path)) };
}

test('undo removes and reports the folders that the task created (rule: terminal)', async () => {
  const { changes, write, isThere } = await watched();
  for (const path of ['a/b/c.txt', 'a/b/d.txt', 'a/e/f.txt', 'g.txt']) await write(path);
  const done = await changes.undo();
  expect(done.map(({ path, outcome }) => `${path} ${outcome}`)).toEqual([
    ...['a/b/c.txt removed', 'a/b/d.txt removed', 'a/e/f.txt removed', 'g.txt removed'],
    ...['a/b/ removed', 'a/e/ removed', 'a/ removed'],
  ]);
  expect(isThere('a')).toBe(false);
  expect(await changes.undo()).toEqual([]);
});

test('undo keeps folders that existed before or are not empty', async () => {
  const { folder, changes, write, isThere } = await watched();
  mkdirSync(join(folder, 'old'));
  await write('old/a.txt');
  await write('new/b.txt');
  writeFileSync(join(folder, 'new/mine.txt'), 'mine');
  const done = await changes.undo();
  expect(done.map(({ path }) => path)).toEqual(['old/a.txt', 'new/b.txt']);
  expect([isThere('old'), isThere('new/mine.txt'), isThere('new/b.txt')]).toEqual([true, true, false]);
});

test('undo keeps a file that changed since, and its folder', async () => {
  const { folder, changes, write, isThere } = await watched();
  await write('new/a.txt');
  await write('new/b.txt');
  writeFileSync(join(folder, 'new/a.txt'), 'changed');
  expect((await changes.undo()).map(({ outcome }) => outcome)).toEqual([
    'changed since, left as it is',
    'removed',
  ]);
  expect(readFileSync(join(folder, 'new/a.txt'), 'utf8')).toBe('changed');
  writeFileSync(join(folder, 'new/a.txt'), 'new\n');
  expect((await changes.undo()).map(({ path }) => path)).toEqual(['new/a.txt', 'new/']);
  expect(isThere('new')).toBe(false);
});

test('undo reports a file that cannot be written, restores the others, and can be repeated', async () => {
  const { folder, root, changes, write } = await watched();
  for (const path of ['a.txt', 'b.txt', 'c.txt']) {
    writeFileSync(join(folder, path), 'old\n');
    await write(path);
  }
  const writing = jest.spyOn(root, 'write').mockRejectedValueOnce(new Error('The disk is full.'));
  const done = await changes.undo();
  writing.mockRestore();
  expect(putBackNotice(done).split('\n')).toEqual([
    'The user took back your changes to files:',
    '  a.txt: could not be restored: The disk is full.',
    '  b.txt: put back',
    '  c.txt: put back',
  ]);
  expect(await changes.undo()).toEqual([{ path: 'a.txt', outcome: 'put back' }]);
  expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toBe('old\n');
});
