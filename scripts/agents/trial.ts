import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Agent } from './agents.js';
import { after, answer, type Reply, scriptFor } from './scripted-model.js';
import { openStage, type Stage } from './stage.js';
import { judge, type Verdict } from './witness.js';

const TIMEOUT_MS = 120_000;
/** Maximum number of requests of one trial, because some agents limit neither their turns nor their retries. */
const MAX_REQUESTS = 20;

/** Result of a trial. */
export interface Outcome {
  /** Number of requests that reached the model. */
  readonly requests: number;
  /** Tokens of the longest prompt. */
  readonly promptTokens: number;
  /** Absent if the agent did its task. */
  readonly failure?: { readonly problem: string } & Verdict;
}

/**
 * Runs an agent on a task, through the service, with a scripted model that writes its calls as text. `programs` are the
 * folders of the agent's programs.
 */
export async function tryAgent(agent: Agent, programs: readonly string[]): Promise<Outcome> {
  const replies: Reply[] = [];
  const script = scriptFor(agent, (reply) => replies.push(reply));
  const stage = await openStage(agent, { programs, script });
  try {
    let output = '';
    for (const each of stage.scripts) output = await run(each, stage);
    const requests = stage.fake.requests.length;
    const promptTokens = Math.max(0, ...stage.recorder.exchanges.map((each) => each.promptTokens));
    const problem = problemOf(output, readFileSync(join(stage.work, 'kettle.txt'), 'utf8'), requests);
    if (problem === undefined) return { requests, promptTokens };
    return { requests, promptTokens, failure: { problem, ...(await judge(stage.recorder, replies)) } };
  } finally {
    await stage.close();
  }
}

/** Runs a shell script without input and returns what it printed, also if it failed. Ends it after the timeout. */
async function run(script: string, { work, env }: Stage): Promise<string> {
  // The shell gets a process group of its own, so that the timeout ends its child processes, too.
  const child = spawn('sh', ['-ec', script], {
    cwd: work,
    env: { ...env, TERM: 'dumb' },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  const timer = setTimeout(() => child.pid && process.kill(-child.pid, 'SIGKILL'), TIMEOUT_MS);
  const [code, signal] = await once(child, 'close');
  clearTimeout(timer);
  return code === 0 ? output : `${output}\nended with ${code ?? signal}`;
}

function problemOf(output: string, file: string, requests: number): string | undefined {
  const tail = output.trim().slice(-600);
  if (file !== `${after}\n`) return `the file is unchanged: ${tail}`;
  if (!output.includes(answer)) return `the answer is not printed: ${tail}`;
  if (requests > MAX_REQUESTS) return 'more requests than a task of three steps needs';
  return undefined;
}
