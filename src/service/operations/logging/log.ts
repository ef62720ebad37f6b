import { type LevelWithSilent, type Logger, pino } from 'pino';

/** Bytes that wait for a slow disk or reader before lines are dropped. */
const MAX_WAITING_BYTES = 2 ** 20;

/** Time that the last lines may take. */
const LAST_LINES_MS = 500;

/** A logger of JSON lines that never waits for them to be written, and never fails because of them. */
export interface ServiceLog {
  readonly logger: Logger;
  /**
   * Resolves once all lines are written, or after `withinMs` (default 500). Lines that are still waiting then, and later ones, are
   * lost.
   */
  close(withinMs?: number): Promise<void>;
}

let dropped = 0;

/** Number of lines that this process could not write so far. */
export const droppedLines = (): number => dropped;

/**
 * Creates a logger on standard output, or on another open file. Lines that cannot be written are dropped; the log says how many
 * as soon as it can be written again (rule: request-log). Reading `process.stdout` has Node open it without blocking, so that a
 * reader that stalls does not hold a thread.
 */
export function createLog(level: LevelWithSilent, file: number = process.stdout.fd): ServiceLog {
  const destination = pino.destination({
    dest: file,
    sync: false,
    minLength: 1, // `flush` waits for lines on their way only if there is a minimum
    maxLength: MAX_WAITING_BYTES,
  });
  const logger = pino({ level }, destination);
  let unreported = 0;
  destination
    .removeAllListeners('error') // pino's own would stop counting after EPIPE
    .on('error', () => {}) // the lines wait to be written with the next one
    .on('drop', () => {
      dropped += 1;
      unreported += 1;
    })
    .on('drain', () => {
      if (unreported === 0) return;
      logger.warn({ dropped: unreported }, 'log lines were dropped');
      unreported = 0;
    });
  return {
    logger,
    close: async (withinMs = LAST_LINES_MS) => {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, withinMs);
        destination.flush(() => {
          clearTimeout(timer);
          resolve();
        });
      });
      logger.level = 'silent'; // a line would throw now
      destination.destroy(); // else its own flush at the exit of the process would wait for the reader
    },
  };
}
