import { Socket } from 'node:net';
import { buildConnector } from 'undici';

/**
 * Dials as undici does, and hangs up when the request that wanted the connection is given up. undici alone would go
 * on dialling, for as long as the connect timeout, for nobody.
 */
export class Dialler {
  readonly #dial = buildConnector({ timeout: 10_000 });
  #wantedBy: AbortSignal | undefined;

  /** Starts a request. undici dials in the same turn, if it has no idle connection. */
  startFor<Value>(signal: AbortSignal, start: () => Value): Value {
    this.#wantedBy = signal;
    try {
      return start();
    } finally {
      this.#wantedBy = undefined;
    }
  }

  readonly connect: buildConnector.connector = (options, callback) => {
    const signal = this.#wantedBy;
    // Its types do not say so, but the connector returns the socket.
    const socket: unknown = this.#dial(options, (...outcome) => {
      signal?.removeEventListener('abort', hangUp);
      callback(...outcome);
    });
    const hangUp = (): void => {
      if (socket instanceof Socket) socket.destroy(new Error('The request was given up.'));
    };
    signal?.addEventListener('abort', hangUp, { once: true });
  };
}
