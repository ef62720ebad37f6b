import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { watchEventLoop } from '../../../src/service/operations/event-loop-lag.js';

function hold(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

test('the event loop lag ignores one blockage and reports repeated ones (rule: overload)', async () => {
  const watch = watchEventLoop();
  await wait(50);
  hold(2_500);
  const afterOne: number[] = [];
  for (let look = 0; look < 10; look += 1) {
    await wait(50);
    afterOne.push(watch.lagMs());
  }
  for (let turn = 0; turn < 9; turn += 1) {
    hold(600);
    await wait(1);
  }
  const afterMany = watch.lagMs();
  watch.stop();
  expect(Math.max(...afterOne)).toBeLessThan(250);
  expect(afterMany).toBeGreaterThan(250);
});
