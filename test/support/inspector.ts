import { WebSocket } from 'undici';
import type { ServiceProcess } from './service-process.js';

/** Environment variables that make a process open its inspector. */
export const inspectable = { NODE_OPTIONS: '--inspect=127.0.0.1:0' };

/** Client of a running Node process's inspector. */
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

  /** Evaluates an expression in the process; its value must be serializable as JSON. */
  async evaluate<Value>(expression: string): Promise<Value> {
    const answer = await this.#call('Runtime.evaluate', { expression, returnByValue: true });
    // The caller chooses the expression, so it knows the type.
    return (answer as { result: { value: Value } }).result.value;
  }

  /** Runs garbage collection twice, because finalizers of the first round free more objects. */
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
