/** One thing at a time that a person is to decide. */
export class Pending<Request, Decision> {
  readonly #onChange: () => void;
  #current: { readonly request: Request; readonly decide: (decision: Decision) => void } | undefined;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  get request(): Request | undefined {
    return this.#current?.request;
  }

  /** Resolves with the decision; rejects with the signal's reason when nobody waits for it any more. */
  ask(request: Request, signal: AbortSignal): Promise<Decision> {
    const decided = new Promise<Decision>((resolve, reject) => {
      signal.throwIfAborted();
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      this.#current = { request, decide: resolve };
      this.#onChange();
    });
    return decided.finally(() => {
      // A run that was left may end after the next one has asked.
      if (this.#current?.request === request) this.#current = undefined;
      this.#onChange();
    });
  }

  /** Does nothing where nothing is pending any more: an old notification may still be clicked. */
  decide(decision: Decision): void {
    this.#current?.decide(decision);
  }
}
