import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { afterEach, expect, test } from '@jest/globals';
import { mcpTools } from '../../src/mcp/index.js';
import { startConnectProxy } from '../support/connect-proxy.js';
import { listen } from '../support/listen.js';
import { withEnvironment } from '../support/with-environment.js';

interface Request {
  readonly id?: number;
  readonly method: string;
  readonly params: { readonly protocolVersion: string };
}

/** Answers as an MCP server over HTTP with one tool. */
async function answerRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method !== 'POST') return void response.writeHead(405).end();
  const { id, method, params } = (await json(request)) as Request; // the client speaks the protocol
  if (id === undefined) return void response.writeHead(202).end();
  const started = { protocolVersion: params.protocolVersion, capabilities: { tools: {} } };
  const tool = { name: 'echo', inputSchema: { type: 'object' } };
  const result =
    method === 'initialize' ? { ...started, serverInfo: { name: 'far', version: '1' } } : { tools: [tool] };
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
}

const server = createServer((request, response) => void answerRequest(request, response));
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

test('an MCP server with a URL is reached through the proxy (rule: proxies)', async () => {
  const port = Number(new URL(await listen(server)).port);
  const proxy = await startConnectProxy(() => port);
  const mcp = await withEnvironment({ HTTP_PROXY: proxy.url }, () =>
    mcpTools({ servers: { far: { url: 'http://mcp.example:9000/mcp' } } }),
  );
  expect((await mcp.tools()).map(({ name }) => name)).toEqual(['far__echo']);
  await mcp.close();
  expect(new Set(proxy.tunnels.map(({ url }) => url))).toEqual(new Set(['mcp.example:9000']));
  proxy.close();
});
