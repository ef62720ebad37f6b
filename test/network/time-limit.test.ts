import { expect, test } from '@jest/globals';
import { withTimeLimit } from '../../src/network/time-limit.js';
import { collectGarbage } from '../support/collect-garbage.js';

const reasonOf = (signal: AbortSignal): Promise<unknown> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(signal.reason)));

test('a signal with a time limit aborts with a TimeoutError, even if garbage is collected before', async () => {
  const reason = reasonOf(withTimeLimit(new AbortController().signal, 200));
  await new Promise(setImmediate);
  collectGarbage();
  await new Promise(setImmediate);
  collectGarbage();
  expect(await reason).toMatchObject({ name: 'TimeoutError' });
});

test('a signal with a time limit aborts with the reason of its source', async () => {
  const source = new AbortController();
  const reason = reasonOf(withTimeLimit(source.signal, 60_000));
  source.abort('left');
  expect(await reason).toBe('left');
});

test('a signal with a time limit is aborted from the start if its source is', () => {
  expect(withTimeLimit(AbortSignal.abort('left'), 60_000).reason).toBe('left');
});
