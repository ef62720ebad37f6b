import { fstatSync, writeFile } from 'node:fs';
import { Socket } from 'node:net';
import { type LevelWithSilent, type Logger, pino } from 'pino';

const STDOUT = 1;
/** Characters that wait for a slow disk or reader before lines are dropped. */
const MAX_WAITING = 2 ** 20;
/** In milliseconds: lines of so short a time are written together, since a write costs more than its lines. */
const GATHERED_MS = 20;

/** A logger of JSON lines on standard output that never waits for them, and never fails because of them. */
export interface ServiceLog {
  readonly logger: Logger;
  /** Resolves once all lines are written, or after so many milliseconds. */
  flush(withinMs: number): Promise<void>;
}

let dropped = 0;

/** Lines that this process could not write so far. */
export const droppedLines = (): number => dropped;

/** Lines that cannot be written are dropped; how many is logged as soon as one can be written again. */
export function createLog(level: LevelWithSilent, file: number = STDOUT): ServiceLog {
  const lines = new LogLines(file, (dropped) => logger.warn({ dropped }, 'log lines were dropped'));
  const logger = pino({ level }, lines);
  return { logger, flush: (withinMs) => lines.flush(withinMs) };
}

type Write = (text: string, done: (error?: Error | null) => void) => void;

class LogLines {
  readonly #write: Write;
  readonly #tellDropped: (lines: number) => void;
  #waiting: string[] = [];
  #waitingLength = 0;
  #isWriting = false;
  #gathering: NodeJS.Timeout | undefined;
  #untold = 0;
  #whenWritten: (() => void)[] = [];

  constructor(file: number, tellDropped: (lines: number) => void) {
    this.#write = writerTo(file);
    this.#tellDropped = tellDropped;
  }

  write(line: string): void {
    if (this.#waitingLength + line.length > MAX_WAITING) {
      this.#drop(1);
      return;
    }
    this.#waiting.push(line);
    this.#waitingLength += line.length;
    if (!this.#isWriting) this.#gathering ??= setTimeout(() => this.#writeWaiting(), GATHERED_MS);
  }

  async flush(withinMs: number): Promise<void> {
    if (this.#gathering) this.#writeWaiting();
    if (!this.#isWriting) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, withinMs);
      this.#whenWritten.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  #writeWaiting(): void {
    clearTimeout(this.#gathering);
    this.#gathering = undefined;
    const lines = this.#waiting;
    this.#waiting = [];
    this.#waitingLength = 0;
    this.#isWriting = true;
    this.#write(lines.join(''), (error) => this.#written(error ? lines.length : 0));
  }

  #drop(lines: number): void {
    this.#untold += lines;
    dropped += lines;
  }

  #written(lost: number): void {
    this.#isWriting = false;
    this.#drop(lost);
    const untold = this.#untold;
    if (lost === 0 && untold > 0) {
      this.#untold = 0;
      this.#tellDropped(untold);
    } else if (this.#waiting.length > 0) this.#writeWaiting();
    else for (const resolve of this.#whenWritten.splice(0)) resolve();
  }
}

/**
 * Node writes to a pipe on the spot, and a reader that stalls would hold the whole process; a socket of our own does
 * not wait. Files are written by the thread pool.
 */
function writerTo(file: number): Write {
  const kind = fstatSync(file);
  if (!kind.isFIFO() && !kind.isSocket()) return (text, done) => writeFile(file, text, done);
  const socket = new Socket({ fd: file, readable: false, writable: true });
  // Each write is told by itself.
  socket.on('error', () => {}).unref();
  return (text, done) => void socket.write(text, done);
}
