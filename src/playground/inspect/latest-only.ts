/**
 * Debounces work of which only the latest result counts, such as a slider's preview: waits until calls pause, aborts
 * earlier work, and ignores its late results.
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
