import { createRequire } from 'node:module';
import { freePort } from '../../support/free-port.js';
import { until } from '../../support/until.js';
import { exampleFolder } from './prepare-example.js';
import { Program } from './program.js';

/** Status and body of a Restate response; the body is parsed if it is JSON. */
interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** A Restate server with its own folder and fixed ports. */
export class Restate {
  readonly program: Program;
  readonly #ingress: string;
  readonly #admin: string;

  private constructor(folder: string, ports: readonly [number, number, number]) {
    const [ingress, admin, node] = ports;
    this.#ingress = `http://127.0.0.1:${ingress}`;
    this.#admin = `http://127.0.0.1:${admin}`;
    this.program = new Program({
      command: binary(),
      args: ['--no-logo', '--base-dir', folder],
      folder: exampleFolder,
      environment: environmentOf({ ingress, admin, node }),
      isUp: () => this.#isUp(),
    });
  }

  static async start(folder: string): Promise<Restate> {
    const restate = new Restate(folder, [await freePort(), await freePort(), await freePort()]);
    await restate.program.start();
    return restate;
  }

  /** Registers the worker's address. */
  async register(uri: string): Promise<void> {
    const { status, body } = await post(`${this.#admin}/deployments`, { uri });
    if (status >= 300) throw new Error(`Not registered: ${JSON.stringify(body)}`);
  }

  /** Calls a handler of the agent, such as `run-1/status`. */
  agent(path: string, body?: unknown): Promise<Answer> {
    return post(`${this.#ingress}/agent/${path}`, body);
  }

  /** Waits for the run and returns its result. */
  async attach(name: string): Promise<unknown> {
    const response = await fetch(`${this.#ingress}/restate/workflow/agent/${name}/attach`);
    return response.json();
  }

  /** Queries Restate's tables; retries while some are unavailable after a start. */
  async query<Row>(sql: string): Promise<readonly Row[]> {
    const { body } = await until(
      () => post(`${this.#admin}/query`, { query: sql }),
      ({ status }) => status === 200,
    );
    // The caller's query determines the columns.
    return (body as { rows: Row[] }).rows;
  }

  async #isUp(): Promise<boolean> {
    const answers = [fetch(`${this.#admin}/health`), fetch(`${this.#ingress}/restate/health`)];
    return Promise.all(answers).then(
      (both) => both.every(({ ok }) => ok),
      () => false,
    );
  }
}

/**
 * Returns the path of the binary itself: npm's command is a wrapper script, and killing it would leave the
 * server running.
 */
function binary(): string {
  const { resolve } = createRequire(`${exampleFolder}/package.json`);
  return resolve(`@restatedev/restate-server-${process.platform}-${process.arch}/bin/restate-server`);
}

const environmentOf = (ports: {
  readonly ingress: number;
  readonly admin: number;
  readonly node: number;
}) => ({
  RESTATE_NODE_NAME: 'one',
  RESTATE_BIND_IP: '127.0.0.1',
  RESTATE_LISTEN_MODE: 'tcp',
  RESTATE_INGRESS__BIND_PORT: String(ports.ingress),
  RESTATE_ADMIN__BIND_PORT: String(ports.admin),
  RESTATE_BIND_PORT: String(ports.node),
  RESTATE_DISABLE_TELEMETRY: 'true',
  RESTATE_LOG_FILTER: 'off',
  RESTATE_DEFAULT_NUM_PARTITIONS: '4',
  RESTATE_ROCKSDB_TOTAL_MEMORY_SIZE: '256MB',
  // Keep the files uncompressed, since the test searches them for keys.
  RESTATE_WORKER__STORAGE__ROCKSDB_DISABLE_WAL_COMPRESSION: 'true',
  RESTATE_WORKER__STORAGE__ROCKSDB_DISABLE_L0_L1_COMPRESSION: 'true',
  RESTATE_BIFROST__LOCAL__ROCKSDB_DISABLE_WAL_COMPRESSION: 'true',
  RESTATE_LOG_SERVER__ROCKSDB_DISABLE_WAL_COMPRESSION: 'true',
  RESTATE_LOG_SERVER__ROCKSDB_DISABLE_L0_L1_COMPRESSION: 'true',
});

export async function post(url: string, body?: unknown): Promise<Answer> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? null : JSON.parse(text) };
}
