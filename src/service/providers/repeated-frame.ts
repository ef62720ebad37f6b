import { parseJson } from './upstream/read-upstream-body.js';

/** Stands in the place of a chunk's text to see whether that is its place. */
const PROBE = 'the text of this chunk';
/** After so many frames of which none came twice, no more are looked for. */
const MOST_FUTILE = 4;

/** What a chunk says that holds nothing but more of a text. */
interface TextChunk {
  readonly delta: string;
}

/**
 * What stands around the text of a stream's chunks, which is mostly the same in each: a chunk in the frame of the last one
 * says what that one said, with another text. So only the text has to be read of it, which takes a tenth of the time that
 * reading the JSON and checking it takes.
 */
export class RepeatedFrame<Chunk extends TextChunk> {
  readonly #read: (data: string) => Chunk | undefined;
  #last: Chunk | undefined;
  #before = '';
  #after = '';
  #futile = 0;

  /** `read` reads a chunk in full; undefined for one that holds anything but more of a text. */
  constructor(read: (data: string) => Chunk | undefined) {
    this.#read = read;
  }

  /** What the chunk says if it stands in the last one's frame. */
  readText(data: string): Chunk | undefined {
    const start = this.#before.length;
    const end = data.length - this.#after.length;
    // slices are compared in a third of the time that `startsWith` takes
    if (!this.#last || data.slice(0, start) !== this.#before || data.slice(end) !== this.#after)
      return undefined;
    const delta = stringOf(data.slice(start, end));
    if (delta === undefined) return undefined;
    this.#futile = 0;
    return { ...this.#last, delta };
  }

  /** Takes the frame of a chunk that was read in full, if it holds nothing but more of a text. */
  learn(data: string, chunk: Chunk | undefined): void {
    if (!chunk || this.#futile >= MOST_FUTILE) return;
    this.#futile += 1;
    this.#last = undefined;
    const written = JSON.stringify(chunk.delta);
    const at = data.indexOf(written);
    if (at < 0) return;
    this.#before = data.slice(0, at);
    this.#after = data.slice(at + written.length);
    const probed = this.#read(this.#before + JSON.stringify(PROBE) + this.#after);
    if (probed?.delta === PROBE) this.#last = chunk;
  }
}

const plainString = /^"[^"\\\p{Cc}]*"$/u;

/** The text that a JSON string stands for; undefined if it is none. */
function stringOf(json: string): string | undefined {
  if (plainString.test(json)) return json.slice(1, -1);
  const value = json.startsWith('"') ? parseJson(json) : undefined;
  return typeof value === 'string' ? value : undefined;
}
