/** All tokens of an encoding, ordered by rank: token r is `bytes[starts[r], starts[r + 1])`. */
export interface RankTable {
  readonly bytes: Uint8Array;
  readonly starts: Uint32Array;
}

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const SIX_BITS = new Uint8Array(128);
for (const [value, digit] of [...BASE64].entries()) SIX_BITS[digit.charCodeAt(0)] = value;
const SPACE = 0x20;
const PADDING = 0x3d;

/**
 * Reads a vocabulary in the format of js-tiktoken: `! <rank of the first> <base64> <base64> …` without gaps in the
 * ranks. Reads it in one pass over the characters, because splitting it into 200,000 strings takes ten times as
 * long.
 *
 * @throws Error if the data is not one list without gaps from rank 0 on.
 */
export function readRankTable(text: string): RankTable {
  const header = '! 0 ';
  if (!text.startsWith(header) || text.includes('\n'))
    throw new Error('The token ranks of js-tiktoken have an unknown format.');
  const bytes = new Uint8Array(text.length);
  // The shortest entry takes five characters: four of base64 and a space.
  const starts = new Uint32Array(Math.ceil(text.length / 5) + 2);
  let size = 0;
  let length = 0;
  let bits = 0;
  let bitCount = 0;
  for (let at = header.length; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === SPACE) {
      starts[++size] = length;
      bitCount = 0;
    } else if (code !== PADDING) {
      bits = (bits << 6) | (SIX_BITS[code] ?? 0);
      bitCount += 6;
      if (bitCount >= 8) {
        bitCount -= 8;
        bytes[length++] = bits >>> bitCount;
      }
    }
  }
  starts[++size] = length;
  return { bytes: bytes.slice(0, length), starts: starts.slice(0, size + 1) };
}
