import { isAscii } from 'node:buffer';

const BACKSLASH = 0x5c;
const LAST_ASCII = 0x7f;

/** Bytes that are looked through at once for one that is not ASCII. */
const BLOCK = 1024;
/** Bytes of other characters that are escaped. A text of more is in another script: it would become longer, not faster. */
const MOST_WIDE = 4 * 1024;

/**
 * JSON in UTF-8 as a text that says the same in ASCII: any other character as `\uXXXX`. One dash in a program makes the whole
 * body a string of two bytes a character, which takes twenty times as long to decode, and every text in it longer to read.
 * Undefined where it would not pay, and where it would not be the same: after a backslash.
 */
export function asciiJson(bytes: Buffer): string | undefined {
  const ascii = roomFor(bytes.length + 2 * MOST_WIDE); // bytes become three times as many at most
  let length = 0;
  let copied = 0;
  for (let wide = 0; wide <= MOST_WIDE; ) {
    const start = nextWide(bytes, copied);
    length += bytes.copy(ascii, length, copied, start);
    if (start === bytes.length) return ascii.toString('latin1', 0, length);
    if (bytes[start - 1] === BACKSLASH) return undefined;
    copied = endOfWide(bytes, start);
    wide += copied - start;
    if (wide <= MOST_WIDE)
      length += ascii.write(escapeAll(bytes.toString('utf8', start, copied)), length, 'latin1');
  }
  return undefined;
}

/** Written in one go: a text of pieces would be copied once more when it is read. Only in use during one call. */
const usualRoom = Buffer.allocUnsafeSlow(256 * 1024);

const roomFor = (length: number): Buffer =>
  length <= usualRoom.length ? usualRoom : Buffer.allocUnsafeSlow(length);

function nextWide(bytes: Buffer, from: number): number {
  let at = from;
  while (at < bytes.length && isAscii(bytes.subarray(at, at + BLOCK))) at += BLOCK;
  while (at < bytes.length && (bytes[at] ?? 0) <= LAST_ASCII) at += 1;
  return Math.min(at, bytes.length);
}

/** No further than it has to be looked at to know that there are too many. */
function endOfWide(bytes: Buffer, start: number): number {
  let end = start;
  while (end - start <= MOST_WIDE && (bytes[end] ?? 0) > LAST_ASCII) end += 1;
  return end;
}

function escapeAll(text: string): string {
  let escaped = '';
  for (let at = 0; at < text.length; at += 1)
    escaped += `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`;
  return escaped;
}
