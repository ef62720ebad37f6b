import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { type McpServer, type McpTools, mcpTools } from '../../src/mcp/index.js';
import type { Tool } from '../../src/sdk/actions/define-tool.js';
import { freePort } from '../support/free-port.js';
import { listen } from '../support/listen.js';
import { finish, readAll, start } from '../support/run-harness.js';
import { until } from '../support/until.js';

const everything = resolve('node_modules/@modelcontextprotocol/server-everything/dist/index.js');
const filesystem = resolve('node_modules/@modelcontextprotocol/server-filesystem/dist/index.js');
const node = process.execPath;

const opened: McpTools[] = [];
const processes: ChildProcess[] = [];
let folder: string;
beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'stepwise-mcp-')));
  writeFileSync(join(folder, 'a.txt'), 'alpha\n');
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((each) => each.close()));
  for (const child of processes.splice(0)) child.kill('SIGKILL');
});
afterAll(() => rmSync(folder, { recursive: true }));

async function open(server: McpServer): Promise<{ mcp: McpTools; tools: readonly Tool[] }> {
  const mcp = await mcpTools({ servers: { real: server }, folder });
  opened.push(mcp);
  return { mcp, tools: await mcp.tools() };
}

function call(
  tools: readonly Tool[],
  name: string,
  args: object,
  context: Partial<Parameters<Tool['execute']>[1]> = {},
) {
  const tool = tools.find((each) => each.name === `real__${name}`);
  if (!tool) throw new Error(`There is no ${name}.`);
  return tool.execute({ ...args }, { signal: new AbortController().signal, callId: 'call_1', ...context });
}

async function serveEverything(kind: 'streamableHttp' | 'sse'): Promise<number> {
  const port = await freePort();
  processes.push(
    spawn(node, [everything, kind], {
      env: { PATH: process.env['PATH'], PORT: String(port) },
      stdio: 'ignore',
    }),
  );
  await until(() =>
    fetch(`http://127.0.0.1:${port}/`).then(
      () => true,
      () => false,
    ),
  );
  return port;
}

const transports: readonly (readonly [string, () => Promise<McpServer>])[] = [
  ['standard input and output', async () => ({ command: node, args: [everything] })],
  [
    'streamable HTTP',
    async () => ({ url: `http://127.0.0.1:${await serveEverything('streamableHttp')}/mcp` }),
  ],
  [
    'the older SSE',
    async () => ({ type: 'sse', url: `http://127.0.0.1:${await serveEverything('sse')}/sse` }),
  ],
];

describe.each(transports)('the public MCP server server-everything over %s', (_, where) => {
  test('server-everything lists its tools, returns results, reports progress and survives a cancelled call (rule: mcp-tools)', async () => {
    const { tools, mcp } = await open(await where());
    expect(tools.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['real__echo', 'real__get-sum', 'real__trigger-long-running-operation']),
    );
    expect(mcp.servers[0]?.leftOut).toEqual([
      { name: 'simulate-research-query', reason: expect.stringContaining('task') },
    ]);
    expect(await call(tools, 'echo', { message: 'hi' })).toBe('Echo: hi');
    expect(await call(tools, 'get-tiny-image', {})).toMatchObject({
      content: expect.stringContaining('[image, image/png, 4033 bytes]'),
      attachments: [{ media_type: 'image/png', data: expect.any(String) }],
    });
    expect(await call(tools, 'get-resource-links', { count: 1 })).toContain('[a link to demo://resource/');
    expect(
      JSON.parse(String(await call(tools, 'get-structured-content', { location: 'Chicago' }))),
    ).toHaveProperty('temperature');
    await expect(call(tools, 'echo', { message: 5 })).rejects.toThrow('Invalid arguments for tool echo');
    const outputs: string[] = [];
    const slow = { duration: 0.2, steps: 2 };
    await call(tools, 'trigger-long-running-operation', slow, { onOutput: (output) => outputs.push(output) });
    expect(outputs[0]).toBe('1/2\n');
    const signal = AbortSignal.timeout(100);
    await expect(
      call(tools, 'trigger-long-running-operation', { duration: 600, steps: 2 }, { signal }),
    ).rejects.toThrow();
    expect(await call(tools, 'echo', { message: 'still here' })).toBe('Echo: still here');
  });
});

