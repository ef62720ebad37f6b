import type { Attachment } from '../../src/contract/attachment.js';

type Bytes = readonly number[] | string | Buffer;

const joined = (...parts: readonly Bytes[]): Buffer =>
  Buffer.concat(
    parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part))),
  );

const big = (value: number, bytes: number): Buffer => {
  const buffer = Buffer.alloc(bytes);
  buffer.writeUIntBE(value, 0, bytes);
  return buffer;
};
const little = (value: number, bytes: number): Buffer => big(value, bytes).reverse();

/** Returns the header of a PNG file that states this size. */
export const pngBytes = (width: number, height: number): Buffer =>
  joined(
    '\x89PNG\r\n\x1a\n',
    [0, 0, 0, 13],
    'IHDR',
    big(width, 4),
    big(height, 4),
    [8, 2, 0, 0, 0, 0, 0, 0, 0],
  );

export const gifBytes = (width: number, height: number, frames = 1): Buffer =>
  joined(
    'GIF89a',
    little(width, 2),
    little(height, 2),
    [0, 0, 0],
    ...Array.from({ length: frames }, () => joined(',', Buffer.alloc(9), [2, 1, 0, 0])),
    ';',
  );

/** Returns a JPEG file whose frame header follows a profile of the given length. */
export const jpegBytes = (width: number, height: number, profile = 100): Buffer =>
  joined(
    [0xff, 0xd8, 0xff, 0xe1],
    big(profile + 2, 2),
    Buffer.alloc(profile, 0xff),
    [0xff, 0xff, 0xc4, 0, 4, 1, 2, 0xff, 0xc2, 0, 17, 8],
    big(height, 2),
    big(width, 2),
    [3, 0, 0],
  );

export const webpBytes = {
  lossy: (width: number, height: number): Buffer =>
    joined('RIFF\0\0\0\0WEBPVP8 ', Buffer.alloc(10), little(width | 0x4000, 2), little(height, 2)),
  lossless: (width: number, height: number): Buffer =>
    joined('RIFF\0\0\0\0WEBPVP8L\0\0\0\0/', little(width - 1 + (height - 1) * 2 ** 14, 4), Buffer.alloc(8)),
  extended: (width: number, height: number): Buffer =>
    joined(
      'RIFF\0\0\0\0WEBPVP8X',
      Buffer.alloc(8),
      little(width - 1, 3),
      little(height - 1, 3),
      Buffer.alloc(4),
    ),
};

export const pdfBytes = (pages: number, padding = 0): Buffer =>
  joined(
    '%PDF-1.7\n1 0 obj<</Type /Pages/Count 1>>endobj\n',
    '2 0 obj<</Type /Page /Parent 1 0 R>>endobj\n'.repeat(pages),
    Buffer.alloc(padding, 0x20),
  );

export const attachment = (media_type: Attachment['media_type'], bytes: Buffer): Attachment => ({
  media_type,
  data: bytes.toString('base64'),
});

export const png = (width: number, height: number): Attachment =>
  attachment('image/png', pngBytes(width, height));

export const pdf = (pages: number): Attachment => attachment('application/pdf', pdfBytes(pages));
