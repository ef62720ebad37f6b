import { WebSocket } from 'undici';
import type { ServiceProcess } from './service-process.js';

/** What the environment of a process must have, so that it can be looked into. */
export const inspectable = { NODE_OPTIONS: '--inspect=127.0.0.1:0' };

/** Looks into a process of Node that runs, through its inspector. */
export class Inspector {
  readonly #socket: WebSocket;
  readonly #awaited = new Map<number, (result: unknown) => void>();
  #calls = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener('message', ({ data }) => {
      const { id, result } = JSON.parse(String(data));
      this.#awaited.get(id)?.(result);
      this.#awaited.delete(id);
    });
  }

  static async connect({ output }: ServiceProcess): Promise<Inspector> {
    const url = /Debugger listening on (ws:\S+)/.exec(output.stderr)?.[1];
    if (!url) throw new Error('The process was started without an inspector.');
    const socket = new WebSocket(url);
    await new Promise((resolve, reject) => {
      socket.addEventListener('open', resolve, { once: true });
      socket.addEventListener('error', reject, { once: true });
    });
    return new Inspector(socket);
  }

  /** The value of an expression there; it must be one that JSON can say. */
  async evaluate<Value>(expression: string): Promise<Value> {
    const answer = await this.#call('Runtime.evaluate', { expression, returnByValue: true });
    // The expression is the caller's, and so is the type of its value.
    return (answer as { result: { value: Value } }).result.value;
  }

  /** Twice: what the first round finalizes, the second one frees. */
  async collectGarbage(): Promise<void> {
    await this.#call('HeapProfiler.collectGarbage');
    await this.#call('HeapProfiler.collectGarbage');
  }

  close(): void {
    this.#socket.close();
  }

  #call(method: string, params: object = {}): Promise<unknown> {
    this.#calls += 1;
    const id = this.#calls;
    const answered = new Promise((resolve) => this.#awaited.set(id, resolve));
    this.#socket.send(JSON.stringify({ id, method, params }));
    return answered;
  }
}
