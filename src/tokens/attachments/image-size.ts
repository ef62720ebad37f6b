/** Width and height in pixels. */
export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/**
 * Reads the size from the header of a PNG, GIF, WebP or JPEG. The format is recognised by the bytes, not by the media
 * type. Returns undefined if the header is incomplete or unknown, or if it states a width or height of 0.
 */
export function readImageSize(bytes: Buffer): ImageSize | undefined {
  const size = sizeOf(bytes);
  return size && size.width > 0 && size.height > 0 ? size : undefined;
}

const PNG_MARK = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');

function sizeOf(bytes: Buffer): ImageSize | undefined {
  if (bytes.length >= 24 && bytes.subarray(0, 8).equals(PNG_MARK))
    return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
  if (bytes.length >= 10 && /^GIF8[79]a$/.test(bytes.toString('latin1', 0, 6)))
    return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
  if (bytes.length >= 30 && bytes.toString('latin1', 0, 4) === 'RIFF') return webpSize(bytes);
  return bytes.length >= 2 && bytes.readUInt16BE(0) === 0xffd8 ? jpegSize(bytes) : undefined;
}

/** Reads the size from the first chunk of a WebP: lossy, lossless or extended. */
function webpSize(bytes: Buffer): ImageSize | undefined {
  switch (bytes.toString('latin1', 8, 16)) {
    case 'WEBPVP8 ':
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
    case 'WEBPVP8L': {
      const bits = bytes.readUInt32LE(21);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case 'WEBPVP8X':
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
  }
  return undefined;
}

/** Skips the segments of a JPEG up to its frame header, which states the size. */
function jpegSize(bytes: Buffer): ImageSize | undefined {
  let at = 2;
  while (at + 9 <= bytes.length && bytes[at] === 0xff) {
    const marker = bytes.readUInt8(at + 1);
    if (isFrameHeader(marker))
      return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
    // The byte 0xFF may be repeated before a marker.
    at += marker === 0xff ? 1 : 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
}

/**
 * Returns whether a marker is one of SOF0 to SOF15. The markers DHT, JPG and DAC are in the same range, but begin
 * other segments.
 */
const isFrameHeader = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
