/** Characters that are read in one go. */
export const SLICE = 2 ** 15;

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
    await take(value);
  }
}
