import { once } from 'node:events';
import { createServer } from 'node:http';
import { expect, test } from '@jest/globals';
import express, { type RequestHandler } from 'express';
import { loaded } from '../../../src/service/http/routes/agent-routes.js';
import { listen } from '../../support/listen.js';

test('what answers is loaded once, and never sees a caller who has left meanwhile', async () => {
  const loads: ((handler: RequestHandler) => void)[] = [];
  const server = createServer(
    express().post(
      '/:name',
      loaded(() => new Promise((done) => loads.push(done))),
    ),
  );
  const url = await listen(server);
  const leaving = new AbortController();
  const left = fetch(`${url}/left`, { method: 'POST', signal: leaving.signal });
  const [, response] = await once(server, 'request');
  leaving.abort();
  await Promise.all([expect(left).rejects.toThrow(), once(response, 'close')]);
  const stays = fetch(`${url}/stays`, { method: 'POST' });
  await once(server, 'request');

  const asked: unknown[] = [];
  loads[0]?.(({ params }, response) => {
    asked.push(params['name']);
    response.end();
  });
  await stays;
  await (await fetch(`${url}/comes`, { method: 'POST' })).text();
  expect(asked).toEqual(['stays', 'comes']);
  expect(loads).toHaveLength(1);
  server.close();
});
