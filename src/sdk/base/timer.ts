/** In milliseconds. A platform's timer that is set to more fires at once (WHATWG HTML §8.6: a signed 32-bit integer). */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Rings once after so many milliseconds, however many; `Infinity` never rings. What it returns takes it back. */
export function startTimer(milliseconds: number, ring: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const wait = (left: number): void => {
    const now = Math.min(left, LONGEST_TIMER_MS);
    timer = setTimeout(() => (left > now ? wait(left - now) : ring()), now);
  };
  checkTimeLimit('A time limit', milliseconds);
  if (milliseconds !== Infinity) wait(milliseconds);
  return () => clearTimeout(timer);
}

/** Throws `RangeError` for what is no number of milliseconds; undefined is for the default. */
export function checkTimeLimit(name: string, milliseconds: number | undefined): void {
  if (milliseconds === undefined || milliseconds >= 0) return;
  throw new RangeError(`${name} must be milliseconds from 0, or Infinity for no limit, not ${milliseconds}.`);
}
