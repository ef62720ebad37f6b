import type { FileHandle } from 'node:fs/promises';

export interface FileText {
  readonly content: string;
  /** True where the file was longer than the limit. */
  readonly cut: boolean;
  /** Bytes that were read. */
  readonly bytes: number;
}

const SMALLEST_BUFFER = 4_096; // for files whose size is not known beforehand

/**
 * At most `maxBytes` of an open file as UTF-8 text, without a byte order mark. Undefined for binary files: a NUL,
 * or bytes that are no UTF-8. However large or sparse a file is, no more than the limit is read.
 */
export async function readText(
  handle: FileHandle,
  size: number,
  maxBytes: number,
): Promise<FileText | undefined> {
  const buffer = Buffer.allocUnsafe(Math.min(Math.max(size, SMALLEST_BUFFER), maxBytes) + 1);
  const filled = await fill(handle, buffer);
  const cut = filled === buffer.length;
  const bytes = buffer.subarray(0, cut ? filled - 1 : filled);
  const content = decode(bytes, cut);
  return content === undefined ? undefined : { content, cut, bytes: bytes.length };
}

async function fill(handle: FileHandle, buffer: Buffer): Promise<number> {
  let filled = 0;
  while (filled < buffer.length) {
    const { bytesRead } = await handle.read(buffer, filled, buffer.length - filled, filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return filled;
}

function decode(bytes: Buffer, cut: boolean): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: cut }); // a cut may split a character
  } catch {
    return undefined;
  }
}
