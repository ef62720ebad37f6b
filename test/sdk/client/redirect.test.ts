import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import { StepwiseClient } from '../../../src/sdk/client/stepwise-client.js';
import { stepRequest } from '../../support/whole-service.js';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function listen(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  // A TCP server's address is an object.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test.each([
  301, 302, 303, 307, 308,
])('HTTP %d takes neither key nor task elsewhere (rule: key-redaction)', async (status) => {
  let asked = 0;
  const elsewhere = await listen((_request, response) => {
    asked += 1;
    response.end('{}');
  });
  const baseUrl = await listen((_request, response) =>
    response.writeHead(status, { location: elsewhere }).end(),
  );
  const client = new StepwiseClient({ baseUrl, token: 'stepwise_canary', llmKey: 'sk-canary' });
  const calls = [client.step(stepRequest()), client.models(), client.stream(stepRequest()).next()];
  for (const call of calls) {
    const error = await call.catch((thrown) => thrown);
    expect(error).toMatchObject({ code: 'invalid_answer', status, retryable: false });
    expect(error.message).toMatch(/leads to another one, which is not followed/);
  }
  expect(asked).toBe(0);
});
