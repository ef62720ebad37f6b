import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import type { HttpAnswer, WireAnswer } from './wire/wire-answer.js';

/** A response in progress. */
export interface Delivery {
  readonly response: ServerResponse;
  /** Aborted when either side closes the connection. */
  readonly signal: AbortSignal;
  /**
   * Records that the server, not the client, will end the connection. Must be called before the connection is
   * broken.
   */
  readonly hangUp: () => void;
}

/**
 * Sends the answer as its fields require: slowly, in part, or not at all, but no faster than the client reads.
 * Resolves when nothing more will be sent. Rejects with an AbortError if the client leaves during a wait.
 */
export async function deliver(answer: WireAnswer, delivery: Delivery): Promise<void> {
  if (answer.end === 'silence') return;
  if (answer.end === 'reset') return reset(delivery);
  const { response, signal } = delivery;
  if (answer.delayMs) await wait(answer.delayMs, undefined, { signal });
  response.writeHead(answer.status, answer.headers);
  if (answer.delivery === 'drip') return sendChunks(bytesOf(answer), answer, delivery);
  if (answer.delivery === 'stall') return sendHalf(answer, delivery);
  if (answer.delivery === 'cut') return cut(answer, delivery);
  return sendChunks(answer.body, answer, delivery);
}

async function sendChunks(chunks: Iterable<string | Buffer>, answer: HttpAnswer, delivery: Delivery) {
  const { response, signal } = delivery;
  response.flushHeaders();
  for (const chunk of chunks) {
    if (answer.paceMs) await wait(answer.paceMs, undefined, { signal });
    if (signal.aborted) return;
    if (!response.write(chunk)) await once(response, 'drain', { signal });
  }
  if (answer.delivery !== 'hold') response.end();
}

/** Sends the first half of the body. Resolves once the operating system has taken the bytes. */
async function sendHalf(answer: HttpAnswer, { response }: Delivery): Promise<void> {
  const bytes = Buffer.from([...answer.body].join(''));
  const half = bytes.subarray(0, Math.ceil(bytes.length / 2));
  await new Promise<void>((resolve) => response.write(half, () => resolve()));
}

async function cut(answer: HttpAnswer, delivery: Delivery): Promise<void> {
  await sendHalf(answer, delivery);
  delivery.hangUp();
  delivery.response.destroy();
}

function reset({ response, hangUp }: Delivery): void {
  hangUp();
  response.socket?.resetAndDestroy();
}

const bytesOf = ({ body }: HttpAnswer): Buffer[] =>
  [...Buffer.from([...body].join(''))].map((byte) => Buffer.from([byte]));
