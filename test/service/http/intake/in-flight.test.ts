import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import type { Response } from 'express';
import fc from 'fast-check';
import { InFlight } from '../../../../src/service/http/intake/in-flight.js';
import type { Slot } from '../../../../src/service/http/intake/slot.js';

/** Accepts a request whose body has arrived. */
function acceptWhole(inFlight: InFlight, bytes: number, response = newResponse()): Slot {
  const slot = inFlight.accept(response, bytes);
  slot.countRequest(bytes);
  slot.endUpload({ isComplete: true });
  return slot;
}

/** Cast: `InFlight` only uses the parts of Express's response that Node's has too. */
const newResponse = (): Response => new ServerResponse(new IncomingMessage(new Socket())) as Response;

test('InFlight counts the remaining requests correctly in any order of ending (rule: shutdown)', async () => {
  const inFlight = new InFlight({ max: 10, maxBytes: 2 ** 30, maxLagMs: 250, lagMs: () => 0 });
  const accepted = Array.from({ length: 5 }, () => {
    const response = newResponse();
    return { response, slot: acceptWhole(inFlight, 1, response) };
  });
  for (const ended of [1, 0, 4]) accepted[ended]?.response.emit('close');
  expect(inFlight.count).toBe(2);
  inFlight.interruptAll();
  const reasons = accepted.map(({ slot }) => slot.signal.reason.reason);
  const left = 'caller_left';
  expect(reasons).toEqual([left, left, 'shutting_down', 'shutting_down', left]);
  for (const { response } of accepted) response.emit('close');
  expect(inFlight.count).toBe(0);
  await inFlight.idle();
});

describe('bytes in flight (rule: overload)', () => {
  const open = (maxBytes: number) => new InFlight({ max: 10, maxBytes, maxLagMs: 250, lagMs: () => 0 });
  const causes = ({ refused }: InFlight) => refused.bytes_in_flight;

  test('the bytes of a reply count as in flight only if they exceed the announced number', () => {
    const inFlight = open(1_000);
    const slot = acceptWhole(inFlight, 100);
    slot.announceReply(50);
    for (const bytes of [150, 50]) slot.countReply(bytes);
    expect(inFlight.bytes).toBe(300);
    for (const bytes of [30, 1]) slot.countReply(bytes);
    expect(inFlight.bytes).toBe(331);
  });

  test('an eighth of the bytes of a response counts as in flight, reduced by the bytes of its request', () => {
    const inFlight = open(1_000);
    const slot = acceptWhole(inFlight, 100);
    slot.countAnswer(800);
    expect(inFlight.bytes).toBe(100);
    slot.countAnswer(1_601);
    expect(inFlight.bytes).toBe(201);
  });

  test('replies may exceed the maximum of bytes in flight by a quarter, but the fields of requests may not', () => {
    const inFlight = open(1_000);
    const [first, second] = [900, 100].map((bytes) => acceptWhole(inFlight, bytes));
    expect(() => second?.countRequest(1)).toThrow('overloaded');
    second?.countReply(250);
    expect(() => first?.countReply(1)).toThrow('overloaded');
    expect(() => first?.countAnswer(900 * 8 + 8)).toThrow('overloaded');
    expect([inFlight.bytes, causes(inFlight)]).toEqual([1_250, 3]);
  });

  test('the only request in flight may grow without a limit', () => {
    const inFlight = open(1_000);
    const slot = acceptWhole(inFlight, 5_000);
    slot.countRequest(5_000);
    slot.countReply(5_000);
    expect([inFlight.bytes, causes(inFlight)]).toEqual([15_000, 0]);
  });

  test('once all responses are closed, no bytes are in flight, regardless of what the requests counted', () => {
    type Accepted = { readonly response: Response; readonly slot: ReturnType<InFlight['accept']> };
    const kinds: readonly ((accepted: Accepted, bytes: number) => unknown)[] = [
      ({ slot }, bytes) => slot.countRequest(bytes),
      ({ slot }, bytes) => slot.announceReply(bytes),
      ({ slot }, bytes) => slot.countReply(bytes),
      ({ slot }, bytes) => slot.countAnswer(bytes * 8),
      ({ slot }) => slot.endUpload({ isComplete: false }),
      ({ response }) => response.emit('close'),
    ];
    const steps = fc.array(fc.tuple(fc.nat(3), fc.constantFrom(...kinds), fc.nat(400)));
    fc.assert(
      fc.property(steps, (all) => {
        const inFlight = open(1_000);
        const accepted = Array.from({ length: 4 }, newResponse).map((response) => ({
          response,
          slot: acceptWhole(inFlight, 10, response),
        }));
        for (const [at, count, bytes] of all) {
          const refusals = causes(inFlight);
          const before = inFlight.bytes;
          if (isRefused(() => count(accepted[at] as Accepted, bytes))) {
            expect([causes(inFlight), inFlight.bytes]).toEqual([refusals + 1, before]);
          }
        }
        for (const { response } of accepted) response.emit('close');
        expect([inFlight.bytes, inFlight.count]).toEqual([0, 0]);
      }),
    );
  });
});

function isRefused(count: () => unknown): boolean {
  try {
    count();
    return false;
  } catch {
    return true;
  }
}
