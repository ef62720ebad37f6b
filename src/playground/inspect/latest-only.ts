/**
 * Runs only the newest of several tasks, such as previews for a moving slider: waits until no further task is
 * requested for a while, aborts earlier tasks, and ignores their late results.
 */
export class LatestOnly {
  readonly #settleMs: number;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #current = new AbortController();

  constructor(settleMs: number) {
    this.#settleMs = settleMs;
  }

  ask<Result>(
    work: (signal: AbortSignal) => Promise<Result>,
    { done, failed }: { done: (result: Result) => void; failed: (error: unknown) => void },
  ): void {
    this.giveUp();
    const { signal } = this.#current;
    const ifStillAsked =
      <Value>(show: (value: Value) => void) =>
      (value: Value): void => {
        if (!signal.aborted) show(value);
      };
    this.#timer = setTimeout(
      () => work(signal).then(ifStillAsked(done), ifStillAsked(failed)),
      this.#settleMs,
    );
  }

  giveUp(): void {
    clearTimeout(this.#timer);
    this.#current.abort();
    this.#current = new AbortController();
  }
}
