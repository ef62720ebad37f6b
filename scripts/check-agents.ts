import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startFakeProvider } from '../src/offline/fake-provider.js';
import { readConfig } from '../src/service/config.js';
import { startService } from '../src/service/start.js';
import { type Agent, agents } from './agents/agents.js';
import { after, answer, before, scriptFor } from './agents/scripted-model.js';
import { installNode } from './upstreams/program.js';

/**
 * Gives real agents a task, with a scripted model that writes its calls as text, and prints a table. Arguments
 * name the agents to try (default: all). Agents are installed in fixed versions below node_modules/.cache, have an
 * empty home folder, and reach the service on loopback. Exits with 1 if one of them failed.
 */
const folder = join(dirname(fileURLToPath(import.meta.url)), '../../node_modules/.cache/agents');
const execute = promisify(execFile);

/** Node version for the agents, because some of them need a newer Node.js than the service does. */
const NODE = 'node@22';
const TIMEOUT_MS = 120_000;
/** Maximum number of requests of one trial, because some agents limit neither their turns nor their retries. */
const MAX_REQUESTS = 20;
const TASK = 'Read kettle.txt, warm the kettle, and say what happened.';

/** Outcome of a trial: the number of requests that reached the model, and the problem if there was one. */
interface Outcome {
  readonly requests: number;
  readonly problem: string | undefined;
}

async function tryAgent(agent: Agent): Promise<Outcome> {
  const bin = join(
    // Install scripts are allowed, because some agents install their program by one.
    installNode(join(folder, agent.name.replaceAll(' ', '-')), [NODE, ...agent.packages], {
      runsScripts: true,
    }),
    'node_modules/.bin',
  );
  const scratch = mkdtempSync(join(tmpdir(), 'stepwise-agent-'));
  const [home, work] = [join(scratch, 'home'), join(scratch, 'work')];
  for (const each of [home, work]) mkdirSync(each);
  writeFileSync(join(work, 'kettle.txt'), `${before}\n`);
  const fake = await startFakeProvider();
  fake.script(scriptFor(agent));
  const service = await startService(
    readConfig({
      PORT: '0',
      LOG_LEVEL: 'silent',
      UPSTREAMS: JSON.stringify({ local: { url: `${fake.url}/v1`, contextWindow: 64_000 } }),
    }),
  );
  const trial = { url: service.url, model: 'local/scripted', home };
  // The agent inherits no other variables, so that it cannot find a key of the person who runs this script.
  const env = { PATH: `${bin}:${process.env['PATH']}`, HOME: home, TERM: 'dumb', ...agent.env?.(trial) };
  const run = async ([command, ...words]: readonly [string, ...string[]]): Promise<string> => {
    const running = execute(command, words, { cwd: work, env, timeout: TIMEOUT_MS, maxBuffer: 2 ** 26 });
    running.child.stdin?.end();
    const { stdout, stderr } = await running.catch((error: { stdout?: string; stderr?: string }) => ({
      stdout: `${String(error)}\n${error.stdout}`,
      stderr: error.stderr ?? '',
    }));
    return stdout + stderr;
  };
  try {
    for (const [path, text] of Object.entries(agent.files?.(trial) ?? {})) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
    }
    for (const command of agent.prepare?.(trial) ?? []) await run(command);
    const output = await run(agent.command(TASK, trial));
    const requests = fake.requests.length;
    const isChanged = readFileSync(join(work, 'kettle.txt'), 'utf8') === `${after}\n`;
    const problem = !isChanged
      ? `the file is unchanged: ${tail(output)}`
      : !output.includes(answer)
        ? `the answer is not printed: ${tail(output)}`
        : requests > MAX_REQUESTS
          ? 'more requests than a task of three steps needs'
          : undefined;
    return { requests, problem };
  } finally {
    await service.close();
    await fake.close();
    rmSync(scratch, { recursive: true, force: true });
  }
}

const tail = (output: string): string => output.trim().slice(-600);

const names = process.argv.slice(2).map((name) => name.toLowerCase());
const chosen = agents.filter(({ name }) => names.length === 0 || names.includes(name.toLowerCase()));
let failed = 0;
for (const agent of chosen) {
  const { requests, problem } = await tryAgent(agent);
  if (problem !== undefined) failed += 1;
  console.log(
    `${agent.name.padEnd(12)} ${agent.wire.padEnd(10)} ${String(requests).padStart(3)} requests  ${problem === undefined ? 'ok' : `FAILED: ${problem}`}`,
  );
}
console.log(`${chosen.length - failed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
