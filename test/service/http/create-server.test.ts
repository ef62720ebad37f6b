import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect, test } from '@jest/globals';
import express from 'express';
import { createServer } from '../../../src/service/http/create-server.js';
import { listen } from '../../support/listen.js';

test('requests and responses are born as the ones of the app: Express has no prototype to change', async () => {
  const app = express().use((request, response) => void response.json({ path: request.path }));
  const server = createServer(app);
  const born: object[] = [];
  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    born.push(Object.getPrototypeOf(request), Object.getPrototypeOf(response));
  });
  const url = await listen(server);
  const answer = await fetch(`${url}/docs?a=b`);
  server.close();
  expect(await answer.json()).toEqual({ path: '/docs' });
  expect(born[0]).toBe(app.request);
  expect(born[1]).toBe(app.response);
});
