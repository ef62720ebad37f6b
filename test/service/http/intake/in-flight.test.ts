import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { expect, test } from '@jest/globals';
import type { Response } from 'express';
import { InFlight } from '../../../../src/service/http/intake/in-flight.js';

/** Cast: `InFlight` only uses the parts of Express's response that Node's has too. */
const newResponse = (): Response => new ServerResponse(new IncomingMessage(new Socket())) as Response;

test('InFlight counts the remaining requests correctly in any order of ending (rule: shutdown)', async () => {
  const inFlight = new InFlight({ max: 10, maxBytes: 2 ** 30, maxLagMs: 250, lagMs: () => 0 });
  const accepted = Array.from({ length: 5 }, () => {
    const response = newResponse();
    return { response, deadline: inFlight.accept(response, 1) };
  });
  for (const ended of [1, 0, 4]) accepted[ended]?.response.emit('close');
  expect(inFlight.count).toBe(2);
  inFlight.interruptAll();
  const reasons = accepted.map(({ deadline }) => deadline.signal.reason.reason);
  const left = 'caller_left';
  expect(reasons).toEqual([left, left, 'shutting_down', 'shutting_down', left]);
  for (const { response } of accepted) response.emit('close');
  expect(inFlight.count).toBe(0);
  await inFlight.idle();
});
