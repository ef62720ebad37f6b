import { setTimeout as sleep } from 'node:timers/promises';

const LONGEST_MS = 20_000;

/** Resolves when the condition holds; throws if that takes as long as nothing does here. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  longestMs = LONGEST_MS,
): Promise<void> {
  const end = performance.now() + longestMs;
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`It did not come true: ${condition}`);
    await sleep(20);
  }
}
