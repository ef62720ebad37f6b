export const exitCodes = { stopped: 0, failed: 1, misconfigured: 2, interrupted: 130 };

/** What the signals that ask a process to end do to what runs in it. */
interface Stopping {
  /** At the first one. */
  stop(signal: NodeJS.Signals): void;
  /** At the second one, which does not wait: what little is done before the process ends. */
  hurry(): Promise<void>;
}

export interface Signals {
  /** From now on there is something to stop. */
  handTo(stopping: Stopping): void;
}

/** Heeds SIGTERM and SIGINT from now on: until there is something to stop, the first one ends the process (rule: shutdown). */
export function heedSignals(): Signals {
  let stopping: Stopping | undefined;
  let count = 0;
  const heed = (signal: NodeJS.Signals): void => {
    count += 1;
    if (!stopping) process.exit(exitCodes.stopped);
    if (count === 1) stopping.stop(signal);
    else void stopping.hurry().finally(() => process.exit(exitCodes.interrupted));
  };
  process.on('SIGTERM', heed).on('SIGINT', heed);
  return {
    handTo: (given) => {
      stopping = given;
    },
  };
}
