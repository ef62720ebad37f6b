import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.js';
import { findCommand, type Need } from './need.js';
import { until } from './until.js';

const binary = findCommand(['nginx', '-v'], ['/usr/sbin/nginx', '-v']);

export const nginxServer: Need = { name: 'nginx', isMet: binary !== undefined };

const shipped = readFileSync(new URL('../../../deploy/nginx/stepwise.conf', import.meta.url), 'utf8');

/**
 * Returns a complete nginx configuration that includes the shipped file. nginx then writes only into its own
 * folder.
 */
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

/** Starts an nginx whose `http` block contains the given text. Resolves once it accepts connections on the port. */
export async function startNginx(conf: string, port: number): Promise<RunningNginx> {
  const folder = mkdtempSync(join(tmpdir(), 'stepwise-nginx-'));
  chmodSync(folder, 0o755); // its workers may be another user's
  writeFileSync(join(folder, 'nginx.conf'), around(conf));
  const nginx = spawnIn(folder);
  await until(async () => nginx.child.exitCode !== null || (await accepts(port)));
  if (nginx.child.exitCode !== null) throw new Error(`nginx did not start: ${nginx.said()}`);
  return nginx;
}

interface RunningNginx {
  readonly child: ChildProcess;
  readonly folder: string;
  /** Returns the warnings in nginx's error log. */
  said(): string;
  /** Ends the process and removes its folder. */
  stop(): Promise<void>;
}

function spawnIn(folder: string): RunningNginx {
  if (!binary) throw new Error('nginx is not installed.');
  const args = ['-p', folder, '-c', 'nginx.conf', '-e', 'stderr', '-g', 'daemon off;'];
  const child = spawn(binary, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    said += text;
  });
  const stop = async (): Promise<void> => {
    if (child.exitCode === null) {
      child.kill('SIGTERM');
      await once(child, 'close');
    }
    rmSync(folder, { recursive: true, force: true });
  };
  return { child, folder, said: () => said, stop };
}

const accepts = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });

/** An nginx with the shipped configuration, on a free port, in front of several replicas of the service. */
export class Nginx {
  readonly url: string;
  readonly #port: number;
  readonly #replicas: readonly Replica[];
  readonly #running: RunningNginx;

  private constructor(port: number, replicas: readonly Replica[], running: RunningNginx) {
    this.#port = port;
    this.#replicas = replicas;
    this.#running = running;
    this.url = `http://127.0.0.1:${port}`;
  }

  static async start(replicas: readonly Replica[]): Promise<Nginx> {
    const port = await freePort();
    const nginx = new Nginx(port, replicas, await startNginx(shippedFor(port, replicas), port));
    await until(async () => (await fetch(`${nginx.url}/healthz`)).ok);
    return nginx;
  }

  /** Reloads the configuration, either without the given replica or with all of them. */
  reload(out?: Replica): void {
    const conf = shippedFor(this.#port, this.#replicas, out);
    writeFileSync(join(this.#running.folder, 'nginx.conf'), around(conf));
    this.#running.child.kill('SIGHUP');
  }

  accessLog(): string {
    return readFileSync(join(this.#running.folder, 'access.log'), 'utf8');
  }

  /** Returns the warnings in nginx's error log. */
  get warnings(): string {
    return this.#running.said();
  }

  stop(): Promise<void> {
    return this.#running.stop();
  }
}

/** Starts an nginx in front of one replica, with the shipped configuration in which the lines for TLS are enabled. */
export async function startTlsNginx(
  replica: Replica,
  { cert, key }: { readonly cert: string; readonly key: string },
): Promise<RunningNginx & { readonly port: number }> {
  const port = await freePort();
  const [, ...lines] = /^ +# For TLS: `(.*?)`, `(.*?)`, `(.*?)`/m.exec(shipped)?.slice(0) ?? [];
  const listening = lines[0]?.replace('443', `127.0.0.1:${port}`);
  const tls = [listening, `${lines[1]} ${cert};`, `${lines[2]} ${key};`].join('\n');
  const conf = shippedFor(port, [replica]).replace(`listen 127.0.0.1:${port};`, tls);
  return { ...(await startNginx(conf, port)), port };
}

/** Returns the shipped configuration with the addresses of the replicas. One of them may be marked as down. */
function shippedFor(port: number, replicas: readonly Replica[], out?: Replica): string {
  const server = (options: string) =>
    replicas
      .map(
        (replica) =>
          `server ${new URL(replica.url).host}${options}${replica.url === out?.url ? ' down' : ''};`,
      )
      .join('\n');
  return shipped
    .replace(/server stepwise-1:8080.*;\n\s*server stepwise-2:8080(.*);/, (_, options) => server(options))
    .replace('listen 8080;', `listen 127.0.0.1:${port};`)
    .replace('/dev/stdout', 'access.log');
}
