import { expect, test } from '@jest/globals';
import { MAX_TURN_MS, yieldIfBusy } from '../../src/event-loop/yield-if-busy.js';

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Uses up the rest of the current turn. */
function useUpTurn(): void {
  const end = performance.now() + MAX_TURN_MS;
  while (performance.now() < end);
}

/** A loop as it is written everywhere: each item asks before it is worked on, and takes a whole turn. */
async function workOn(items: number, onItem: () => void, signal?: AbortSignal): Promise<void> {
  for (let item = 0; item < items; item++) {
    await yieldIfBusy(signal);
    onItem();
    useUpTurn();
  }
}

test('yieldIfBusy makes no promise while the turn has time left', async () => {
  await nextTurn();
  expect(yieldIfBusy()).toBeUndefined();
  expect(yieldIfBusy()).toBeUndefined();
});

test('yieldIfBusy waits for a later turn once the current one is used up (rule: loop-share)', async () => {
  await nextTurn();
  expect(yieldIfBusy()).toBeUndefined();
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

test('the turns of several busy loops are shared: timers fire between any two of their items', async () => {
  await nextTurn();
  const log: string[] = [];
  const timer = setInterval(() => log.push('timer'), 1);
  await Promise.all(['a', 'b', 'c'].map((name) => workOn(3, () => log.push(name))));
  clearInterval(timer);
  const items = log.filter((each) => each !== 'timer');
  expect(items.slice().sort()).toEqual([...'aaabbbccc']);
  expect(log.filter((each) => each === 'timer').length).toBeGreaterThanOrEqual(5);
});

test('a turn that nobody used up is not saved for later turns', async () => {
  yieldIfBusy();
  for (let turn = 0; turn < 5; turn++) await nextTurn();
  expect(yieldIfBusy()).toBeUndefined();
  useUpTurn();
  expect(yieldIfBusy()).toBeInstanceOf(Promise);
});

test('yieldIfBusy throws the reason of an aborted signal, at once or after its wait', async () => {
  await nextTurn();
  const leaving = new AbortController();
  yieldIfBusy();
  useUpTurn();
  const waiting = yieldIfBusy(leaving.signal);
  leaving.abort(new Error('left'));
  expect(() => yieldIfBusy(leaving.signal)).toThrow('left');
  await expect(waiting).rejects.toThrow('left');
});

test('aborted waiters take no turn from the others', async () => {
  await nextTurn();
  yieldIfBusy();
  useUpTurn();
  const left = AbortSignal.abort();
  const leaving = new AbortController();
  const aborted = Array.from({ length: 1_000 }, () => yieldIfBusy(leaving.signal)?.catch(() => undefined));
  const waiting = yieldIfBusy();
  leaving.abort(left.reason);
  await nextTurn();
  await nextTurn();
  await waiting;
  await Promise.all(aborted);
});
