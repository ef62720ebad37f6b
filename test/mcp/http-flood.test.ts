import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { afterEach, expect, test } from '@jest/globals';
import { mcpTools } from '../../src/mcp/index.js';
import { listen } from '../support/listen.js';
import { until } from '../support/until.js';

const change = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
const storm = `event: message\ndata: ${change}\n\n`.repeat(1_000);

interface Request {
  readonly id?: number;
  readonly method: string;
  readonly params: { readonly protocolVersion: string };
}

/** Answers as an HTTP server whose event stream repeats `tools/list_changed` forever. */
async function answerRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method === 'GET') {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const writeOn = () => void (response.destroyed || response.write(storm, writeOn));
    return writeOn();
  }
  const { id, method, params } = (await json(request)) as Request; // the client speaks the protocol
  if (id === undefined) return void response.writeHead(202).end();
  const started = { protocolVersion: params.protocolVersion, capabilities: { tools: { listChanged: true } } };
  const tool = { name: 'echo', inputSchema: { type: 'object' } };
  const result =
    method === 'initialize' ? { ...started, serverInfo: { name: 'raw', version: '1' } } : { tools: [tool] };
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
}

const server = createServer((request, response) => void answerRequest(request, response));
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

test('an MCP server over HTTP that floods its event stream is disconnected and the reason is reported (rule: mcp-servers)', async () => {
  const url = await listen(server);
  const notices: string[] = [];
  const mcp = await mcpTools({
    servers: { raw: { url: `${url}/mcp` } },
    onNotice: (_, notice) => notices.push(notice),
  });
  await until(() => notices.length > 0);
  expect(notices).toEqual(['is left out: it sent more than 500 messages a second, so it was ended']);
  expect(await mcp.tools()).toEqual([]);
  await mcp.close();
});
