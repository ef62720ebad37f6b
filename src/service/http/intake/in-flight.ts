import { getHeapStatistics } from 'node:v8';
import type { Response } from 'express';
import { RequestRefused } from '../failure/to-failure.js';
import { type ByteKind, MEMORY_PER_BYTE, Slot } from './slot.js';

interface InFlightOptions {
  /** Maximum number of requests in flight. Further requests are rejected immediately with `overloaded`. */
  readonly max: number;
  /** Maximum bytes in flight. A request above it is accepted only if no other one is in flight. */
  readonly maxBytes: number;
  /** Event loop lag above which requests are rejected, because accepted ones could no longer be served in time. */
  readonly maxLagMs: number;
  /** Returns the event loop lag of the last seconds, in milliseconds. */
  readonly lagMs: () => number;
  /**
   * Time that an upload may take while other requests need the memory reserved for it. Default 5,000: enough for 4
   * MiB at 7 Mbit/s.
   */
  readonly maxContestedUploadMs?: number;
}

/** Memory that a process needs when idle, plus the memory for the most expensive request of 4 MiB. */
const OWN_MEMORY_BYTES = 120 * 2 ** 20;
/**
 * Factor by which accepted requests may exceed the maximum of bytes in flight, if their replies or answers are
 * longer than announced. Otherwise a full process would refuse steps whose model call is already billed.
 */
const GROWTH = 1.25;

/** Returns the default maximum of bytes in flight, computed from the memory of this process (rule: overload). */
export function defaultMaxBytes(
  heapLimit = getHeapStatistics().heap_size_limit,
  containerLimit = process.constrainedMemory(),
): number {
  const memory = containerLimit > 0 ? Math.min(heapLimit, containerLimit) : heapLimit;
  return Math.max(0, Math.floor((memory - OWN_MEMORY_BYTES) / MEMORY_PER_BYTE));
}

const MAX_CONTESTED_UPLOAD_MS = 5_000;

type OverloadCause = 'in_flight' | 'bytes_in_flight' | 'event_loop';

/** The requests that were accepted and not yet answered (rules: overload, shutdown). */
export class InFlight {
  readonly #options: InFlightOptions;
  readonly #accepted = new Set<Slot>();
  readonly #refused = { in_flight: 0, bytes_in_flight: 0, event_loop: 0 };
  #bytes = 0;
  #whenIdle: (() => void) | undefined;
  #isDraining = false;
  #isRefusing = false;

  constructor(options: InFlightOptions) {
    this.#options = options;
  }

  get count(): number {
    return this.#accepted.size;
  }

  get max(): number {
    return this.#options.max;
  }

  /** Bytes of the accepted bodies, and of the replies expected for them. */
  get bytes(): number {
    return this.#bytes;
  }

  get maxBytes(): number {
    return this.#options.maxBytes;
  }

  /** Number of requests rejected with `overloaded`, by cause. */
  get refused(): Readonly<Record<OverloadCause, number>> {
    return this.#refused;
  }

  /** True once the service is shutting down and so reports not ready. */
  get draining(): boolean {
    return this.#isDraining;
  }

  /**
   * Accepts a request, which is in flight until its response is closed. Throws `RequestRefused` if the service is
   * overloaded, for example if there is no memory for a body of the declared size. The bytes of the body are counted
   * only as they arrive.
   */
  accept(response: Response, declaredBytes: number): Slot {
    if (this.#isRefusing) throw new RequestRefused('shutting_down');
    const cause = this.#overload(declaredBytes);
    if (cause) throw this.#refusal(cause);
    const slot: Slot = new Slot(response, (more, kind) => this.#reserve(slot, more, kind));
    // Draining may have begun after this request arrived, while its caller's limits were checked.
    if (this.#isDraining) slot.endConnection();
    this.#accepted.add(slot);
    response.once('close', () => this.#release(slot));
    return slot;
  }

  /** Reports not ready but still accepts requests. Each connection closes after its next response. */
  announceDrain(): void {
    this.#isDraining = true;
    for (const slot of this.#accepted) slot.endConnection();
  }

  /** Rejects new requests with 503 `shutting_down`. */
  refuse(): void {
    this.announceDrain();
    this.#isRefusing = true;
  }

  /** Resolves when all accepted requests are answered. */
  idle(): Promise<void> {
    return new Promise((resolve) => {
      this.#whenIdle = resolve;
      if (this.count === 0) resolve();
    });
  }

  /**
   * Rejects new requests, and interrupts those in flight with 503 `shutting_down`. Disconnects callers that do not
   * read this response.
   */
  interruptAll(): void {
    this.refuse();
    for (const slot of this.#accepted) slot.interrupt('shutting_down');
  }

  #overload(bytes: number): OverloadCause | undefined {
    if (this.count >= this.#options.max) return 'in_flight';
    if (this.#bytes > 0 && !this.#hasRoomFor(bytes, this.maxBytes)) return 'bytes_in_flight';
    return this.#options.lagMs() > this.#options.maxLagMs ? 'event_loop' : undefined;
  }

  /** Counts further bytes of an accepted request. Throws `RequestRefused` if they exceed the maximum. */
  #reserve(slot: Slot, bytes: number, kind: ByteKind): void {
    if (!this.#accepted.has(slot)) return; // its response is closed already
    const max = kind === 'growth' ? this.maxBytes * GROWTH : this.maxBytes;
    const isAlone = this.#bytes <= slot.bytes;
    if (bytes > 0 && !isAlone && !this.#hasRoomFor(bytes, max, slot)) throw this.#refusal('bytes_in_flight');
    this.#bytes += bytes;
  }

  /**
   * Returns whether `bytes` more can be reserved. If that requires it, ends slow uploads of other requests, oldest
   * first, but only if ending them frees enough. Otherwise one caller could fill the memory with uploads that never
   * end.
   */
  #hasRoomFor(bytes: number, max: number, requester?: Slot): boolean {
    if (this.#bytes + bytes <= max) return true;
    const { maxContestedUploadMs = MAX_CONTESTED_UPLOAD_MS } = this.#options;
    const slow = [...this.#accepted].filter(
      (each) => each !== requester && each.bytes > 0 && each.uploadMs > maxContestedUploadMs,
    );
    const slowBytes = slow.reduce((sum, each) => sum + each.bytes, 0);
    if (this.#bytes - slowBytes + bytes > max) return false;
    for (const upload of slow) if (this.#bytes + bytes > max) upload.interrupt('slow_upload');
    return true;
  }

  #refusal(cause: OverloadCause): RequestRefused {
    this.#refused[cause] += 1;
    return new RequestRefused('overloaded');
  }

  #release(slot: Slot): void {
    this.#bytes -= slot.bytes;
    this.#accepted.delete(slot);
    slot.end();
    if (this.count === 0) this.#whenIdle?.();
  }
}
