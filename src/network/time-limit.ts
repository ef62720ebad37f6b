/** Returns a signal that aborts with the given signal, or with a `TimeoutError` after the time. */
export function withTimeLimit(signal: AbortSignal, ms: number): AbortSignal {
  const timeout = AbortSignal.timeout(ms);
  // Without a listener of its own, Node.js 20 drops the timeout when it collects garbage.
  timeout.addEventListener('abort', () => {});
  return AbortSignal.any([signal, timeout]);
}
