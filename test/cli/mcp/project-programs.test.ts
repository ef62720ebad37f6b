import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import { hashPrograms } from '../../../src/cli/mcp/project-programs.js';
import type { McpServer } from '../../../src/mcp/mcp-server.js';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/** Creates a project with code, data, a program, links, and a program in a folder beside it. */
function openProject() {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'stepwise-programs-')));
  folders.push(base);
  const folder = join(base, 'project');
  const write = (path: string, text: string, mode = 0o644) => {
    mkdirSync(dirname(join(base, path)), { recursive: true });
    writeFileSync(join(base, path), text);
    chmodSync(join(base, path), mode);
  };
  for (const path of ['project/server.js', 'project/src/main.py', 'project/data.db', 'project/config.json'])
    write(path, path);
  write('project/bin/tool', '#!/bin/sh\n', 0o755);
  write('outside/tool', '#!/bin/sh\n', 0o755);
  symlinkSync('../outside/tool', join(folder, 'linked'));
  execFileSync('mkfifo', [join(folder, 'pipe.js')]);
  const programs = async (server: McpServer) => (await hashPrograms(server, folder)).map(({ path }) => path);
  return { folder, write, programs };
}

describe('hashed programs of MCP servers (rule: mcp-agreement)', () => {
  test.each<[string, McpServer, readonly string[]]>([
    ['a script of an interpreter', { command: 'node', args: ['server.js'] }, ['server.js']],
    ['a module in an option', { command: 'node', args: ['--import=./server.js', 'src'] }, ['server.js']],
    ['a program given by its path', { command: './bin/tool' }, ['bin/tool']],
    ['a program found through PATH', { command: 'tool', env: { PATH: './bin' } }, ['bin/tool']],
    ['a link in the project to a program elsewhere', { command: './linked' }, ['linked']],
    ['a path relative to its folder', { command: 'python3', args: ['main.py'], cwd: 'src' }, ['src/main.py']],
    ['a library in its environment', { command: 'true', env: { LD_PRELOAD: './server.js' } }, ['server.js']],
    ['data among its arguments', { command: 'sqlite', args: ['--db', 'data.db', '-c', 'config.json'] }, []],
    ['a pipe, a folder, a missing file', { command: 'node', args: ['pipe.js', 'src', 'gone.js'] }, []],
    ['a program elsewhere', { command: '../outside/tool' }, []],
    ['an address', { url: 'https://mcp.example' }, []],
  ])('hashPrograms finds the programs of a server in the project: %s', async (_, server, expected) => {
    expect(await openProject().programs(server)).toEqual(expected);
  });

  test('the hash of a program changes with its content and with the target of a link', async () => {
    const { folder, write } = openProject();
    const server = { command: './linked', args: ['server.js'] };
    const hashes = async () => (await hashPrograms(server, folder)).map(({ hash }) => hash);
    const before = await hashes();
    write('project/server.js', 'other');
    write('outside/tool', '#!/bin/sh\n# other\n', 0o755);
    const after = await hashes();
    expect(await hashes()).toEqual(after);
    expect(before.filter((hash) => after.includes(hash))).toEqual([]);
  });
});
