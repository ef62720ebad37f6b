import { type Arrival, joined } from './arrival.js';
import { connectionFailure, FailedAttempt, invalidAnswer } from './failed-attempt.js';

interface Expected {
  readonly provider: string;
  readonly signal: AbortSignal;
}

/**
 * The body of an answer, read only as fast as it is taken. Whatever ends it before its end is thrown as a `FailedAttempt`
 * or as the signal's reason.
 */
export class UpstreamBody {
  readonly #arrival: Arrival;
  readonly #expected: Expected;
  readonly #mostBytes: number;
  #size = 0;

  /** A body of more than `mostBytes` is refused. */
  constructor(arrival: Arrival, expected: Expected, mostBytes: number) {
    this.#arrival = arrival;
    this.#expected = expected;
    this.#mostBytes = mostBytes;
  }

  /** What has come since the last time; undefined at the end. */
  async read(): Promise<Buffer | undefined> {
    const { provider, signal } = this.#expected;
    let piece: Buffer | undefined;
    try {
      piece = await this.#arrival.read();
    } catch (error) {
      signal.throwIfAborted();
      throw connectionFailure(error, provider);
    }
    this.#add(piece?.length ?? 0);
    return piece;
  }

  /** All that is left, if it has come already; else undefined. */
  readWhole(): Buffer | undefined {
    const whole = this.#arrival.readWhole();
    this.#add(whole?.length ?? 0);
    return whole;
  }

  #add(bytes: number): void {
    this.#size += bytes;
    if (this.#size <= this.#mostBytes) return;
    const tooLong = invalidAnswer(this.#expected.provider, this.#arrival.status);
    this.#arrival.giveUp(tooLong);
    throw tooLong;
  }

  /** Piece by piece. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer, undefined> {
    for (let piece = await this.read(); piece; piece = await this.read()) yield piece;
  }
}

/** The whole body. Most of them have come with their heads, and are there at once. */
export async function readWhole(body: UpstreamBody): Promise<Buffer> {
  const whole = body.readWhole();
  if (whole) return whole;
  const pieces: Buffer[] = [];
  for (let piece = await body.read(); piece; piece = await body.read()) pieces.push(piece);
  return joined(pieces);
}

/** As much of an error's body as there is: its status alone says enough if the body is broken or too long. */
export async function readStart(body: UpstreamBody): Promise<Buffer> {
  const pieces: Buffer[] = [];
  try {
    for (let piece = await body.read(); piece; piece = await body.read()) pieces.push(piece);
  } catch (error) {
    if (!(error instanceof FailedAttempt)) throw error;
  }
  return joined(pieces);
}

/** The JSON value, or undefined if the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export const parseAnswer = (text: string): unknown => parseJson(text);
