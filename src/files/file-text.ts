/** The text of a file, up to a limit of bytes. */
export interface FileText {
  /** All characters, including the byte order mark of UTF-8; what cannot be decoded becomes U+FFFD. */
  readonly content: string;
  /** False if the file is not valid UTF-8, so that writing `content` back would change its bytes. */
  readonly isUtf8: boolean;
  /** True if the file is longer than the limit. */
  readonly cut: boolean;
  /** Number of bytes that were read. */
  readonly bytes: number;
}

/**
 * Decodes the first `maxBytes` of a file: UTF-8, or UTF-16 if it begins with the byte order mark of UTF-16, as many
 * Windows programs write it. Returns undefined for a binary file, which is any other file with a NUL among these bytes.
 */
export function toFileText(read: Uint8Array, maxBytes: number): FileText | undefined {
  const cut = read.length > maxBytes;
  const bytes = cut ? read.subarray(0, maxBytes) : read;
  const utf16 = decodeUtf16(bytes);
  if (utf16 !== undefined) return { content: utf16, isUtf8: false, cut, bytes: bytes.length };
  return bytes.includes(0) ? undefined : { ...decode(bytes, cut), cut, bytes: bytes.length };
}

/** Decodes UTF-16; undefined if the bytes do not begin with its byte order mark, or contain a NUL character. */
function decodeUtf16(bytes: Uint8Array): string | undefined {
  const mark = ((bytes[0] ?? 0) << 8) | (bytes[1] ?? 0);
  if (mark !== 0xfffe && mark !== 0xfeff) return undefined;
  const text = new TextDecoder(mark === 0xfffe ? 'utf-16le' : 'utf-16be').decode(bytes);
  return text.includes('\0') ? undefined : text;
}

function decode(bytes: Uint8Array, cut: boolean): Pick<FileText, 'content' | 'isUtf8'> {
  try {
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    return { content: decoder.decode(bytes, { stream: cut }), isUtf8: true }; // The limit may split a character.
  } catch {
    return { content: new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes), isUtf8: false };
  }
}
