import { WebSocket } from 'undici';
import type { ServiceProcess } from './service-process.js';

/** Environment variables that open the inspector of a Node process. */
export const inspectable = { NODE_OPTIONS: '--inspect=127.0.0.1:0' };

/** Evaluates expressions in a running Node process through its inspector. */
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

  /** Returns the value of an expression in the process; it must be serializable as JSON. */
  async evaluate<Value>(expression: string): Promise<Value> {
    const answer = await this.#call('Runtime.evaluate', { expression, returnByValue: true });
    // Cast: the caller wrote the expression, so it knows the type of its value.
    return (answer as { result: { value: Value } }).result.value;
  }

  /** Collects garbage twice, because the first collection runs finalizers and the second frees their objects. */
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
