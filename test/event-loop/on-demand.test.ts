import { getEventListeners } from 'node:events';
import { expect, test } from '@jest/globals';
import { onDemand } from '../../src/event-loop/on-demand.js';

test('onDemand creates its value once for all concurrent callers', async () => {
  let made = 0;
  const one = onDemand(async () => ++made);
  expect(one.made()).toBeUndefined();
  expect(await Promise.all([one.get(), one.get(), one.get(new AbortController().signal)])).toEqual([1, 1, 1]);
  expect(await one.made()).toBe(1);
});

test('an aborted caller of onDemand stops waiting, and the other callers still get the value (rule: one-deadline)', async () => {
  let finish = (_value: string): void => {};
  const slow = onDemand(() => new Promise<string>((resolve) => (finish = resolve)));
  const step = new AbortController();
  const leaving = slow.get(step.signal);
  const staying = slow.get();
  step.abort(new Error('the deadline'));
  await expect(leaving).rejects.toThrow('the deadline');
  await expect(slow.get(step.signal)).rejects.toThrow('the deadline');
  finish('made');
  expect(await staying).toBe('made');
  expect(getEventListeners(step.signal, 'abort')).toEqual([]);
});

test('onDemand retries after a failed attempt', async () => {
  let tries = 0;
  const moody = onDemand(async () => {
    tries += 1;
    if (tries === 1) throw new Error('not today');
    return tries;
  });
  const step = new AbortController();
  await expect(moody.get(step.signal)).rejects.toThrow('not today');
  expect(await moody.get(step.signal)).toBe(2);
  expect(getEventListeners(step.signal, 'abort')).toEqual([]);
});
