import { exitCodes } from '../commands/usage.js';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Milliseconds for an end in order: commands are asked to end, the run is saved. */
const GRACE_MS = 10_000;

/**
 * Calls `stop` when a signal comes or stdout can no longer be written, so that all ends in order; who sends a
 * second signal does not wait for that. A terminal that closes may send SIGHUP more than once: nobody is in a hurry
 * there. However the process exits, its commands are killed with it (rule: command-safety).
 */
export function onStop(stop: () => void): { end(): void } {
  let isStopping = false;
  const listen = (reason: unknown) => {
    if (isStopping && (reason === 'SIGINT' || reason === 'SIGTERM')) process.exit(exitCodes.stopped);
    if (isStopping) return;
    isStopping = true;
    exitInTime(exitCodes.stopped);
    stop();
  };
  for (const name of signals) process.on(name, listen);
  process.stdout.on('error', listen);
  return {
    end: () => {
      for (const name of signals) process.off(name, listen);
      process.stdout.off('error', listen);
    },
  };
}

/** What still holds the process when the time for an end in order is up, such as an output that nobody reads, holds it no longer. */
export function exitInTime(code: number): void {
  setTimeout(() => process.exit(code), GRACE_MS).unref();
}
