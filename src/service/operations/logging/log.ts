import { type LevelWithSilent, type Logger, pino } from 'pino';

/** Maximum bytes of log lines that wait for a slow disk or reader. Further lines are dropped. */
const MAX_WAITING_BYTES = 2 ** 20;

/** Time for writing the last log lines when the service ends. */
const LAST_LINES_MS = 500;

/** A logger that writes JSON lines. Writing never blocks, and a failure to write never throws. */
export interface ServiceLog {
  readonly logger: Logger;
  /**
   * Resolves once all lines are written, or after `withinMs` (default 500). Lines that are not written by then are
   * lost, as are lines that are logged later.
   */
  close(withinMs?: number): Promise<void>;
}

let dropped = 0;

/** Returns the number of lines that this process could not write. */
export const droppedLines = (): number => dropped;

/**
 * Creates a logger on standard output, or on another open file. Lines that cannot be written are dropped; once the
 * log can be written again, it reports their number (rule: request-log). Reading `process.stdout` makes Node open
 * it in non-blocking mode, so that a stalled reader does not block a thread.
 */
export function createLog(level: LevelWithSilent, file: number = process.stdout.fd): ServiceLog {
  const destination = pino.destination({
    dest: file,
    sync: false,
    minLength: 1, // without a minimum, `flush` does not wait for lines that are being written
    maxLength: MAX_WAITING_BYTES,
  });
  const logger = pino({ level }, destination);
  let unreported = 0;
  destination
    .removeAllListeners('error') // pino's own listener would stop counting after EPIPE
    .on('error', () => {}) // the lines are written with the next one
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
      logger.level = 'silent'; // after this, writing a line would throw
      destination.destroy(); // otherwise its flush at process exit would wait for the reader
    },
  };
}
