import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { LatestOnly } from '../../../src/playground/inspect/latest-only.js';
import { until } from '../../support/until.js';

interface Asked {
  readonly signal: AbortSignal;
  readonly finish: (result: string) => void;
}

/** Provides work that ends when the test decides. */
function bench() {
  const asked: Asked[] = [];
  const shown: string[] = [];
  const work = (signal: AbortSignal) =>
    new Promise<string>((finish) => {
      asked.push({ signal, finish });
    });
  const show = { done: (result: string) => void shown.push(result), failed: () => void shown.push('failed') };
  return { asked, shown, work, show };
}

test('LatestOnly never replaces a later result with an earlier one', async () => {
  const { asked, shown, work, show } = bench();
  const latest = new LatestOnly(0);
  latest.ask(work, show);
  await until(() => asked.length === 1);
  latest.ask(work, show);
  await until(() => asked.length === 2);
  expect(asked[0]?.signal.aborted).toBe(true);
  asked[1]?.finish('later');
  asked[0]?.finish('earlier');
  await nextTurn();
  expect(shown).toEqual(['later']);
});

test('LatestOnly runs only the last of many calls at once', async () => {
  const { asked, shown, work, show } = bench();
  const latest = new LatestOnly(20);
  for (let move = 0; move < 50; move += 1) latest.ask(work, show);
  await until(() => asked.length > 0);
  asked[0]?.finish('the last');
  await until(() => shown.length > 0);
  expect([asked.length, shown]).toEqual([1, ['the last']]);
});

test('LatestOnly ignores results and failures of aborted work', async () => {
  const { asked, shown, work, show } = bench();
  const latest = new LatestOnly(0);
  latest.ask(async (signal) => {
    await work(signal);
    throw new Error('too late');
  }, show);
  await until(() => asked.length === 1);
  latest.giveUp();
  asked[0]?.finish('');
  await nextTurn();
  expect(shown).toEqual([]);
});
