import { type FileText, toFileText } from '../file-text.js';
import type { Contained } from './open-contained.js';

/** Minimum size of the buffer, for files that report no size. */
const MIN_BUFFER_BYTES = 4_096;

/**
 * Reads at most `maxBytes` of an open file as text, however large or sparse the file is. Returns undefined for a
 * binary file, which is a file that contains a NUL.
 */
export async function readText(
  { handle, size }: Pick<Contained, 'handle' | 'size'>,
  maxBytes: number,
): Promise<FileText | undefined> {
  const buffer = Buffer.allocUnsafe(Math.min(Math.max(size, MIN_BUFFER_BYTES), maxBytes) + 1);
  const filled = await fill(handle, buffer);
  return toFileText(buffer.subarray(0, filled), filled === buffer.length ? filled - 1 : maxBytes);
}

async function fill(handle: Contained['handle'], buffer: Buffer): Promise<number> {
  let filled = 0;
  while (filled < buffer.length) {
    const { bytesRead } = await handle.read(buffer, filled, buffer.length - filled, filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return filled;
}
