/** Lets a limited number of tasks run at the same time; the others wait in order. */
export class Gate {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(limit: number) {
    this.#free = limit;
  }

  /** Resolves when another task may run. The caller must call `leave` when its task ends. */
  async enter(): Promise<void> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  leave(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#free += 1;
  }

  async run<Result>(task: () => Promise<Result>): Promise<Result> {
    await this.enter();
    try {
      return await task();
    } finally {
      this.leave();
    }
  }
}
