/**
 * Collects bytes that arrive in chunks. Copies them into one buffer: a sender may send single bytes, and one
 * object for each byte would take a hundred times its memory.
 */
export class ReceivedBytes {
  #buffer = Buffer.alloc(0);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** All bytes received so far, without copying them. */
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

/** Returns the text of all chunks. `count` is called with the size of each chunk, and may throw to stop reading. */
export async function textOf(
  chunks: AsyncIterable<Uint8Array>,
  count?: (bytes: number) => void,
): Promise<string> {
  const received = new ReceivedBytes();
  for await (const chunk of chunks) {
    count?.(chunk.length);
    received.add(chunk);
  }
  return received.bytes.toString();
}
