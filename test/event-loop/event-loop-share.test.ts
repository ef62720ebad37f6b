import { expect, test } from '@jest/globals';
import { EventLoopShare } from '../../src/event-loop/event-loop-share.js';

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const MORE_THAN_A_TURN = 1_000_000;

/** A piece of work as it is written everywhere: it books, then works. */
async function workOn(share: EventLoopShare, work: number, then: () => void): Promise<void> {
  await share.take(work);
  then();
}

test('work within the share goes on at once, and no promise is made for it (rule: loop-share)', async () => {
  const share = new EventLoopShare();
  const done: number[] = [];
  for (const work of [1, 1000, 10_000]) workOn(share, work, () => done.push(work));
  await Promise.resolve();
  expect(done).toEqual([1, 1000, 10_000]);
  expect(share.take(1)).toBeUndefined();
});

test('when the share is used up, one count a turn goes on, in the order they came', async () => {
  const share = new EventLoopShare();
  const done: string[] = [];
  await share.take(MORE_THAN_A_TURN);
  for (const name of ['first', 'second', 'third']) workOn(share, MORE_THAN_A_TURN, () => done.push(name));
  await Promise.resolve();
  const seen = [[...done]];
  for (let turn = 0; turn < 3; turn++) {
    await nextTurn();
    seen.push([...done]);
  }
  expect(seen).toEqual([[], ['first'], ['first', 'second'], ['first', 'second', 'third']]);
});

test('work of unknown extent is booked when it is done, and lets what comes next wait', async () => {
  const share = new EventLoopShare();
  const done: string[] = [];
  expect(share.spent(1)).toBeUndefined();
  const waited = share.spent(MORE_THAN_A_TURN)?.then(() => done.push('next'));
  await Promise.resolve();
  expect(done).toEqual([]);
  await waited;
  expect(done).toEqual(['next']);
  const left = new AbortController();
  left.abort(new Error('left'));
  expect(() => share.spent(1, left.signal)).toThrow('left');
});

test('an unused share is not saved up for later turns', async () => {
  const share = new EventLoopShare();
  await share.take(1);
  for (let turn = 0; turn < 5; turn++) await nextTurn();
  await share.take(MORE_THAN_A_TURN);
  let waited = true;
  workOn(share, 1, () => {
    waited = false;
  });
  await Promise.resolve();
  expect(waited).toBe(true);
});

test('work whose signal is aborted ends with its reason, waiting or not, and takes nobody’s turn', async () => {
  const share = new EventLoopShare();
  const left = new AbortController();
  const done: string[] = [];
  await share.take(MORE_THAN_A_TURN);
  const given = share.take(1, left.signal);
  workOn(share, 1, () => done.push('next'));
  left.abort(new Error('left'));
  await Promise.all([expect(given).rejects.toThrow('left'), nextTurn()]);
  expect(done).toEqual(['next']);
  expect(() => share.take(1, left.signal)).toThrow('left');
});
