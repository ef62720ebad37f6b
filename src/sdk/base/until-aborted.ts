import { startTimer } from './timer.js';

/** Resolves like `work`, or rejects with the signal's reason as soon as it fires, even if `work` ignores the signal. */
export async function untilAborted<Result>(
  work: Result | Promise<Result>,
  signal: AbortSignal,
): Promise<Result> {
  let stop: () => void = () => undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
  });
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** Waits for the given time; rejects with the signal's reason as soon as it fires. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const clear = startTimer(milliseconds, finish);
    signal.addEventListener('abort', finish, { once: true });
    function finish(): void {
      clear();
      signal.removeEventListener('abort', finish);
      if (signal.aborted) reject(signal.reason);
      else resolve();
    }
  });
}
