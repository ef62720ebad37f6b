/** The text of a file, up to a limit of bytes. */
export interface FileText {
  /** All characters, including a byte order mark; invalid UTF-8 becomes U+FFFD. */
  readonly content: string;
  /** False if the file is not valid UTF-8, so that writing `content` back would change its bytes. */
  readonly isUtf8: boolean;
  /** True if the file is longer than the limit. */
  readonly cut: boolean;
  /** Number of bytes that were read. */
  readonly bytes: number;
}

/**
 * Decodes the first `maxBytes` of a file. Returns undefined for a binary file, which is a file with a NUL among
 * these bytes.
 */
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
