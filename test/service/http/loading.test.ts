import { once } from 'node:events';
import { createServer } from 'node:http';
import { expect, test } from '@jest/globals';
import express, { type RequestHandler } from 'express';
import { InFlight } from '../../../src/service/http/intake/in-flight.js';
import { loaded } from '../../../src/service/http/routes/agent-routes.js';
import { listen } from '../../support/listen.js';
import { startTestService, stepPath } from '../../support/test-service.js';

test('a lazily loaded handler is loaded once and is not called for callers that have left', async () => {
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

test('no request occupies a slot or has a deadline before the agent is loaded (rule: one-deadline)', async () => {
  const inFlight = new InFlight({ max: 1, maxBytes: 2 ** 30, maxLagMs: 250, lagMs: () => 0 });
  const placesTaken: number[] = [];
  const agent = async () => {
    placesTaken.push(inFlight.count);
    throw new Error('It cannot be loaded.');
  };
  const service = await startTestService({ inFlight, agent });
  const ask = () => fetch(service.url + stepPath, { method: 'POST', body: '{}' });
  expect((await ask()).status).toBe(500);
  expect((await ask()).status).toBe(500); // a failed load is retried
  expect(placesTaken).toEqual([0, 0]);
  await service.close();
});
