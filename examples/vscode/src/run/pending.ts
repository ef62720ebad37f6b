/** A single pending request for a decision. */
export class Pending<Request, Decision> {
  readonly #onChange: () => void;
  #current: { readonly request: Request; readonly decide: (decision: Decision) => void } | undefined;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  get request(): Request | undefined {
    return this.#current?.request;
  }

  /**
   * Makes the request pending. Resolves with the decision; rejects with the signal's reason if the signal is aborted.
   */
  ask(request: Request, signal: AbortSignal): Promise<Decision> {
    const decided = new Promise<Decision>((resolve, reject) => {
      signal.throwIfAborted();
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      this.#current = { request, decide: resolve };
      this.#onChange();
    });
    return decided.finally(() => {
      // A later request may already have replaced this one.
      if (this.#current?.request === request) this.#current = undefined;
      this.#onChange();
    });
  }

  /** Decides the pending request; ignores late clicks, such as on an old notification. */
  decide(decision: Decision): void {
    this.#current?.decide(decision);
  }
}
