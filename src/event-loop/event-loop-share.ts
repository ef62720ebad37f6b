/**
 * Work that all of the process together may do in one turn of the event loop. One unit is about a byte of
 * ordinary text, 30 ns on a modern core and a microsecond before the code is optimised: some 1 to 30 ms a turn.
 */
const WORK_PER_TURN = 32 * 1024;

interface Waiting {
  readonly signal: AbortSignal | undefined;
  resolve(): void;
  reject(reason: unknown): void;
}

/**
 * Divides the event loop among all work of the process that grows with what a caller sent. It goes by work done,
 * not by a clock, and by the work of all together: a thousand counts that each pause after 10 ms would still hold
 * the loop for ten seconds (rule: loop-share).
 */
export class EventLoopShare {
  #left = WORK_PER_TURN;
  #turnIsComing = false;
  readonly #waiting: Waiting[] = [];

  /**
   * Books work about to be done. As long as the share lasts there is nothing to wait for, and no promise is made: most steps
   * never wait. When it is used up, the promise resolves at a later turn: first come, first served. Throws or rejects with the
   * signal's reason once it is aborted, so that the work ends here.
   */
  take(work: number, signal?: AbortSignal): Promise<void> | undefined {
    signal?.throwIfAborted();
    if (this.#left <= 0) return this.#waitFor(work, signal);
    this.#book(work);
    return undefined;
  }

  /** Books work to be done in this very turn, if its share lasts; else nothing is booked, and whoever cannot wait has to `take`. */
  takeNow(work: number, signal?: AbortSignal): boolean {
    signal?.throwIfAborted();
    if (this.#left <= 0) return false;
    this.#book(work);
    return true;
  }

  /**
   * Books work that has been done, since nobody knew before how much it would be: what comes next waits for a turn of its own
   * if that used up the share.
   */
  spent(work: number, signal?: AbortSignal): Promise<void> | undefined {
    this.#book(work);
    return this.take(0, signal);
  }

  async #waitFor(work: number, signal: AbortSignal | undefined): Promise<void> {
    await new Promise<void>((resolve, reject) => this.#waiting.push({ signal, resolve, reject }));
    this.#book(work);
  }

  #book(work: number): void {
    this.#left -= work;
    if (this.#left <= 0) this.#callTurn();
  }

  #callTurn(): void {
    if (this.#turnIsComing) return;
    this.#turnIsComing = true;
    setImmediate(() => this.#beginTurn());
  }

  #beginTurn(): void {
    this.#turnIsComing = false;
    this.#left = WORK_PER_TURN;
    this.#wakeNext();
    if (this.#waiting.length > 0) this.#callTurn();
  }

  /** Wakes one piece of work only: it may use the whole share. What was given up takes nobody's turn. */
  #wakeNext(): void {
    let next = this.#waiting.shift();
    for (; next?.signal?.aborted; next = this.#waiting.shift()) next.reject(next.signal.reason);
    next?.resolve();
  }
}

export const eventLoopShare = new EventLoopShare();
