import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { readConfiguredServers } from '../../../src/cli/mcp/configured-servers.js';

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'stepwise-mcp-')));
});
afterEach(() => rmSync(folder, { recursive: true }));

test('a byte order mark before the servers of .mcp.json and of the --mcp file is ignored (rule: mcp-agreement)', async () => {
  const serversOf = (name: string) => `\uFEFF{"mcpServers":{"${name}":{"url":"http://127.0.0.1/mcp"}}}`;
  const given = join(folder, 'given.json');
  writeFileSync(join(folder, '.mcp.json'), serversOf('project'));
  writeFileSync(given, serversOf('given'));
  const { servers, problems } = await readConfiguredServers(folder, given);
  expect(problems).toEqual([]);
  expect(servers.map(({ name }) => name)).toEqual(['given', 'project']);
});
