import type { Dispatcher } from 'undici';

type Controller = Dispatcher.DispatchController;
type Headers = Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>[2];

const SWITCHING_PROTOCOLS = 101;

/** Bytes that may wait to be read before the provider has to wait too. */
const MOST_WAITING = 256 * 1024;

const nothing = (): void => {};

/** One buffer of all; a single one is not copied. */
export const joined = (pieces: readonly Buffer[]): Buffer =>
  pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces);

/** Told of an answer's first byte and of its end, of each once; of the end with what came too early. */
export interface ArrivalWatcher {
  begun?(): void;
  ended(error?: unknown): void;
}

/**
 * An answer on its way, as undici's dispatcher hands it over: streams and web responses on top of it would cost several
 * times what receiving it does. It ends at once when it is given up, in whatever phase.
 */
export class Arrival implements Dispatcher.DispatchHandler {
  /** 0 until the answer has begun. */
  status = 0;
  headers: Headers = {};
  #controller: Controller | undefined;
  #waiting: Buffer[] = [];
  #bytesWaiting = 0;
  #isOver = false;
  #failure: { readonly error: unknown } | undefined;
  #wake = nothing;
  #unwatch = nothing;
  #watcher: ArrivalWatcher | undefined;
  #hasData = false;
  #settled = nothing;

  /** Gives it up when the signal fires, with its reason. No listener stays on the signal once it is over. */
  watch(signal: AbortSignal, watcher: ArrivalWatcher | undefined): void {
    this.#watcher = watcher;
    const giveUp = (): void => this.giveUp(signal.reason);
    signal.addEventListener('abort', giveUp);
    this.#unwatch = () => signal.removeEventListener('abort', giveUp);
  }

  /** Calls back, once, when it wants no connection any more: it has one, or is over. */
  readonly whenSettled = (callback: () => void): void => {
    this.#settled = callback;
  };

  /** Resolves once status and headers are there. Throws the error of the connection, or what it was given up for. */
  async begun(): Promise<void> {
    while (this.status === 0 && !this.#failure) await this.#news();
    if (this.#failure) throw this.#failure.error;
  }

  /** What has come of the body since the last time; undefined at its end. Throws as `begun` does. */
  async read(): Promise<Buffer | undefined> {
    while (this.#waiting.length === 0 && !this.#isOver) await this.#news();
    if (this.#waiting.length > 0) return this.#take();
    if (this.#failure) throw this.#failure.error;
    return undefined;
  }

  /** All that is left of a body that has come to its end already; undefined of any other. */
  readWhole(): Buffer | undefined {
    return this.#isOver && !this.#failure ? this.#take() : undefined;
  }

  /** Breaks the connection, unless the answer has come to its end. What waits to be read is not read any more. */
  giveUp(reason: Error): void {
    if (this.#isOver) return;
    this.#waiting = [];
    this.#end({ error: reason });
    this.#controller?.abort(reason);
  }

  onRequestStart(controller: Controller): void {
    this.#controller = controller;
    this.#settle();
    // It may have been given up while it waited for its connection.
    if (this.#isOver) controller.abort(new Error('The request was given up.'));
  }

  onResponseStart(_: Controller, status: number, headers: Headers): void {
    // Early hints come before the answer; after another protocol none comes. (A 100 nobody asked for is an error to undici.)
    if (status < 200 && status !== SWITCHING_PROTOCOLS) return;
    this.status = status;
    this.headers = headers;
    this.#tell();
  }

  onResponseData(controller: Controller, piece: Buffer): void {
    if (!this.#hasData) this.#watcher?.begun?.();
    this.#hasData = true;
    this.#waiting.push(piece);
    this.#bytesWaiting += piece.length;
    if (this.#bytesWaiting > MOST_WAITING) controller.pause();
    this.#tell();
  }

  onResponseEnd(): void {
    this.#end();
  }

  onResponseError(_: Controller, error: unknown): void {
    this.#end({ error });
  }

  #take(): Buffer {
    const taken = this.#waiting;
    this.#waiting = [];
    this.#bytesWaiting = 0;
    if (this.#controller?.paused) this.#controller.resume();
    return joined(taken);
  }

  #end(failure?: { readonly error: unknown }): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#failure = failure;
    this.#unwatch();
    this.#settle();
    this.#watcher?.ended(failure?.error);
    this.#tell();
  }

  #settle(): void {
    const settled = this.#settled;
    this.#settled = nothing;
    settled();
  }

  /** Wakes who waits, once: V8 reports each further time that a promise is settled, which takes longer than a piece does. */
  #tell(): void {
    const wake = this.#wake;
    this.#wake = nothing;
    wake();
  }

  #news(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}
