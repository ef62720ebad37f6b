import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { RequestSignal } from '../../../../src/service/http/intake/request-signal.js';

test('tells each listener once, and none that was taken away', () => {
  const signal = new RequestSignal();
  const told: string[] = [];
  const leave = (): number => told.push('taken away');
  signal.addEventListener('abort', () => told.push('first'));
  signal.addEventListener('abort', leave);
  signal.addEventListener('abort', { handleEvent: ({ type }) => void told.push(type) });
  signal.removeEventListener('abort', leave);
  signal.abort(new Error('one'));
  signal.abort(new Error('two'));
  expect(told).toEqual(['first', 'abort']);
});

test('keeps the first reason, and throws it', () => {
  const signal = new RequestSignal();
  expect(signal.aborted).toBe(false);
  expect(() => signal.throwIfAborted()).not.toThrow();
  const reason = new Error('the first reason');
  signal.abort(reason);
  signal.abort(new Error('another'));
  expect(signal.aborted).toBe(true);
  expect(signal.reason).toBe(reason);
  expect(() => signal.throwIfAborted()).toThrow(reason);
});

test("ends a wait of Node's own", async () => {
  const signal = new RequestSignal();
  const waiting = wait(60_000, undefined, { signal });
  signal.abort(new Error('no more'));
  await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
});
