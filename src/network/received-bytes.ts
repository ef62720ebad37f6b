/**
 * Collects bytes that arrive in chunks. Copies them into one buffer, because a sender may split them into single bytes,
 * and an object for each of them takes a hundred times their memory.
 */
export class ReceivedBytes {
  #buffer = Buffer.alloc(0);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** The bytes so far, without a copy. */
  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#size);
  }

  add(chunk: Uint8Array): void {
    const size = this.#size + chunk.length;
    if (size > this.#buffer.length) this.#grow(Math.max(size, 2 * this.#buffer.length));
    this.#buffer.set(chunk, this.#size);
    this.#size = size;
  }

  #grow(capacity: number): void {
    const larger = Buffer.allocUnsafeSlow(capacity);
    larger.set(this.bytes);
    this.#buffer = larger;
  }
}
