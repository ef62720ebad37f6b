import { Socket } from 'node:net';
import { buildConnector } from 'undici';
import { paceReading } from './paced-reading.js';

/** A request that may have to wait for a connection. */
export interface DialledRequest {
  readonly origin: string;
  readonly signal: AbortSignal;
  /** Calls back, once, when it wants no connection any more: it has one, or was given up. */
  whenSettled(callback: () => void): void;
}

/**
 * Dials as undici does, and hangs up when the request that wanted the connection is given up. undici alone would go
 * on dialling, for as long as the connect timeout, for nobody; and would dial anew for each request that is given up
 * under way.
 */
export class Dialler {
  readonly #dial = buildConnector({ timeout: 10_000 });
  /** How many requests of each origin want a connection. */
  readonly #waiting = new Map<string, number>();
  #wantedBy: AbortSignal | undefined;

  /** Starts a request. undici dials in the same turn, if it has no idle connection. */
  startFor<Value>({ origin, signal, whenSettled }: DialledRequest, start: () => Value): Value {
    this.#add(origin, 1);
    whenSettled(() => this.#add(origin, -1));
    this.#wantedBy = signal;
    try {
      return start();
    } finally {
      this.#wantedBy = undefined;
    }
  }

  readonly connect: buildConnector.connector = (options, callback) => {
    const signal = this.#wantedBy;
    if (!signal && !this.#isWaitedFor(options))
      return callback(new Error('Nobody waits for a connection.'), null);
    // Its types do not say so, but the connector returns the socket.
    const socket: unknown = this.#dial(options, (...outcome) => {
      signal?.removeEventListener('abort', hangUp);
      callback(...outcome);
    });
    if (socket instanceof Socket) paceReading(socket);
    const hangUp = (): void => {
      if (socket instanceof Socket) socket.destroy(new Error('The request was given up.'));
    };
    signal?.addEventListener('abort', hangUp, { once: true });
  };

  #isWaitedFor({ protocol, host }: buildConnector.Options): boolean {
    return (this.#waiting.get(`${protocol}//${host}`) ?? 0) > 0;
  }

  #add(origin: string, requests: number): void {
    this.#waiting.set(origin, (this.#waiting.get(origin) ?? 0) + requests);
  }
}
