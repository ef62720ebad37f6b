export const exitCodes = { stopped: 0, failed: 1, misconfigured: 2, interrupted: 130 };

/** Handlers for the signals that ask a process to end. */
interface SignalHandlers {
  /** Called at the first signal. */
  stop(signal: NodeJS.Signals): void;
  /** Called at the second signal; the process exits when it resolves. */
  exitNow(): Promise<void>;
}

export interface Signals {
  /** Sets the handlers once the service runs. */
  setHandlers(handlers: SignalHandlers): void;
}

/**
 * Listens for SIGTERM and SIGINT. Until handlers are set, the first signal ends the process at once
 * (rule: shutdown).
 */
export function listenForSignals(): Signals {
  let handlers: SignalHandlers | undefined;
  let count = 0;
  const handle = (signal: NodeJS.Signals): void => {
    count += 1;
    if (!handlers) process.exit(exitCodes.stopped);
    if (count === 1) handlers.stop(signal);
    else void handlers.exitNow().finally(() => process.exit(exitCodes.interrupted));
  };
  process.on('SIGTERM', handle).on('SIGINT', handle);
  return {
    setHandlers: (given) => {
      handlers = given;
    },
  };
}
