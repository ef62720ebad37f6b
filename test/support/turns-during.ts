import { jest } from '@jest/globals';

/** Returns the number of event loop turns that other tasks got while `work` ran, at most a thousand. */
export async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  const turn = (): void => {
    turns += 1;
    if (turns < 1_000) ahead = setImmediate(turn);
  };
  let ahead = setImmediate(turn);
  await work();
  clearImmediate(ahead);
  return turns;
}

/**
 * Runs `work` with a clock that advances by 20 ms at each reading, so that every loop believes it has used up its
 * time.
 */
export async function whileBusy<Result>(work: () => Promise<Result>): Promise<Result> {
  await new Promise((resolve) => setImmediate(resolve)); // ends the turn that began with the real clock
  let now = performance.now();
  const clock = jest.spyOn(performance, 'now').mockImplementation(() => {
    now += 20;
    return now;
  });
  try {
    return await work();
  } finally {
    clock.mockRestore();
  }
}
