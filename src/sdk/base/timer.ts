/** A platform timer with a longer delay fires at once: the delay is a signed 32-bit integer (WHATWG HTML §8.6). */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Calls `onTimeout` once after any number of milliseconds; never for `Infinity`. Returns a function that cancels the timer. */
export function startTimer(milliseconds: number, onTimeout: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const wait = (left: number): void => {
    const now = Math.min(left, MAX_TIMER_MS);
    timer = setTimeout(() => (left > now ? wait(left - now) : onTimeout()), now);
  };
  checkTimeLimit('A time limit', milliseconds);
  if (milliseconds !== Infinity) wait(milliseconds);
  return () => clearTimeout(timer);
}

/** Throws `RangeError` for a negative number and NaN. Accepts undefined, which means the default. */
export function checkTimeLimit(name: string, milliseconds: number | undefined): void {
  if (milliseconds === undefined || milliseconds >= 0) return;
  throw new RangeError(
    `${name} must be a number of milliseconds (0 or more, or Infinity for no limit), not ${milliseconds}.`,
  );
}
