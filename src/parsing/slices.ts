/** Characters that are read in one go. */
export const SLICE = 2 ** 15;

/** More things than these that were found in a text are looked through in a turn of their own, as if it were a slice. */
export const MANY = 1_000;

/** Work on a long text that can pause: it yields how many characters were read since it last did. */
export type Sliced<Result> = Generator<number, Result>;

/** Is told how many characters were read, and may wait before more are. */
export type TakeTurn = (characters: number) => Promise<void> | undefined;

export function atOnce<Result>(work: Sliced<Result>): Result {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}

/** For a process that serves others besides. */
export async function inTurns<Result>(work: Sliced<Result>, take: TakeTurn): Promise<Result> {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
    const pause = take(value);
    if (pause) await pause;
  }
}

/** When a loop over a text is to pause. */
export class Pauses {
  #paused: number;

  constructor(from: number) {
    this.#paused = from;
  }

  /** How much was read since the last pause, to be yielded; 0 as long as that is little. What was passed at once is a slice. */
  due(position: number): number {
    if (position - this.#paused < SLICE) return 0;
    this.#paused = position;
    return SLICE;
  }
}

/** A text in pieces of so many characters at most, none of which ends within a surrogate pair. */
export function slicesOf(text: string, length: number): string[] {
  const slices: string[] = [];
  for (let start = 0, end = 0; start < text.length; start = end) {
    end = start + length;
    if (end < text.length && isLowSurrogate(text.charCodeAt(end))) end -= 1;
    slices.push(text.slice(start, end));
  }
  return slices;
}

const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;
