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

/** The text of a file's first `maxBytes`. Undefined for a binary file: one with a NUL among them. */
export function toFileText(read: Uint8Array, maxBytes: number): FileText | undefined {
  const cut = read.length > maxBytes;
  const bytes = cut ? read.subarray(0, maxBytes) : read;
  return bytes.includes(0) ? undefined : { ...decode(bytes, cut), cut, bytes: bytes.length };
}

function decode(bytes: Uint8Array, cut: boolean): Pick<FileText, 'content' | 'isUtf8'> {
  try {
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    return { content: decoder.decode(bytes, { stream: cut }), isUtf8: true }; // a cut may split a character
  } catch {
    return { content: new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes), isUtf8: false };
  }
}
