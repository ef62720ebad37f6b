import type { Response } from 'express';
import { Interruption, type InterruptionReason, type StepDeadline } from '../../step/interruption.js';

/** Bytes of memory per byte in flight (docs/decisions/fairness.md). */
export const MEMORY_PER_BYTE = 8;

/** Bytes in flight that a request reserves for each token of its reply. Replies are read up to 1 MiB. */
const BYTES_PER_TOKEN = 4;
const MAX_REPLY_BYTES = 2 ** 20;

/** Maximum time for sending a response after the deadline. */
const LAST_ANSWER_MS = 1_000;

/**
 * Kinds of reserved bytes. `request`: needed to accept a request, which is refused if there is no
 * memory for them. `growth`: needed because the reply or answer of an accepted request is longer
 * than announced; may exceed the maximum somewhat.
 */
export type ByteKind = 'request' | 'growth';

/**
 * The slot of a request in flight: its deadline, and its bytes in flight. The signal is aborted when the time is up, the
 * caller leaves, or the service shuts down. A caller that does not read its response after that is disconnected
 * (rule: overload).
 */
export class Slot implements StepDeadline {
  readonly #response: Response;
  readonly #controller = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #at = Number.POSITIVE_INFINITY;
  readonly #reserve: (bytes: number, kind: ByteKind) => void;
  readonly #uploadSince = performance.now();
  #isUploading = true;
  #bytes = 0;
  #replyBytesLeft = 0;

  /** @param reserve reserves memory for bytes in flight; throws if there is none left. */
  constructor(response: Response, reserve: (bytes: number, kind: ByteKind) => void) {
    this.#response = response;
    this.#reserve = reserve;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Number of bytes for which memory is now reserved: those of the body, the expected reply and the answer. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Milliseconds since the upload of the body began; 0 once it has ended. */
  get uploadMs(): number {
    return this.#isUploading ? performance.now() - this.#uploadSince : 0;
  }

  /** Ends the upload. Releases the bytes of a body that is not complete. */
  endUpload({ isComplete }: { readonly isComplete: boolean }): void {
    this.#isUploading = false;
    if (!isComplete) this.#count(-this.#bytes, 'request');
  }

  /** Reserves memory for bytes of the body. Throws `RequestRefused` if there is not enough memory. */
  countRequest(bytes: number): void {
    this.#count(bytes, 'request');
  }

  /** Reserves memory for a reply of at most `maxTokens` tokens. */
  announceReply(maxTokens: number): void {
    const bytes = Math.min(maxTokens * BYTES_PER_TOKEN, MAX_REPLY_BYTES);
    this.#count(bytes, 'request');
    this.#replyBytesLeft = bytes;
  }

  countReply(bytes: number): void {
    const surplus = Math.max(0, bytes - this.#replyBytesLeft);
    this.#replyBytesLeft -= bytes - surplus;
    this.#count(surplus, 'growth');
  }

  /**
   * Reserves memory for the answer, which is needed until the caller has read it. The memory of the request and of
   * the model's reply is free by then, so only what exceeds it is added.
   */
  countAnswer(bytes: number): void {
    this.#count(Math.max(0, Math.ceil(bytes / MEMORY_PER_BYTE) - this.#bytes), 'growth');
  }

  #count(bytes: number, kind: ByteKind): void {
    if (bytes === 0) return;
    this.#reserve(bytes, kind);
    this.#bytes += bytes;
  }

  /** Starts the deadline, or restarts it with another time. */
  start(deadlineMs: number): void {
    clearTimeout(this.#timer);
    this.#at = performance.now() + deadlineMs;
    this.#timer = setTimeout(() => this.interrupt('deadline'), deadlineMs);
  }

  remainingMs(): number {
    return Math.max(0, this.#at - performance.now());
  }

  /**
   * Aborts the work for the given reason; later reasons are ignored. The caller must then read the response within
   * a second.
   */
  interrupt(reason: InterruptionReason): void {
    if (this.signal.aborted) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#response.destroy(), LAST_ANSWER_MS);
    this.#controller.abort(new Interruption(reason));
  }

  /** Closes the connection after this response, so that the next request goes to another process (rule: shutdown). */
  endConnection(): void {
    if (!this.#response.headersSent) this.#response.setHeader('Connection', 'close');
  }

  /** Stops the timer when the response is closed, whether it was sent completely or the caller left. */
  end(): void {
    if (!this.#response.writableEnded) this.interrupt('caller_left');
    clearTimeout(this.#timer);
  }
}
