/** Maximum time in one turn of the event loop that all loops of this process may use together. */
export const MAX_TURN_MS = 10;

interface Waiter {
  readonly signal: AbortSignal | undefined;
  wake(): void;
}

/** Time at which the work of the current turn began; undefined until `yieldIfBusy` is first called in a turn. */
let turnBeganAt: number | undefined;
let waiters: Waiter[] = [];

/**
 * Waits for a later turn of the event loop if the time of this turn is used up, so that other requests, timers and
 * signals are served. Returns undefined if there is time left. Loops over caller-sized data await it once per item
 * (rule: loop-share). Throws or rejects with the signal's reason once the signal is aborted.
 *
 * Only one waiter continues in each turn: if a thousand loops each ran for `MAX_TURN_MS`, they would block the
 * event loop for ten seconds.
 */
export function yieldIfBusy(signal?: AbortSignal): Promise<void> | undefined {
  signal?.throwIfAborted();
  if (turnBeganAt === undefined) beginTurn();
  else if (performance.now() - turnBeganAt >= MAX_TURN_MS) return waitForTurn(signal);
  return undefined;
}

async function waitForTurn(signal: AbortSignal | undefined): Promise<void> {
  await new Promise<void>((wake) => waiters.push({ signal, wake }));
  signal?.throwIfAborted();
}

function beginTurn(): void {
  turnBeganAt = performance.now();
  inNextTurn(endTurn);
}

function endTurn(): void {
  turnBeganAt = undefined;
  // An aborted waiter is woken at once: it only throws, so it needs no turn of its own.
  for (const { signal, wake } of waiters) if (signal?.aborted) wake();
  waiters = waiters.filter(({ signal }) => !signal?.aborted);
  const next = waiters.shift();
  if (!next) return;
  beginTurn();
  next.wake();
}

// Node has `setImmediate`, but browsers do not.
const { setImmediate: immediately } = globalThis as { setImmediate?: (callback: () => void) => unknown };

const inNextTurn = (callback: () => void): unknown =>
  immediately ? immediately(callback) : inNextMessage(callback);

/**
 * Calls `callback` in a later message event. A timer would be too slow in browsers: in a hidden page, timers fire
 * once a second, and nested timers are delayed.
 */
function inNextMessage(callback: () => void): void {
  const { port1, port2 } = new MessageChannel();
  port1.addEventListener('message', () => {
    port1.close();
    callback();
  });
  port1.start();
  port2.postMessage(undefined);
}
