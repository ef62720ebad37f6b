import { mkdirSync, symlinkSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { projectFolderSource } from '../../../../src/service/context/sources/project-folder.js';
import { temporaryFolder, writeFiles } from '../../../support/temporary-folder.js';

const home = temporaryFolder();
const signal = new AbortController().signal;

function project(name: string, files: Readonly<Record<string, string | Uint8Array>>) {
  const root = join(home, name);
  mkdirSync(root, { recursive: true });
  writeFiles(root, files);
  return { root, source: projectFolderSource(root) };
}

async function list(
  source: ReturnType<typeof projectFolderSource>,
  path: string,
): Promise<readonly string[]> {
  const found = await source.read(path, signal);
  return found?.type === 'folder' ? found.listing : [];
}

describe('files of a project folder (rule: project-folder)', () => {
  test('a project file is read byte for byte under any spelling of its path', async () => {
    const { source } = project('plain', { 'src/a.ts': 'a\r\n\r\n\tb' });
    for (const path of ['src/a.ts', './src/a.ts', 'src//a.ts', 'src/./a.ts']) {
      expect(await source.read(path, signal)).toEqual({
        type: 'file',
        path: 'src/a.ts',
        content: 'a\r\n\r\n\tb',
      });
    }
  });

  test('a project file needs no extension', async () => {
    const { source } = project('bare', { Dockerfile: 'FROM node', Makefile: 'all:', LICENSE: 'MIT' });
    for (const path of ['Dockerfile', 'Makefile', 'LICENSE']) {
      expect(await source.read(path, signal)).toMatchObject({ type: 'file', path });
    }
  });

  test('the root of a project folder may be a link', async () => {
    const { root } = project('linked', { 'a.ts': 'a' });
    symlinkSync(root, join(home, 'link-to-root'));
    const source = projectFolderSource(join(home, 'link-to-root'));
    expect(await source.read('a.ts', signal)).toMatchObject({ content: 'a' });
    expect(await source.read('.', signal)).toMatchObject({ listing: ['a.ts'] });
  });

  test('a link inside the project may point to another place inside it', async () => {
    const { root, source } = project('inner-link', { 'real/a.ts': 'a' });
    symlinkSync('real', join(root, 'alias'));
    symlinkSync('real/a.ts', join(root, 'b.ts'));
    expect(await source.read('b.ts', signal)).toMatchObject({ path: 'b.ts', content: 'a' });
    expect(await source.read('alias', signal)).toMatchObject({ listing: ['alias/a.ts'] });
  });

  test('a huge project file is read up to the limit and marked as cut; binary and sparse files are not read', async () => {
    const { root, source } = project('sizes', {
      'huge.txt': `${'ü'.repeat(1_500_000)}\n`,
      'utf8-bom.txt': '\ufefftext',
      'image.png': new Uint8Array([0x89, 0x50, 0, 1]),
      'latin1.txt': new Uint8Array([0x66, 0xfc, 0x72]),
      'sparse.bin': '',
      'late-nul.txt': `${'a'.repeat(20_000)}\0`,
    });
    truncateSync(join(root, 'sparse.bin'), 1e12);
    const huge = await source.read('huge.txt', signal);
    expect(huge).toMatchObject({ cut: true, content: 'ü'.repeat(1_048_576) });
    expect(await source.read('utf8-bom.txt', signal)).toMatchObject({ content: 'text' });
    for (const path of ['image.png', 'latin1.txt', 'sparse.bin', 'late-nul.txt']) {
      expect(await source.read(path, signal)).toBeUndefined();
    }
  });

  test('a pinned item is read from .stepwise/pinned/<id>.md, and its id must be a plain name', async () => {
    const { source } = project('pins', {
      '.stepwise/pinned/rules.v1.md': 'Be brief.',
      '.stepwise/notes.md': 'no',
    });
    expect(await source.readPinned('rules.v1', signal)).toEqual({ id: 'rules.v1', content: 'Be brief.' });
    for (const id of ['../notes', '..', '.hidden', 'a/b', '', 'rules.v1\n', 'missing']) {
      expect(await source.readPinned(id, signal)).toBeUndefined();
    }
  });

  test('a project folder that does not exist returns undefined for every path and id', async () => {
    const source = projectFolderSource(join(home, 'no-such-project'));
    expect(await source.read('.', signal)).toBeUndefined();
    expect(await source.readPinned('a', signal)).toBeUndefined();
  });

  test('reading a project folder rejects with the reason of an aborted signal', async () => {
    const { source } = project('aborted', { 'a.ts': 'a' });
    const reason = new Error('left');
    await expect(source.read('a.ts', AbortSignal.abort(reason))).rejects.toBe(reason);
    await expect(source.read('.', AbortSignal.abort(reason))).rejects.toBe(reason);
  });
});

describe('folders (rule: project-folder)', () => {
  test('the folder src/auth does not contain files of src/authz', async () => {
    const { source } = project('prefix', { 'src/auth/a.ts': 'a', 'src/authz/b.ts': 'b', 'src/auth.ts': 'c' });
    expect(await source.read('src/auth/', signal)).toEqual({
      type: 'folder',
      path: 'src/auth',
      listing: ['src/auth/a.ts'],
      files: [{ type: 'file', path: 'src/auth/a.ts', content: 'a' }],
    });
  });

  test('a project folder is listed in the order of code units', async () => {
    const { source } = project('order', {
      'b.ts': '',
      'B.ts': '',
      'a/z.ts': '',
      'a.ts': '',
      'ä.ts': '',
      'a-b.ts': '',
    });
    expect(await list(source, '.')).toEqual(['B.ts', 'a-b.ts', 'a.ts', 'a/z.ts', 'b.ts', 'ä.ts']);
  });

  test('binary files of a project folder are listed but not read', async () => {
    const { source } = project('mixed', { 'a.txt': 'a', 'b.png': new Uint8Array([0, 1]) });
    expect(await source.read('.', signal)).toMatchObject({
      listing: ['a.txt', 'b.png'],
      files: [{ path: 'a.txt' }],
    });
  });

  test('.gitignore files apply at every level, the nearest one first, also when a subfolder is requested', async () => {
    const { source } = project('ignoring', {
      '.gitignore': '*.log\n/build/\nsecret.txt\n',
      'a.ts': '',
      'debug.log': '',
      'build/out.js': '',
      'src/build/keep.js': '',
      'src/.gitignore': '!keep.log\n*.tmp\n',
      'src/keep.log': '',
      'src/deep/drop.log': '',
      'src/deep/x.tmp': '',
      'src/deep/Secret.txt': '',
      'src/deep/secret.txt': '',
    });
    const inSrc = ['src/.gitignore', 'src/build/keep.js', 'src/deep/Secret.txt', 'src/keep.log'];
    expect(await list(source, '.')).toEqual(['.gitignore', 'a.ts', ...inSrc]);
    expect(await list(source, 'src')).toEqual(inSrc);
    expect(await list(source, 'src/deep')).toEqual(['src/deep/Secret.txt']);
    expect(await source.read('debug.log', signal)).toMatchObject({ type: 'file' });
  });

  test('node_modules is listed only if the requested path names it', async () => {
    const { source } = project('modules', { 'a.ts': '', 'node_modules/x/index.js': 'x' });
    expect(await list(source, '.')).toEqual(['a.ts']);
    expect(await list(source, 'node_modules/x')).toEqual(['node_modules/x/index.js']);
  });

  test('listing a project folder does not follow links', async () => {
    const { root, source } = project('loops', { 'a/b.ts': '' });
    symlinkSync('..', join(root, 'a/up'));
    symlinkSync('b.ts', join(root, 'a/c.ts'));
    expect(await list(source, '.')).toEqual(['a/b.ts']);
  });

  test('a project folder that exceeds the limits is marked as cut', async () => {
    const many = Object.fromEntries(Array.from({ length: 2_100 }, (_, n) => [`f${n}.txt`, 'x']));
    const { source } = project('many', many);
    const folder = await source.read('.', signal);
    expect(folder).toMatchObject({ cut: true });
    expect(folder?.type === 'folder' && folder.listing.length).toBe(2_000);
    const { source: large } = project(
      'large',
      Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`f${n}.txt`, 'x'.repeat(200_000)])),
    );
    const contents = await large.read('.', signal);
    expect(contents).toMatchObject({ cut: true });
    expect(contents?.type === 'folder' && contents.files.length).toBeLessThan(30);
    expect(contents?.type === 'folder' && contents.listing.length).toBe(30);
  });

  test('a hostile .gitignore does not block listing a project folder', async () => {
    const { source } = project('redos', {
      '.gitignore': `${'*a'.repeat(40)}b\n/${'**/a/'.repeat(13)}b\n/${'**/a/'.repeat(13)}d\n/${'**/a/'.repeat(13)}e\n**/x/**/*.tmp\n`,
      [`${'a/'.repeat(30)}c`]: 'x',
      'x/y/b.tmp': '',
    });
    expect(await list(source, '.')).toEqual(['.gitignore', `${'a/'.repeat(30)}c`]);
  });
});
