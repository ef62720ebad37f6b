import { connectionFailure, FailedAttempt, invalidAnswer } from './failed-attempt.js';

export interface Reading {
  readonly provider: string;
  readonly status: number;
  readonly signal: AbortSignal;
  /** Bytes. */
  readonly most: number;
}

/** The whole body; a longer one is refused. */
export async function readWhole(body: AsyncIterable<Buffer>, reading: Reading): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of upTo(body, reading)) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** As much of an error's body as there is: its status alone says enough if the body is broken or too long. */
export async function readStart(body: AsyncIterable<Buffer>, reading: Reading): Promise<Buffer> {
  const pieces: Buffer[] = [];
  try {
    for await (const piece of upTo(body, reading)) pieces.push(piece);
  } catch (error) {
    if (!(error instanceof FailedAttempt)) throw error;
  }
  return Buffer.concat(pieces);
}

/** The body piece by piece, read only as fast as it is taken. Throws `ProviderError` or the signal's reason. */
export async function* relay(body: AsyncIterable<Buffer>, reading: Reading): AsyncGenerator<Buffer> {
  try {
    yield* upTo(body, reading);
  } catch (error) {
    throw error instanceof FailedAttempt ? error.failure : error;
  }
}

async function* upTo(body: AsyncIterable<Buffer>, { provider, status, signal, most }: Reading) {
  let size = 0;
  try {
    for await (const piece of body) {
      size += piece.length;
      if (size > most) throw invalidAnswer(provider, status);
      yield piece;
    }
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof FailedAttempt ? error : connectionFailure(error, provider);
  }
}

/** The JSON value, or undefined if the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
