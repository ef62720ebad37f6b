import { jest } from '@jest/globals';

/** How many turns of the event loop others had meanwhile, up to a thousand. */
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

/** Runs `work` with a clock that goes on by 20 ms whenever it is read, so that every turn is used up at once. */
export async function whileBusy<Result>(work: () => Promise<Result>): Promise<Result> {
  await new Promise((resolve) => setImmediate(resolve)); // a turn that began by another clock has to end
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
