/** A value that is created once, when it is needed for the first time. */
export interface OnDemand<Value> {
  /**
   * Returns the value, which is created on the first call. Rejects with the signal's reason if the signal is
   * aborted first.
   */
  get(signal?: AbortSignal): Promise<Value>;
  /** Returns the promise of the value; undefined if the value has never been needed. */
  made(): Promise<Value> | undefined;
}

/** Returns a value that `make` creates on demand. A failed attempt is not cached; the next call retries. */
export function onDemand<Value>(make: () => Promise<Value>): OnDemand<Value> {
  let made: Promise<Value> | undefined;
  let isMade = false;
  const makeOnce = (): Promise<Value> => {
    made = make();
    made.then(
      () => {
        isMade = true;
      },
      () => {
        made = undefined;
      },
    );
    return made;
  };
  return {
    made: () => made,
    get: (signal) => {
      const value = made ?? makeOnce();
      return signal && !isMade ? untilAborted(value, signal) : value;
    },
  };
}

/**
 * Resolves as `promise` does, or rejects with the signal's reason if the signal is aborted first. The work behind
 * the promise continues for other callers. Leaves no listener on the signal.
 */
async function untilAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  signal.throwIfAborted();
  let leave = (): void => {};
  const left = new Promise<never>((_, reject) => {
    leave = () => reject(signal.reason);
    signal.addEventListener('abort', leave);
  });
  try {
    return await Promise.race([promise, left]);
  } finally {
    signal.removeEventListener('abort', leave);
  }
}
