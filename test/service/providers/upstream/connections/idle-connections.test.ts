import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Agent, buildConnector, request } from 'undici';
import { paceReading } from '../../../../../src/service/providers/upstream/connections/paced-reading.js';
import { listen } from '../../../../support/listen.js';

const CHUNKS = 6;
const CALLS = 20;
/** Less than a beat. */
const PAUSE_MS = 4;

/** Hangs up after each answer, and does not say before that it will. */
const server = createServer(async (incoming, response) => {
  await once(incoming.resume(), 'end');
  response.writeHead(200, { 'content-length': CHUNKS });
  for (let chunk = 0; chunk < CHUNKS; chunk += 1) {
    response.write('x');
    await sleep(2);
  }
  response.socket?.end();
});
const dial = buildConnector({});
const agent = new Agent({
  connect: (options, callback) => {
    const socket: unknown = dial(options, callback);
    // Its types do not say so, but the connector returns the socket.
    paceReading(socket as Parameters<typeof paceReading>[0]);
  },
});
let url = '';

beforeAll(async () => {
  url = await listen(server);
});
afterAll(async () => {
  await agent.destroy();
  server.close();
});

test('no request is sent on a connection that its provider has closed, however soon after an answer', async () => {
  for (let call = 0; call < CALLS; call += 1) {
    const { body } = await request(url, { dispatcher: agent, method: 'POST', body: 'ask' });
    expect(await body.text()).toBe('x'.repeat(CHUNKS));
    await sleep(PAUSE_MS);
  }
});
