import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { McpAgreements } from '../../../src/cli/mcp/agreements.js';
import type { ConfiguredServer } from '../../../src/cli/mcp/configured-servers.js';
import type { McpTool } from '../../../src/mcp/mcp-tool.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const home = temporaryFolder();
const server = (name: string): ConfiguredServer => ({
  name,
  file: '.mcp.json',
  declaration: { command: name },
  programs: [],
  fingerprint: `fingerprint of ${name}`,
});
const tool: McpTool = {
  name: 'x__look',
  toolName: 'look',
  title: undefined,
  description: '',
  inputSchema: {},
  isDestructive: false,
  fingerprint: 'f',
};

/** Opens the consent of one folder in two sessions, of which one has stored consent and the other has read it. */
async function twoSessions(file: string) {
  const [one, other] = [new McpAgreements('/shop', file), new McpAgreements('/shop', file)];
  await one.agree(server('x'));
  expect(await other.isAgreed(server('x'))).toBe(true);
  return [one, other] as const;
}

test('a decision of one session keeps what another session has stored since', async () => {
  const [one, other] = await twoSessions(join(home, 'both.json'));
  await one.agree(server('y'));
  await one.decide(server('x'), [tool], 'trust');
  await other.agree(server('z'));
  for (const name of ['x', 'y', 'z']) expect(await one.isAgreed(server(name))).toBe(true);
  expect(await one.verdictOn(server('x'), tool)).toBe('trust');
});

test('consent withdrawn in one session stays withdrawn when another session stores a decision', async () => {
  const [one, other] = await twoSessions(join(home, 'withdrawn.json'));
  expect(await one.forget('x')).toBe(true);
  await other.decide(server('x'), [tool], 'trust');
  await other.agree(server('y'));
  expect(await new McpAgreements('/shop', join(home, 'withdrawn.json')).isAgreed(server('x'))).toBe(false);
});