describe('the public MCP server server-filesystem', () => {
  test('server-filesystem reads inside its folder and denies access elsewhere (rule: mcp-servers)', async () => {
    const { tools } = await open({ command: node, args: [filesystem, folder] });
    expect(await call(tools, 'read_text_file', { path: join(folder, 'a.txt') })).toBe('alpha\n'.trimEnd());
    await expect(call(tools, 'read_text_file', { path: '/etc/hostname' })).rejects.toThrow('Access denied');
  });

  test('a run offers the tools of server-filesystem and calls one after approval (rule: mcp-trust)', async () => {
    const { mcp } = await open({ command: node, args: [filesystem, folder] });
    const script = [
      {
        thought: 'I look.',
        call: { name: 'real__list_directory', args: { path: folder }, requiresApproval: true },
      },
      { answer: 'There is a.txt.' },
    ];
    const asked: string[] = [];
    const { run } = await start(script, {
      tools: mcp.tools,
      approve: async ({ preview, rules }) => {
        asked.push(`${preview} ${JSON.stringify(rules)}`);
        return { type: 'allow' };
      },
    });
    const events = await readAll(run);
    expect(asked).toEqual([
      `Tool list_directory of the MCP server real\n${JSON.stringify({ path: folder }, null, 2)} []`,
    ]);
    expect(events.find(({ type }) => type === 'tool_complete')).toMatchObject({
      observation: '[FILE] a.txt',
    });
    expect((await finish([{ answer: 'x' }], { tools: mcp.tools })).events[0]).toMatchObject({
      tools: expect.arrayContaining(['real__read_file']),
    });
  });
});

describe('MCP servers over HTTP (rule: mcp-servers)', () => {
  const secret = 'Bearer token-canary-0123456789';

  /** Starts a server that answers every request like this; returns the authorization headers it received. */
  async function serve(status: number, { location, body = '' }: { location?: string; body?: string }) {
    const received: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      received.push(request.headers.authorization);
      response.writeHead(status, { ...(location && { location }), 'content-type': 'application/json' });
      response.end(body || JSON.stringify({ said: request.headers.authorization }));
    });
    const url = await listen(server);
    return { url: `${url}/mcp`, received, close: () => server.close() };
  }

  async function noticeOf(server: McpServer): Promise<string> {
    const notices: string[] = [];
    const mcp = await mcpTools({ servers: { far: server }, onNotice: (_, notice) => notices.push(notice) });
    opened.push(mcp);
    return notices.join('\n');
  }

  test('an MCP client does not follow redirects to another origin, so its headers do not leak', async () => {
    const elsewhere = await serve(200, {});
    const server = await serve(307, { location: elsewhere.url });
    const notice = await noticeOf({ url: server.url, headers: { Authorization: secret } });
    expect(notice).toContain('cannot be used');
    expect({ here: server.received, there: elsewhere.received }).toEqual({ here: [secret], there: [] });
    server.close();
    elsewhere.close();
  });

  test('a notice about a failed MCP server redacts headers that the server repeats', async () => {
    const server = await serve(500, {});
    const notice = await noticeOf({ url: server.url, headers: { Authorization: secret } });
    expect(notice).toContain('[redacted]');
    expect(notice).not.toContain('canary');
    server.close();
  });

  test('an MCP server that sends a message over 10 MB cannot be used', async () => {
    const server = await serve(200, {
      body: `{"jsonrpc":"2.0","id":0,"result":"${'x'.repeat(11_000_000)}"}`,
    });
    expect(await noticeOf({ url: server.url })).toContain(
      'The server sent a message of more than 10000000 bytes.',
    );
    server.close();
  });

  test.each([
    'file:///etc/passwd',
    'no address',
  ])('mcpTools rejects %s as the url of an MCP server', async (url) => {
    expect(await noticeOf({ url })).toBe('cannot be used: its url is not a valid http or https address');
  });
});
