import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { McpServer } from '@agentclientprotocol/sdk';
import { describe, expect, test } from '@jest/globals';
import { type EditorBehaviour, openEditor } from '../../support/acp-editor.js';
import { act, answer, type Bench, scripted, setUp } from '../../support/cli-harness.js';
import { isRunning } from '../../support/is-running.js';
import { killServer, type RawServer, rawServer } from '../../support/raw-mcp-server.js';
import { until } from '../../support/until.js';

const files = { 'a.txt': 'alpha\n' };
const choose = (optionId: string) => ({ outcome: { outcome: 'selected' as const, optionId } });
const startedIn = (log: string): readonly number[] =>
  [...readFileSync(log, 'utf8').matchAll(/"started":(\d+)/g)].map(([, pid]) => Number(pid));

const start = (bench: Bench) => bench.start(['acp', ...scripted]);

describe('MCP servers configured by the editor (rules: acp, mcp-tools)', () => {
  const everything = join(
    process.cwd(),
    'node_modules/@modelcontextprotocol/server-everything/dist/index.js',
  );
  const real = { name: 'all', command: process.execPath, args: [everything, 'stdio'], env: [] };

  test('tools of editor-configured MCP servers are offered with approval, and a server that cannot start is reported', async () => {
    const bench = await setUp(
      [act('all__echo(message="over there")'), answer('Echoed.'), answer('Yes.')],
      files,
    );
    const editor = await openEditor(start(bench), { permission: async () => choose('allow') });
    const { sessionId } = await editor.open(bench.folder, [
      real,
      { name: 'gone', command: '/nowhere/at/all', args: [], env: [] },
    ]);
    expect(await editor.prompt(sessionId, 'Echo it')).toBe('end_turn');
    expect(editor.permissionRequests).toMatchObject([
      {
        toolCall: {
          title: 'all__echo(message="over there")',
          content: [{ content: { text: expect.stringContaining('"message": "over there"') } }],
        },
      },
    ]);
    expect(editor.calls(sessionId)).toMatchObject([
      { name: 'all__echo', kind: 'other', status: 'completed' },
    ]);
    expect(bench.prompt(1)).toContain('Echo: over there');
    await editor.prompt(sessionId, 'Are all servers there?');
    expect(editor.text(sessionId)).toContain('The MCP server gone cannot be used');
  }, 60_000);

  const raw = (behaviour: RawServer, name = 'raw') => ({ name, ...rawServer(behaviour), env: [] });
  const listed = (...names: string[]): RawServer => ({
    pages: [names.map((name) => ({ name, description: '', inputSchema: { type: 'object' } }))],
  });

  test('tools of an editor’s MCP server that do not fit into the prompt are deferred, and the model finds one (rules: acp, deferring)', async () => {
    const bench = await setUp(
      [act('find_tools(query="say hello")'), act('raw__echo()'), answer('Hello.')],
      files,
    );
    const tool = (name: string, description: string) => ({
      name,
      description,
      inputSchema: { type: 'object' },
    });
    const crowd = Array.from({ length: 120 }, (_, index) => tool(`tool_${index}`, 'Many words. '.repeat(80)));
    const server = raw({ pages: [[...crowd, tool('echo', `Says hello. ${'Many words. '.repeat(80)}`)]] });
    const editor = await edit(bench, [server]);
    expect(await editor.prompt(editor.id, 'Say hello')).toBe('end_turn');
    expect(editor.calls(editor.id)).toMatchObject([
      {
        title: 'Finding tools: say hello',
        kind: 'search',
        status: 'completed',
        content: [{ content: { text: expect.stringContaining('Found: raw__echo') } }],
      },
      { name: 'raw__echo', status: 'completed' },
    ]);
    expect(bench.prompt(0)).not.toMatch(/raw__echo\(/);
    expect(bench.prompt(0)).toContain('read_file');
  });

  async function edit(bench: Bench, servers: McpServer[], does: EditorBehaviour = {}) {
    const editor = await openEditor(start(bench), { permission: async () => choose('allow'), ...does });
    const { sessionId } = await editor.open(bench.folder, servers);
    return { ...editor, id: sessionId };
  }

  test('an MCP server that cannot start is reported before the first ACP prompt', async () => {
    const bench = await setUp([], files);
    const editor = await edit(bench, [{ name: 'gone', command: '/nowhere/at/all', args: [], env: [] }]);
    await until(
      () => editor.text(editor.id),
      (text) => text.includes('The MCP server gone cannot be used: '),
    );
  });

  test('an MCP server that exits between ACP prompts is reported', async () => {
    const bench = await setUp([answer('Hello.')], files);
    const pidFile = join(bench.folder, 'server.pid');
    const editor = await edit(bench, [raw({ ...listed('echo'), pidFile })]);
    expect(await editor.prompt(editor.id, 'Hello')).toBe('end_turn');
    killServer(pidFile);
    await until(
      () => editor.text(editor.id),
      (text) => text.includes('The MCP server raw is left out: it ended by itself'),
    );
  });

  test('an MCP server that floods the client with messages is stopped and reported, and the run continues', async () => {
    const bench = await setUp([act('raw__storm()'), answer('It floods.')], files);
    const editor = await edit(bench, [raw(listed('storm'))]);
    expect(await editor.prompt(editor.id, 'Ask it')).toBe('end_turn');
    expect(editor.text(editor.id)).toContain(
      'The MCP server raw is left out: it sent more than 500 messages',
    );
    expect(editor.text(editor.id)).toContain('It floods.');
    expect(bench.prompt(1)).not.toContain('raw__storm: ');
  });

  test('of two MCP servers with the same name, the first is used, and the editor shows a notice', async () => {
    const bench = await setUp([act('raw__echo()'), answer('Echoed.')], files);
    const editor = await edit(bench, [raw(listed('echo')), raw(listed('fail'))]);
    await until(
      () => editor.text(editor.id),
      (text) => text.includes('Two MCP servers are named raw; only the first is used.'),
    );
    expect(await editor.prompt(editor.id, 'Ask it')).toBe('end_turn');
    expect(editor.calls(editor.id)).toMatchObject([{ name: 'raw__echo', status: 'completed' }]);
  });

  test('pictures and links in MCP results are described to model and editor without fetching them', async () => {
    const bench = await setUp([act('raw__picture()'), answer('Seen.')], files);
    const editor = await edit(bench, [raw(listed('picture'))]);
    await editor.prompt(editor.id, 'Show it');
    for (const said of [
      '[image, image/png, 3 bytes]',
      '[a link to file:///plan.pdf (The plan, application/pdf): not read]',
    ]) {
      expect(bench.prompt(1)).toContain(said);
      expect(JSON.stringify(editor.calls(editor.id)[0]?.content)).toContain(said);
    }
  });

  test('closing an ACP session ends all processes that its MCP server started', async () => {
    const bench = await setUp([], files);
    const log = join(bench.folder, 'server.log');
    const editor = await edit(bench, [raw({ ...listed('echo'), startsProcess: true, log })]);
    await until(() => existsSync(log) && startedIn(log).length === 2);
    const started = startedIn(log);
    expect(started.map(isRunning)).toEqual([true, true]);
    await editor.agent.request('session/close', { sessionId: editor.id });
    await until(() => !started.some(isRunning));
  });
});
