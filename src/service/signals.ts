export const exitCodes = { stopped: 0, failed: 1, misconfigured: 2, interrupted: 130 };

/** Handlers for the signals that ask a process to end. */
interface Stopping {
  /** Called at the first signal. */
  stop(signal: NodeJS.Signals): void;
  /** Called at the second signal; the process exits when it resolves. */
  hurry(): Promise<void>;
}

export interface Signals {
  /** Sets the handlers once the service runs. */
  handTo(stopping: Stopping): void;
}

/**
 * Listens for SIGTERM and SIGINT. Until handlers are set, the first signal ends the process (rule: shutdown).
 */
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
