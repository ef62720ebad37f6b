/** The text of a file, up to a limit. */
export interface FileText {
  /** All characters, a byte order mark included; invalid UTF-8 becomes U+FFFD. */
  readonly content: string;
  /** False if `content` cannot be turned back into the file's bytes. */
  readonly isUtf8: boolean;
  /** True if the file is longer than the limit. */
  readonly cut: boolean;
  /** Number of bytes that were read. */
  readonly bytes: number;
}

/** Decodes a file's first `maxBytes`. Undefined for a binary file: one with a NUL among these bytes. */
export function toFileText(read: Uint8Array, maxBytes: number): FileText | undefined {
  const cut = read.length > maxBytes;
  const bytes = cut ? read.subarray(0, maxBytes) : read;
  return bytes.includes(0) ? undefined : { ...decode(bytes, cut), cut, bytes: bytes.length };
}

function decode(bytes: Uint8Array, cut: boolean): Pick<FileText, 'content' | 'isUtf8'> {
  try {
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    return { content: decoder.decode(bytes, { stream: cut }), isUtf8: true }; // The limit may split a character.
  } catch {
    return { content: new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes), isUtf8: false };
  }
}
