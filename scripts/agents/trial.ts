import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { startFakeProvider } from '../../src/offline/fake-provider.js';
import { readConfig } from '../../src/service/config.js';
import { startService } from '../../src/service/start.js';
import type { Agent } from './agents.js';
import { startRecorder } from './recorder.js';
import { after, answer, before, type Reply, scriptFor } from './scripted-model.js';
import { judge, type Verdict } from './witness.js';

const execute = promisify(execFile);

const TIMEOUT_MS = 120_000;
/** Maximum number of requests of one trial, because some agents limit neither their turns nor their retries. */
const MAX_REQUESTS = 20;
const TASK = 'Read kettle.txt, warm the kettle, and say what happened.';

/** Result of a trial. */
export interface Outcome {
  /** Number of requests that reached the model. */
  readonly requests: number;
  /** Absent if the agent did its task. */
  readonly failure?: { readonly problem: string } & Verdict;
}

/**
 * Gives an agent a task over the service and a scripted model that writes its calls as text. `programs` are the folders of
 * its programs. It has an empty home folder and none of the caller's environment, so it finds no key.
 */
export async function tryAgent(agent: Agent, programs: readonly string[]): Promise<Outcome> {
  const scratch = mkdtempSync(join(tmpdir(), 'stepwise-agent-'));
  const [home, work] = [join(scratch, 'home'), join(scratch, 'work')];
  for (const each of [home, work]) mkdirSync(each);
  writeFileSync(join(work, 'kettle.txt'), `${before}\n`);
  const replies: Reply[] = [];
  const fake = await startFakeProvider(scriptFor(agent, (reply) => replies.push(reply)));
  const service = await startService(
    readConfig({
      PORT: '0',
      LOG_LEVEL: 'silent',
      UPSTREAMS: JSON.stringify({ local: { url: `${fake.url}/v1`, contextWindow: 64_000 } }),
    }),
  );
  const recorder = await startRecorder(service.url);
  const trial = { url: recorder.url, model: 'local/scripted', home };
  const env = {
    PATH: [...programs, process.env['PATH']].join(':'),
    HOME: home,
    TERM: 'dumb',
    ...agent.env?.(trial),
  };
  try {
    for (const [path, text] of Object.entries(agent.files?.(trial) ?? {})) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
    }
    for (const command of agent.prepare?.(trial) ?? []) await run(command, { cwd: work, env });
    const output = await run(agent.command(TASK, trial), { cwd: work, env });
    const requests = fake.requests.length;
    const problem = problemOf(output, readFileSync(join(work, 'kettle.txt'), 'utf8'), requests);
    if (problem === undefined) return { requests };
    return { requests, failure: { problem, ...(await judge(recorder, replies)) } };
  } finally {
    await recorder.close();
    await service.close();
    await fake.close();
    rmSync(scratch, { recursive: true, force: true, maxRetries: 10 });
  }
}

/** Runs a command without input and returns what it printed, also if it failed. */
async function run(
  [command, ...words]: readonly [string, ...string[]],
  place: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): Promise<string> {
  const running = execute(command, words, { ...place, timeout: TIMEOUT_MS, maxBuffer: 2 ** 26 });
  running.child.stdin?.end();
  const { stdout, stderr } = await running.catch((error: { stdout?: string; stderr?: string }) => ({
    stdout: `${String(error)}\n${error.stdout}`,
    stderr: error.stderr ?? '',
  }));
  return stdout + stderr;
}

function problemOf(output: string, file: string, requests: number): string | undefined {
  const tail = output.trim().slice(-600);
  if (file !== `${after}\n`) return `the file is unchanged: ${tail}`;
  if (!output.includes(answer)) return `the answer is not printed: ${tail}`;
  if (requests > MAX_REQUESTS) return 'more requests than a task of three steps needs';
  return undefined;
}
