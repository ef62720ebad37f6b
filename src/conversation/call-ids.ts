/** The ids of a run's calls: each belongs to one call only. */
export class CallIds {
  readonly #taken: Set<string>;
  /** All numbers below it that were ever looked at are taken. */
  #next = 1;

  constructor(taken: Iterable<string> = []) {
    this.#taken = new Set(taken);
  }

  /** The wanted id where it is given and free; else `call_<n>`, counted from the start (rule: call-ids). */
  take(wanted: string | undefined): string {
    const id = wanted && !this.#taken.has(wanted) ? wanted : this.#nextFree();
    this.#taken.add(id);
    return id;
  }

  #nextFree(): string {
    this.#next = Math.max(this.#next, this.#taken.size + 1);
    while (this.#taken.has(`call_${this.#next}`)) this.#next += 1;
    return `call_${this.#next}`;
  }
}
