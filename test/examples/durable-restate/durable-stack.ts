import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type FakeProvider, startFakeProvider } from '../../../src/offline/fake-provider.js';
import { freePort } from '../../support/free-port.js';
import { upstreamsAt } from '../../support/service-process.js';
import { writeTokenFile } from '../../support/token-file.js';
import { exampleFolder } from './prepare-example.js';
import { Program } from './program.js';
import { Restate } from './restate.js';

/** A tool execution that the worker printed. */
interface Execution {
  readonly at: number;
  readonly run: string;
  /** Name in the journal, such as `call_2 refund_order`. */
  readonly call: string;
}

/** All processes of a durable run; the provider runs in the test and counts calls. */
export interface DurableStack {
  readonly folder: string;
  readonly provider: FakeProvider;
  readonly service: Program;
  readonly worker: Program;
  readonly restate: Restate;
  readonly executions: readonly Execution[];
  close(): Promise<void>;
}

/** The model key, which only the worker may have. */
export const modelKey = 'sk-durable-0f5c1e7a9b3d4f6282c1';

/** Token of the service, limited to one project; only the worker may have it. */
export const serviceToken = 'stepwise_durable-7d2b90c4e6a8135f';
const projectId = '3b1f6a52-9c0e-4d7a-8e21-5f4c7b9d0a16';

const serviceMain = new URL('../../../src/service/main.js', import.meta.url).pathname;

/** Starts all processes; resolves when the agent is registered at Restate. */
export async function startDurableStack(serviceSettings: Record<string, string> = {}): Promise<DurableStack> {
  const folder = mkdtempSync(join(tmpdir(), 'stepwise-durable-'));
  const provider = await startFakeProvider();
  const [servicePort, workerPort] = [await freePort(), await freePort()];
  const service = program({
    port: servicePort,
    main: serviceMain,
    environment: {
      ...upstreamsAt(provider.url),
      LOG_LEVEL: 'silent',
      AUTH_TOKENS_FILE: writeTokenFile({
        token: serviceToken,
        name: 'worker',
        projects: [projectId],
        limits: { requestsAtOnce: 200 },
      }),
      ...serviceSettings,
    },
  });
  const executions: Execution[] = [];
  const worker = program({
    port: workerPort,
    main: 'dist/worker.js',
    environment: {
      STEPWISE_URL: `http://127.0.0.1:${servicePort}`,
      STEPWISE_TOKEN: serviceToken,
      PROJECT_ID: projectId,
      STEPWISE_LLM_KEY: modelKey,
      MODEL: 'gpt-4o',
      REFUNDS_DIR: join(folder, 'refunds'),
      RESTATE_LOGGING: 'ERROR',
    },
    onLine: (line) => executions.push(...readExecution(line)),
  });
  const restate = await Restate.start(join(folder, 'restate'));
  const programs = [service, worker, restate.program];
  await Promise.all([service.start(), worker.start()]);
  await restate.register(`http://127.0.0.1:${workerPort}`);
  const close = async (): Promise<void> => {
    await Promise.all(programs.map((each) => each.kill()));
    await provider.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return { folder, provider, service, worker, restate, executions, close };
}

interface NodeProgram {
  readonly port: number;
  readonly main: string;
  readonly environment: Readonly<Record<string, string>>;
  onLine?(line: string): void;
}

const program = ({ port, main, environment, ...more }: NodeProgram): Program =>
  new Program({
    command: process.execPath,
    args: [main],
    folder: exampleFolder,
    environment: { PORT: String(port), ...environment },
    isUp: () => listens(port),
    ...more,
  });

const listens = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });

function readExecution(line: string): Execution[] {
  const [, time, run, call] = /^(\S+Z) (\S+): (call_\d+ \w+) /.exec(line) ?? [];
  return time && run && call ? [{ at: Date.parse(time), run, call }] : [];
}
