import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.js';
import { type Need, program } from './need.js';
import { until } from './until.js';

/** Debian's package `prometheus` contains both programs. */
export const prometheusPrograms: readonly Need[] = [program('prometheus'), program('promtool')];

/** Runs promtool. Returns whether it succeeded, and all of its output. */
export function promtool(given: readonly string[], input = ''): { ok: boolean; output: string } {
  const { status, stdout, stderr } = spawnSync('promtool', given, { encoding: 'utf8', input });
  return { ok: status === 0, output: stdout + stderr };
}

export interface QueryResult {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface Alert {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly state: 'pending' | 'firing';
}

/** A Prometheus server with the files of `deploy/prometheus`. It scrapes a service twice a second. */
export class PrometheusServer {
  readonly url: string;
  readonly #folder: string;
  readonly #child: ChildProcess;

  static async start(serviceUrl: string, token: string): Promise<PrometheusServer> {
    const folder = mkdtempSync(join(tmpdir(), 'stepwise-prometheus-'));
    cpSync('deploy/prometheus', folder, { recursive: true });
    for (const file of readdirSync(folder)) change(join(folder, file), hurried);
    const tokenFile = join(folder, 'token');
    writeFileSync(tokenFile, token);
    change(join(folder, 'prometheus.yaml'), (config) =>
      config
        .replace('127.0.0.1:8080', new URL(serviceUrl).host)
        .replace(/# (authorization:)\n( *)# ( *credentials_file: ).*/, `$1\n$2$3${tokenFile}`),
    );
    const server = new PrometheusServer(folder, await freePort());
    await until(async () => (await fetch(`${server.url}/-/ready`)).status === 200);
    return server;
  }

  private constructor(folder: string, port: number) {
    this.#folder = folder;
    this.url = `http://127.0.0.1:${port}`;
    const options = {
      'config.file': join(folder, 'prometheus.yaml'),
      'storage.tsdb.path': join(folder, 'data'),
      'web.listen-address': `127.0.0.1:${port}`,
      'log.level': 'error',
    };
    this.#child = spawn(
      'prometheus',
      Object.entries(options).map(([name, value]) => `--${name}=${value}`),
      {
        stdio: ['ignore', 'ignore', 'inherit'],
      },
    );
  }

  /** Runs a query. Throws Prometheus's error message if the query is invalid. */
  async query(query: string): Promise<readonly QueryResult[]> {
    const { result } = await this.#ask(`/api/v1/query?query=${encodeURIComponent(query)}`);
    return result.map(
      ({ metric, value: [, value] }: { metric: Record<string, string>; value: [number, string] }) => ({
        metric,
        value: Number(value),
      }),
    );
  }

  /** Returns the single value of a query; NaN if there is no value. */
  async value(query: string): Promise<number> {
    return (await this.query(query))[0]?.value ?? Number.NaN;
  }

  async alerts(): Promise<readonly Alert[]> {
    return (await this.#ask('/api/v1/alerts')).alerts;
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode === null) {
      this.#child.kill('SIGKILL');
      await once(this.#child, 'close');
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }

  // biome-ignore lint/suspicious/noExplicitAny: what Prometheus answers is looked into field by field
  async #ask(path: string): Promise<any> {
    const answer = JSON.parse(await (await fetch(this.url + path)).text());
    if (answer.status !== 'success') throw new Error(`${path}: ${answer.error}`);
    return answer.data;
  }
}

function change(path: string, how: (text: string) => string): void {
  writeFileSync(path, how(readFileSync(path, 'utf8')));
}

/**
 * Returns the alert rules at a faster pace: a minute becomes two seconds, and the rules are evaluated twice a
 * second.
 */
const hurried = (file: string): string =>
  file
    .replaceAll(/\b(\d+)m\b(?=\]|$)/gm, (_, minutes) => `${2 * minutes}s`)
    .replaceAll(/(_interval: )15s/g, '$1500ms');
