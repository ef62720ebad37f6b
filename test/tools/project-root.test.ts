import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { SecurityViolation, ToolError } from '../../src/sdk/actions/tool-errors.js';
import { toToolError } from '../../src/tools/folder/path-errors.js';
import { ProjectRoot } from '../../src/tools/project-root.js';
import { openWorkshop, secret, swapping } from '../support/workshop.js';

const textOf = async (root: ProjectRoot, path: string) => (await root.readText(path)).content;

describe('tools are contained by real path (rule: containment)', () => {
  test.each([
    '../outside/secret.txt',
    'a/../../outside/secret.txt',
    './../outside/../outside/secret.txt',
    '..',
    '../project-b/x',
    '/etc/passwd',
    '/',
    '../outside/missing.txt',
    'link-out/secret.txt',
    'link-out/missing.txt',
    'file-out.txt',
    'chain',
  ])('`%s` leads outside: a security violation, whether it exists or not', async (path) => {
    const { folder, outside, call } = await openWorkshop({ 'a/b.txt': 'b' });
    symlinkSync(outside, join(folder, 'link-out'));
    symlinkSync(join(outside, 'secret.txt'), join(folder, 'file-out.txt'));
    symlinkSync('file-out.txt', join(folder, 'chain'));
    mkdirSync(`${folder}-b`);
    for (const [name, args] of [
      ['read_file', { path }],
      ['list_files', { path }],
      ['search_code', { pattern: 'secret', path }],
      ['write_file', { path, content: 'x' }],
      ['edit_file', { path, old_string: 'the', new_string: 'a' }],
      ['run_command', { command: 'pwd', working_dir: path }],
    ] as const) {
      await expect(call(name, args)).rejects.toThrow(SecurityViolation);
    }
    expect(readFileSync(join(outside, 'secret.txt'), 'utf8')).toBe(secret);
  });

  test.each([
    'missing.txt',
    '.env',
    '.env.local',
    'sub/.ENV',
    '.git/config',
    'id_rsa',
    'server.pem',
    'a.txt/b',
    'to-env',
    'loop',
    '.ssh/x',
  ])('`%s` is missing or forbidden: one and the same answer', async (path) => {
    const { folder, call } = await openWorkshop({
      '.env': 'KEY=1',
      '.env.local': 'KEY=1',
      'sub/.ENV': 'KEY=1',
      '.git/config': 'x',
      id_rsa: 'x',
      'server.pem': 'x',
      'a.txt': 'x',
      '.ssh/x': 'x',
    });
    symlinkSync('.env', join(folder, 'to-env'));
    symlinkSync('loop', join(folder, 'loop'));
    await expect(call('read_file', { path })).rejects.toEqual(
      new ToolError(`There is no readable file or folder at "${path}".`),
    );
  });

  test.each([
    ['a\0b', 'NUL'],
    ['a\\b', 'Use "/"'],
    ['C:\\x', 'Use "/"'],
  ])('%j is refused with a hint', async (path, hint) => {
    const { call } = await openWorkshop();
    await expect(call('read_file', { path })).rejects.toThrow(hint);
  });

  test.each([
    'a/b.txt',
    './a/b.txt',
    'a//b.txt',
    'a/../a/b.txt',
    'inner/b.txt',
    '…/ä b.txt',
  ])('`%s` is inside and is read', async (path) => {
    const { folder, call } = await openWorkshop({ 'a/b.txt': 'text', '…/ä b.txt': 'text' });
    symlinkSync('a', join(folder, 'inner'));
    expect(await call('read_file', { path })).toContain('1: text');
  });

  test('the root may itself be a link, and absolute paths inside it are taken', async () => {
    const { folder, outside } = await openWorkshop({ 'a.txt': 'text' });
    symlinkSync(folder, join(outside, 'alias'));
    const root = await ProjectRoot.open(join(outside, 'alias'));
    expect(await textOf(root, 'a.txt')).toBe('text');
    expect(await textOf(root, join(folder, 'a.txt'))).toBe('text');
    expect(await textOf(root, join(outside, 'alias', 'a.txt'))).toBe('text');
  });

  test('whatever path is asked for, nothing from outside comes back', async () => {
    const { folder, outside } = await openWorkshop({ 'a/b.txt': 'inside' });
    symlinkSync(outside, join(folder, 'out'));
    const root = await ProjectRoot.open(folder);
    const part = fc.constantFrom(
      '..',
      '.',
      '',
      'a',
      'out',
      'b.txt',
      'secret.txt',
      'outside',
      '%2e%2e',
      '...',
      '~',
    );
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 8 }), fc.boolean(), async (parts, absolute) => {
        const path = (absolute ? '/' : '') + parts.join('/');
        const text = await textOf(root, path).catch(() => 'refused');
        expect(['inside', 'refused']).toContain(text);
      }),
      { numRuns: 500 },
    );
  });

  test('a folder swapped for a link between check and open gains nothing', async () => {
    const { folder, outside } = await openWorkshop({ 'a/secret.txt': 'inside' });
    symlinkSync(outside, join(folder, 'evil'));
    const root = await ProjectRoot.open(folder);
    const swapper = new Worker(swapping, { eval: true, workerData: folder });
    const seen = new Set<string>();
    for (let round = 0; round < 3_000; round++) {
      seen.add(await textOf(root, 'a/secret.txt').catch((error: Error) => error.name));
    }
    await swapper.terminate();
    expect([...seen].filter((text) => text.includes(secret))).toEqual([]);
    expect(seen).toContain('inside');
    expect(seen).toContain('SecurityViolation');
  }, 30_000);
});

test.each([
  'constructor',
  '__proto__',
  'toString',
])('a failure whose code is `%s` is no trouble of the machine', (code) => {
  const error = toToolError(Object.assign(new Error('odd'), { code, name: code }), 'a.ts');
  expect(error).toEqual(new ToolError('There is no readable file or folder at "a.ts".'));
});

describe('special files (rule: containment)', () => {
  test('a pipe, a device, a folder, a huge and a sparse file are refused and hold nobody up', async () => {
    const { folder, call, write } = await openWorkshop();
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    execFileSync('truncate', ['-s', '1T', join(folder, 'sparse')]);
    write('huge.txt', Buffer.alloc(9 * 1024 * 1024, 'x'));
    mkdirSync(join(folder, 'folder'));
    for (const path of ['pipe', 'sparse', 'huge.txt', 'folder']) {
      await expect(call('read_file', { path })).rejects.toThrow(ToolError);
    }
    expect(await call('search_code', { pattern: 'x' })).toBe('No matches.\n(2 files could not be read)');
  });

  test('a hard link is a file like any other; a binary file is named as such', async () => {
    const { folder, call, write } = await openWorkshop({ 'a.txt': 'text' });
    linkSync(join(folder, 'a.txt'), join(folder, 'b.txt'));
    write('c.bin', Buffer.from([1, 0, 2]));
    expect(await call('read_file', { path: 'b.txt' })).toContain('1: text');
    await expect(call('read_file', { path: 'c.bin' })).rejects.toThrow('is a binary file');
  });

  test('a root that is gone, or is a file, is an error at once', async () => {
    const { folder, write } = await openWorkshop();
    write('file', '');
    await expect(ProjectRoot.open(join(folder, 'file'))).rejects.toThrow();
    rmSync(folder, { recursive: true });
    await expect(ProjectRoot.open(folder)).rejects.toThrow();
    writeFileSync(folder, '');
  });
});
