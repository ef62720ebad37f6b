import { expect, test } from '@jest/globals';
import { MAX_TURN_MS, yieldIfBusy } from '../../src/event-loop/yield-if-busy.js';
import { until } from '../support/until.js';

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Blocks until the time of the current turn of the event loop is used up. */
function useUpTurn(): void {
  const end = performance.now() + MAX_TURN_MS;
  while (performance.now() < end);
}

/** Runs a loop in the usual way: it awaits yieldIfBusy before each item, and each item uses up a turn. */
async function workOn(items: number, onItem: () => void, signal?: AbortSignal): Promise<void> {
  for (let item = 0; item < items; item++) {
    await yieldIfBusy(signal);
    onItem();
    useUpTurn();
  }
}

/**
 * Waits for a turn of the event loop in which yieldIfBusy does not yield. On a busy machine other processes may use up
 * a whole turn.
 */
const turnWithTimeLeft = (): Promise<boolean> =>
  until(async () => {
    await nextTurn();
    return yieldIfBusy() === undefined;
  });

test('yieldIfBusy creates no promise while the turn has time left', async () => {
  await until(async () => (await turnWithTimeLeft()) && yieldIfBusy() === undefined);
});

test('yieldIfBusy waits for a later turn once the time of the current one is used up (rule: loop-share)', async () => {
  await turnWithTimeLeft();
  useUpTurn();
  const waiting = yieldIfBusy();
  let isWaiting = true;
  const waited = waiting?.then(() => {
    isWaiting = false;
  });
  await Promise.resolve();
  expect(isWaiting).toBe(true);
  await waited;
});

test('timers keep firing between the items of several busy loops', async () => {
  await nextTurn();
  const log: string[] = [];
  const timer = setInterval(() => log.push('timer'), 1);
  await Promise.all(['a', 'b', 'c'].map((name) => workOn(3, () => log.push(name))));
  clearInterval(timer);
  const items = log.filter((each) => each !== 'timer');
  expect(items.slice().sort()).toEqual([...'aaabbbccc']);
  expect(log.filter((each) => each === 'timer').length).toBeGreaterThanOrEqual(5);
});

test('time that one turn leaves unused is not added to later turns', async () => {
  yieldIfBusy();
  for (let turn = 0; turn < 5; turn++) await nextTurn();
  await turnWithTimeLeft();
  useUpTurn();
  expect(yieldIfBusy()).toBeInstanceOf(Promise);
});

test('yieldIfBusy throws the reason of an aborted signal, immediately or after its wait', async () => {
  await nextTurn();
  const leaving = new AbortController();
  yieldIfBusy();
  useUpTurn();
  const waiting = yieldIfBusy(leaving.signal);
  leaving.abort(new Error('left'));
  expect(() => yieldIfBusy(leaving.signal)).toThrow('left');
  await expect(waiting).rejects.toThrow('left');
});

test('aborted waiters of yieldIfBusy reject in the next turn and do not delay the other waiters', async () => {
  await nextTurn();
  yieldIfBusy();
  useUpTurn();
  const leaving = new AbortController();
  let ended = 0;
  const waitAborted = (): void => {
    yieldIfBusy(leaving.signal)?.catch(() => {
      ended += 1;
    });
  };
  for (let count = 0; count < 1_000; count++) waitAborted();
  const waiting = [yieldIfBusy(), yieldIfBusy()];
  for (let count = 0; count < 1_000; count++) waitAborted();
  leaving.abort(new Error('left'));
  await waiting[0];
  expect(ended).toBe(2_000);
  await nextTurn();
  await nextTurn();
  await waiting[1];
});
