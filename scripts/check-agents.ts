/**
 * Gives real agents a task, with a scripted model that writes its calls as text, and prints a table. Each agent is set
 * up and started exactly as docs/use-it-with-your-agent.md says. Arguments name the agents to try (default: all).
 * Agents are installed once, in fixed versions, have an empty home folder, and reach only loopback. Exits with 1 if one
 * of them failed, or if too few could be installed.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type Agent, agents } from './agents/agents.js';
import { findIsolation } from './agents/apart.js';
import { install } from './agents/installed.js';
import { type Outcome, tryAgent } from './agents/trial.js';

/** Minimum number of agents that must pass; if fewer are tried, all of them. */
const MIN_AGENTS = 6;
const TRIAL_TIMEOUT_MS = 240_000;
/** First argument that makes this program run one trial and print its outcome as JSON, on the last line. */
const TRIAL = '--trial';

const words = process.argv.slice(2);
if (words[0] === TRIAL) await runTrial(words.slice(1));
else process.exitCode = checkAll(words.map((each) => each.toLowerCase())) ? 0 : 1;

async function runTrial([name, ...programs]: readonly string[]): Promise<void> {
  const agent = agents.find((each) => each.name === name);
  if (agent === undefined) throw new Error(`unknown agent ${name}`);
  console.log(`\n${JSON.stringify(await tryAgent(agent, programs))}`);
}

function checkAll(names: readonly string[]): boolean {
  const unknown = names.filter((name) => agents.every((agent) => agent.name.toLowerCase() !== name));
  if (unknown.length > 0)
    throw new Error(`unknown: ${unknown.join(', ')}; known: ${agents.map(({ name }) => name).join(', ')}`);
  const chosen = agents.filter(({ name }) => names.length === 0 || names.includes(name.toLowerCase()));
  const isolate = findIsolation();
  if (isolate.length === 0)
    console.log('The agents can reach the network here: this machine cannot make a network namespace.');
  const results = chosen.map((agent) => check(agent, isolate));
  const count = (result: Result): number => results.filter((each) => each === result).length;
  console.log(`${count('passed')} passed, ${count('failed')} failed, ${count('not run')} skipped`);
  const enough = count('passed') >= Math.min(MIN_AGENTS, chosen.length);
  if (!enough) console.log(`At least ${Math.min(MIN_AGENTS, chosen.length)} agents must pass.`);
  return enough && count('failed') === 0;
}

type Result = 'passed' | 'failed' | 'not run';

function check(agent: Agent, isolate: readonly string[]): Result {
  const began = Date.now();
  const print = (text: string): void =>
    console.log(
      `${agent.name.padEnd(12)} ${agent.wire.padEnd(10)} ${String(Math.round((Date.now() - began) / 1000)).padStart(4)} s  ${text}`,
    );
  let programs: readonly string[];
  try {
    programs = install(agent);
  } catch (error) {
    print(`not run: it cannot be installed: ${String(error).trim().slice(-600)}`);
    return 'not run';
  }
  const { requests, promptTokens, failure } = runApart([TRIAL, agent.name, ...programs], isolate);
  print(
    failure === undefined
      ? `${requests} requests, up to ${promptTokens} tokens  ok`
      : `${requests} requests  FAILED in the ${failure.at}: ${failure.problem}\n  ${failure.evidence}`,
  );
  return failure === undefined ? 'passed' : 'failed';
}

/** Runs a trial in a process of its own. If the machine allows it, the process has no network but loopback. */
function runApart(trial: readonly string[], isolate: readonly string[]): Outcome {
  const program = [process.execPath, fileURLToPath(import.meta.url), ...trial];
  const { stdout, stderr } = spawnSync('env', [...isolate, ...program], {
    encoding: 'utf8',
    timeout: TRIAL_TIMEOUT_MS,
    maxBuffer: 2 ** 26,
  });
  const last = stdout.trim().split('\n').at(-1) ?? '';
  try {
    return JSON.parse(last);
  } catch {
    throw new Error(`the trial ended without an outcome: ${stderr.slice(-2000)}`);
  }
}
