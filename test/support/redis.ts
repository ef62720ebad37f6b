import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { freePort } from './free-port.js';
import { findCommand, type Need } from './need.js';

const binary = findCommand(['redis-server', '--version'], ['valkey-server', '--version']);

export const redisServer: Need = { name: 'redis-server', isMet: binary !== undefined };

interface RedisOptions {
  readonly password?: string;
  /** Additional command line arguments. */
  readonly options?: readonly string[];
}

/** A Redis server that keeps its port when it restarts. */
export class RedisServer {
  readonly url: string;
  readonly #port: number;
  readonly #password: string;
  readonly #options: readonly string[];
  #child: ChildProcess | undefined;

  private constructor(port: number, { password, options }: Required<RedisOptions>) {
    this.#port = port;
    this.#password = password;
    this.#options = options;
    this.url = `redis://${password && `:${password}@`}127.0.0.1:${port}`;
  }

  static async start({ password = '', options = [] }: RedisOptions = {}): Promise<RedisServer> {
    const redis = new RedisServer(await freePort(), { password, options });
    await redis.start();
    return redis;
  }

  async start(): Promise<void> {
    if (!binary) throw new Error('Neither redis-server nor valkey-server is installed.');
    const quiet = ['--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--daemonize', 'no'];
    const secret = this.#password ? ['--requirepass', this.#password] : [];
    const child = spawn(binary, ['--port', String(this.#port), ...quiet, ...secret, ...this.#options], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.#child = child;
    let said = '';
    for await (const text of child.stdout.setEncoding('utf8')) {
      said += text;
      if (/ready to accept connections/i.test(said)) break;
    }
    child.stdout.resume();
  }

  /** Sends a signal to the server: SIGSTOP suspends it, so that it does not respond, and SIGCONT resumes it. */
  signal(name: 'SIGSTOP' | 'SIGCONT'): void {
    this.#child?.kill(name);
  }

  async stop(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (!child || child.exitCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'close');
  }
}
