import { createServer, type RequestListener, type Server } from 'node:http';
import { afterEach, expect, test } from '@jest/globals';
import { StepwiseClient } from '../../../src/sdk/client/stepwise-client.js';
import { listen } from '../../support/listen.js';
import { stepRequest } from '../../support/whole-service.js';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

const serve = (answer: RequestListener): Promise<string> => {
  const server = createServer(answer);
  servers.push(server);
  return listen(server);
};

test.each([
  301, 302, 303, 307, 308,
])('the client does not follow HTTP %d, so the redirect receives neither key nor task (rule: key-redaction)', async (status) => {
  let asked = 0;
  const elsewhere = await serve((_request, response) => {
    asked += 1;
    response.end('{}');
  });
  const baseUrl = await serve((_request, response) =>
    response.writeHead(status, { location: elsewhere }).end(),
  );
  const client = new StepwiseClient({ baseUrl, token: 'stepwise_canary', llmKey: 'sk-canary' });
  const calls = [client.step(stepRequest()), client.models(), client.stream(stepRequest()).next()];
  for (const call of calls) {
    const error = await call.catch((thrown) => thrown);
    expect(error).toMatchObject({ code: 'invalid_answer', status, retryable: false });
    expect(error.message).toMatch(/redirects to another one, which the client does not follow/);
  }
  expect(asked).toBe(0);
});
