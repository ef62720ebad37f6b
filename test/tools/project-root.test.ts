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

describe('containment by real path (rule: containment)', () => {
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
  ])('every tool rejects %s as a security violation, since it leads out of the project', async (path) => {
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
  ])('read_file gives the same error for missing and forbidden paths on disk: %s', async (path) => {
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
  ])('read_file rejects the path %j on disk with a hint', async (path, hint) => {
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
  ])('read_file reads %s, which is inside the project', async (path) => {
    const { folder, call } = await openWorkshop({ 'a/b.txt': 'text', '…/ä b.txt': 'text' });
    symlinkSync('a', join(folder, 'inner'));
    expect(await call('read_file', { path })).toContain('1: text');
  });

  test('ProjectRoot can be opened through a link and reads absolute paths inside it', async () => {
    const { folder, outside } = await openWorkshop({ 'a.txt': 'text' });
    symlinkSync(folder, join(outside, 'alias'));
    const root = await ProjectRoot.open(join(outside, 'alias'));
    expect(await textOf(root, 'a.txt')).toBe('text');
    expect(await textOf(root, join(folder, 'a.txt'))).toBe('text');
    expect(await textOf(root, join(outside, 'alias', 'a.txt'))).toBe('text');
  });

  test('ProjectRoot never returns a text from outside for any path', async () => {
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

  test('ProjectRoot reads nothing from outside while another process swaps a folder for a link', async () => {
    const { folder, outside } = await openWorkshop({ 'a/secret.txt': 'inside' });
    symlinkSync(outside, join(folder, 'evil'));
    const root = await ProjectRoot.open(folder);
    const swapper = new Worker(swapping, { eval: true, workerData: folder });
    const outcomes = new Set<string>();
    for (let round = 0; round < 3_000; round++) {
      outcomes.add(await textOf(root, 'a/secret.txt').catch((error: Error) => error.name));
    }
    await swapper.terminate();
    expect([...outcomes].filter((text) => text.includes(secret))).toEqual([]);
    expect(outcomes).toContain('inside');
    expect(outcomes).toContain('SecurityViolation');
  }, 30_000);
});

test.each([
  'constructor',
  '__proto__',
  'toString',
])('toToolError does not treat an error with the code %s as a failure of the machine', (code) => {
  const error = toToolError(Object.assign(new Error('odd'), { code, name: code }), 'a.ts');
  expect(error).toEqual(new ToolError('There is no readable file or folder at "a.ts".'));
});

describe('special files (rule: containment)', () => {
  test('tools reject pipes, folders, huge files and sparse files without blocking', async () => {
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

  test('read_file reads a hard link and rejects a binary file', async () => {
    const { folder, call, write } = await openWorkshop({ 'a.txt': 'text' });
    linkSync(join(folder, 'a.txt'), join(folder, 'b.txt'));
    write('c.bin', Buffer.from([1, 0, 2]));
    expect(await call('read_file', { path: 'b.txt' })).toContain('1: text');
    await expect(call('read_file', { path: 'c.bin' })).rejects.toThrow('is a binary file');
  });

  test('ProjectRoot.open rejects a file or a missing folder', async () => {
    const { folder, write } = await openWorkshop();
    write('file', '');
    await expect(ProjectRoot.open(join(folder, 'file'))).rejects.toThrow();
    rmSync(folder, { recursive: true });
    await expect(ProjectRoot.open(folder)).rejects.toThrow();
    writeFileSync(folder, '');
  });
});
