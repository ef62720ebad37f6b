import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.js';
import { findCommand, type Need } from './need.js';
import { until } from './until.js';

const binary = findCommand(['nginx', '-v'], ['/usr/sbin/nginx', '-v']);

export const nginxServer: Need = { name: 'nginx', isMet: binary !== undefined };

const shipped = readFileSync(new URL('../../../deploy/nginx/stepwise.conf', import.meta.url), 'utf8');

/** Returns a complete configuration around the shipped file. nginx writes only into its own folder. */
const around = (conf: string): string => `
worker_processes 2;
pid nginx.pid;
error_log stderr warn;
events {}
http {
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${name};`).join('\n  ')}
  ${conf}
}
`;

interface Replica {
  readonly url: string;
}

/** An nginx with the shipped configuration, on a free port, in front of replicas. */
export class Nginx {
  readonly url: string;
  readonly #folder = mkdtempSync(join(tmpdir(), 'stepwise-nginx-'));
  readonly #port: number;
  readonly #replicas: readonly Replica[];
  #child: ChildProcess | undefined;
  #said = '';

  private constructor(port: number, replicas: readonly Replica[]) {
    this.#port = port;
    this.#replicas = replicas;
    this.url = `http://127.0.0.1:${port}`;
    chmodSync(this.#folder, 0o755); // its workers may be another user's
  }

  static async start(replicas: readonly Replica[]): Promise<Nginx> {
    const nginx = new Nginx(await freePort(), replicas);
    await nginx.#start();
    return nginx;
  }

  /** Reloads the configuration, without the given replica or with all of them. */
  reload(out?: Replica): void {
    this.#write(out);
    this.#child?.kill('SIGHUP');
  }

  /** Returns the access log. */
  accessLog(): string {
    return readFileSync(join(this.#folder, 'access.log'), 'utf8');
  }

  /** Returns the warnings in the error log. */
  get warnings(): string {
    return this.#said;
  }

  async stop(): Promise<void> {
    if (this.#child?.exitCode === null) {
      this.#child.kill('SIGTERM');
      await once(this.#child, 'close');
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #start(): Promise<void> {
    if (!binary) throw new Error('nginx is not installed.');
    this.#write();
    const args = ['-p', this.#folder, '-c', 'nginx.conf', '-e', 'stderr', '-g', 'daemon off;'];
    this.#child = spawn(binary, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    this.#child.stderr?.setEncoding('utf8').on('data', (text) => {
      this.#said += text;
    });
    await until(async () => this.#child?.exitCode !== null || (await answers(this.url)));
    if (this.#child.exitCode !== null) throw new Error(`nginx did not start: ${this.#said}`);
  }

  #write(out?: Replica): void {
    const server = (options: string) =>
      this.#replicas
        .map(
          (replica) =>
            `server ${new URL(replica.url).host}${options}${replica.url === out?.url ? ' down' : ''};`,
        )
        .join('\n');
    const conf = shipped
      .replace(/server stepwise-1:8080.*;\n\s*server stepwise-2:8080(.*);/, (_, options) => server(options))
      .replace('listen 8080;', `listen 127.0.0.1:${this.#port};`)
      .replace('/dev/stdout', 'access.log');
    writeFileSync(join(this.#folder, 'nginx.conf'), around(conf));
  }
}

const answers = (url: string): Promise<boolean> =>
  fetch(`${url}/healthz`).then(
    ({ ok }) => ok,
    () => false,
  );
