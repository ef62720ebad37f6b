import { exitCodes } from '../commands/usage.js';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Time for an orderly end, in which commands are stopped and the run is saved. */
const GRACE_MS = 10_000;

/**
 * Calls `stop` on the first signal, or when stdout can no longer be written, so that the process can end in order. A
 * second SIGINT or SIGTERM exits at once; a second SIGHUP does not, because closing terminals send several. Commands
 * are killed with the process in any case (rule: command-safety).
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

/** Exits after the grace period even if something still keeps the process alive, such as unread output. */
export function exitInTime(code: number): void {
  setTimeout(() => process.exit(code), GRACE_MS).unref();
}
