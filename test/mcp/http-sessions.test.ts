import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { type McpTools, mcpTools } from '../../src/mcp/index.js';
import { listen } from '../support/listen.js';

interface Message {
  readonly id?: number;
  readonly method: string;
  readonly params: { readonly protocolVersion: string; readonly name: string };
}

type Answer = (id: number, response: ServerResponse) => void;

const sessions = new Set<string>();
const requests: string[] = [];
let unknownSession = 404;
let answerCall: Answer;
let answerInitialize: Answer;

const send = (response: ServerResponse, message: object) =>
  response.setHeader('content-type', 'application/json').end(JSON.stringify({ jsonrpc: '2.0', ...message }));

beforeEach(() => {
  sessions.clear();
  requests.length = 0;
  answerCall = (id, response) =>
    send(response, { id, result: { content: [{ type: 'text', text: 'hello' }] } });
  answerInitialize = (id, response) => {
    const session = `session-${requests.length}`;
    sessions.add(session);
    const result = {
      protocolVersion: '2025-06-18',
      capabilities: {},
      serverInfo: { name: 'x', version: '1' },
    };
    send(response.setHeader('mcp-session-id', session), { id, result });
  };
});

/** Answers as an MCP server over HTTP with sessions and one tool. */
async function answerRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const session = String(request.headers['mcp-session-id']);
  if (request.method === 'GET') return void response.writeHead(405).end();
  if (request.method === 'DELETE') {
    requests.push('DELETE');
    sessions.delete(session);
    return void response.end();
  }
  const { id, method } = (await json(request)) as Message; // the client speaks the protocol
  requests.push(method);
  if (method === 'initialize' && id !== undefined) return answerInitialize(id, response);
  if (!sessions.has(session)) return void response.writeHead(unknownSession).end('No such session');
  if (id === undefined) return void response.writeHead(202).end();
  if (method === 'tools/call') return answerCall(id, response);
  send(response, { id, result: { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] } });
}

const server = createServer((request, response) => void answerRequest(request, response));
let mcp: McpTools | undefined;
afterEach(async () => {
  await mcp?.close();
  server.closeAllConnections();
  server.close();
});

async function open() {
  const url = `${await listen(server)}/mcp`;
  const notices: string[] = [];
  mcp = await mcpTools({ servers: { far: { url } }, onNotice: (_, notice) => notices.push(notice) });
  const [echo] = await mcp.tools();
  const call = async () => echo?.execute({}, { signal: new AbortController().signal, callId: 'call_1' });
  return { mcp, notices, call };
}

test.each([
  404, 400,
])('after an MCP server has forgotten the session (HTTP %i), concurrent calls share a new session and the tools are listed again (rule: mcp-servers)', async (status) => {
  const { call, mcp } = await open();
  unknownSession = status;
  sessions.clear();
  requests.length = 0;
  expect(await Promise.all([call(), call()])).toEqual(['hello', 'hello']);
  expect(requests.filter((each) => each === 'initialize')).toEqual(['initialize']);
  expect(requests).not.toContain('tools/list');
  await mcp.tools();
  expect(requests.at(-1)).toBe('tools/list');
});

test('a call fails with the HTTP status if the MCP server refuses a new session too (rule: mcp-servers)', async () => {
  const { call } = await open();
  sessions.clear();
  answerInitialize = (_, response) => void response.writeHead(503).end('Starting');
  await expect(call()).rejects.toThrow('The server far failed: it answered with HTTP 503: Starting.');
});

test('closing ends the session on the MCP server (rule: mcp-servers)', async () => {
  const { mcp } = await open();
  await mcp.close();
  expect(requests.at(-1)).toBe('DELETE');
});

test.each([
  ['ends', (response: ServerResponse) => response.end()],
  ['breaks off', (response: ServerResponse) => response.destroy()],
])('an MCP call fails at once if the event stream of its reply %s without a result (rule: mcp-servers)', async (_, end) => {
  answerCall = (_id, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(': nothing yet\n\n', () => end(response));
  };
  const { call } = await open();
  await expect(call()).rejects.toThrow('The server far failed: its reply ended before the result.');
});

test('an MCP call fails with a short reason if the reply over HTTP is not valid JSON-RPC (rule: mcp-servers)', async () => {
  answerCall = (id, response) => send(response, { id, result: null });
  const { call } = await open();
  await expect(call()).rejects.toThrow('The server far failed: its reply is not valid JSON-RPC.');
});

test.each([
  [401, 'it answered with HTTP 401 (put a valid token into its headers; OAuth is not supported): Sorry, no'],
  [
    404,
    'it answered with HTTP 404 (check its url; a server of the older transport needs "type": "sse"): Sorry, no',
  ],
])('the notice about an MCP server that answers with HTTP %i has the status, advice and the body (rule: mcp-servers)', async (status, reason) => {
  answerInitialize = (_, response) => void response.writeHead(status).end('Sorry,\n  no');
  const { notices } = await open();
  expect(notices).toEqual([`cannot be used: ${reason}`]);
});
