import type { Contained } from './open-contained.js';

/** What was read of a text file. */
export interface FileText {
  /** Every character, a byte order mark included; what is not UTF-8 is shown as U+FFFD. */
  readonly content: string;
  /** False if `content` cannot be turned back into the file's bytes. */
  readonly isUtf8: boolean;
  /** True if the file was longer than the limit. */
  readonly cut: boolean;
  /** Bytes that were read. */
  readonly bytes: number;
}

const SMALLEST_BUFFER = 4_096; // for files whose size is not known beforehand

/**
 * At most `maxBytes` of an open file as text. Undefined for a binary file: one with a NUL. However large or sparse
 * a file is, no more than the limit is read.
 */
export async function readText(
  { handle, size }: Pick<Contained, 'handle' | 'size'>,
  maxBytes: number,
): Promise<FileText | undefined> {
  const buffer = Buffer.allocUnsafe(Math.min(Math.max(size, SMALLEST_BUFFER), maxBytes) + 1);
  const filled = await fill(handle, buffer);
  const cut = filled === buffer.length;
  const bytes = buffer.subarray(0, cut ? filled - 1 : filled);
  return bytes.includes(0) ? undefined : { ...decode(bytes, cut), cut, bytes: bytes.length };
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

function decode(bytes: Buffer, cut: boolean): Pick<FileText, 'content' | 'isUtf8'> {
  try {
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    return { content: decoder.decode(bytes, { stream: cut }), isUtf8: true }; // a cut may split a character
  } catch {
    return { content: bytes.toString('utf8'), isUtf8: false };
  }
}
