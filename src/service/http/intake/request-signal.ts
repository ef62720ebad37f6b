type Listener = Parameters<AbortSignal['addEventListener']>[1];

/**
 * The signal of one request. Node's own `AbortSignal` takes ten times as long to make and to listen to, in each request, and
 * outlives it in memory. Every listener is called once; to what needs Node's own, `AbortSignal.any` for one, this is none.
 */
export class RequestSignal implements AbortSignal {
  readonly onabort = null;
  #aborted = false;
  #reason: unknown;
  #listeners: Listener[] = [];

  get aborted(): boolean {
    return this.#aborted;
  }

  get reason(): unknown {
    return this.#reason;
  }

  /** The first reason stays. */
  abort(reason: unknown): void {
    if (this.#aborted) return;
    this.#aborted = true;
    this.#reason = reason;
    this.dispatchEvent(new Event('abort'));
  }

  throwIfAborted(): void {
    if (this.#aborted) throw this.#reason;
  }

  addEventListener(_type: string, listener: Listener): void {
    this.#listeners.push(listener);
  }

  removeEventListener(_type: string, listener: Listener): void {
    const place = this.#listeners.indexOf(listener);
    if (place >= 0) this.#listeners.splice(place, 1);
  }

  dispatchEvent(event: Event): boolean {
    const listeners = this.#listeners;
    this.#listeners = [];
    for (const listener of listeners) {
      if (typeof listener === 'function') listener.call(this, event);
      else listener.handleEvent(event);
    }
    return true;
  }
}
