const LINE_FEED = 0x0a;
const SPACE = 0x20;
const APOSTROPHE = 0x27;
const SLASH = 0x2f;
const DELETE = 0x7f;

/**
 * `Math.imul` is stored once: if the global object is a proxy, as under test runners, each access to `Math` costs
 * more than the hash.
 */
const { imul } = Math;

/**
 * Whether the place between two adjacent bytes of a text in UTF-8 is a safe seam: the text can be cut there, and the
 * token counts of both parts add up exactly. A safe seam is always a boundary between pieces, in both encodings, and
 * the part before it is split into the same pieces with and without the part after it. This function looks only at
 * the two bytes and accepts only ASCII, so it finds many safe seams, but not all.
 */
export function isSafeSeam(before: number, after: number): boolean {
  if (after > DELETE) return false;
  // A word or a number continues only with letters, marks, digits and contractions, so the place before any other
  // character is a safe seam.
  if (isAlphanumeric(before)) return !isAlphanumeric(after) && after !== APOSTROPHE;
  // A line break ends a piece, unless white space follows it, or `/` in o200k.
  if (before === LINE_FEED) return isVisible(after) && after !== SLASH;
  // Apart from runs of white space, a piece may begin with a space but contains no other space.
  return isVisible(before) && after === SPACE;
}

/**
 * Joins adjacent segments of a text if counting each by itself could give another number of tokens than counting
 * them joined.
 */
export function joinUnsafeSeams(segments: readonly string[]): string[] {
  const joined: string[] = [];
  for (const segment of segments) {
    const before = joined.at(-1) ?? '';
    const isSafe = isSafeSeam(before.charCodeAt(before.length - 1), segment.charCodeAt(0));
    if (joined.length === 0 || isSafe) joined.push(segment);
    else joined[joined.length - 1] = before + segment;
  }
  return joined;
}

/** Minimum length in bytes of a chunk; the last chunk of a text may be shorter. */
const MIN_CHUNK_BYTES = 1024;
/** Length in bytes from which a chunk ends at the next safe seam of any kind. */
const LONG_CHUNK_BYTES = 4096;
/** In chunks shorter than LONG_CHUNK_BYTES, one in 2 ** 6 of the spaces after a visible character ends the chunk. */
const CHOICE_BITS = 6;

/**
 * Returns the end of the chunk that begins at `start`: a safe seam (see `isSafeSeam`), after about two thousand bytes
 * on average. The choice of a seam depends only on the few bytes around it, so a text that was cut, edited or continued
 * keeps nearly all of its chunks, whose counts are cached.
 */
export function endOfChunk(bytes: Uint8Array, start: number): number {
  const { length } = bytes;
  let at = start + MIN_CHUNK_BYTES;
  for (const long = Math.min(start + LONG_CHUNK_BYTES, length); at < long; at++) {
    if (bytes[at] === SPACE && isVisible(bytes[at - 1] ?? 0) && isChosen(bytes, at)) return at;
  }
  while (at < length && !isSafeSeam(bytes[at - 1] ?? 0, bytes[at] ?? 0)) at++;
  return Math.min(at, length);
}

/** Decides by a hash of the adjacent bytes whether a space ends a chunk. */
function isChosen(bytes: Uint8Array, space: number): boolean {
  const before = ((bytes[space - 2] ?? 0) << 8) | (bytes[space - 1] ?? 0);
  const after = ((bytes[space + 1] ?? 0) << 8) | (bytes[space + 2] ?? 0);
  return imul((before << 16) | after, 0x9e3779b1) >>> (32 - CHOICE_BITS) === 0;
}

function isAlphanumeric(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || isLetter(code | 0x20);
}

function isLetter(lowerCase: number): boolean {
  return lowerCase >= 0x61 && lowerCase <= 0x7a;
}

function isVisible(code: number): boolean {
  return code > SPACE && code < DELETE;
}
