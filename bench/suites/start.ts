import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { atMost, type Figure } from '../figures.js';
import { type BenchOptions, interleave } from '../measure/rounds.js';

const REST_MS = 10_000;
const ROUNDS = 11;

interface Command {
  readonly arguments: readonly string[];
  /** Output for which to wait. Default: any output. */
  readonly until?: RegExp;
}

const service = ['dist/service/main.js'];
const cli = ['dist/cli/main.js'];
const commands = {
  node: { arguments: ['-e', 'console.log(0)'] },
  service: { arguments: service, until: /listens on/ },
  help: { arguments: [...cli, '--help'] },
  tool: { arguments: [...cli, 'tool', 'list_files', '--dir', 'examples/shop'] },
  task: { arguments: [...cli, '--dir', 'examples/shop', 'Where is the total of a cart computed?'] },
} satisfies Record<string, Command>;

/**
 * Measures the time from the start of a process to its first output, in comparison with a Node process that does
 * nothing, and the memory at rest.
 */
export async function run({ quick }: BenchOptions): Promise<Figure[]> {
  execFileSync('npm', ['run', '-s', 'build'], { stdio: 'inherit' });
  const home = mkdtempSync(join(tmpdir(), 'stepwise-bench-'));
  const names = Object.keys(commands) as (keyof typeof commands)[]; // `commands` has no other keys.
  const ms = await interleave(names, quick ? 1 : ROUNDS, (name) => firstOutputMs(commands[name], home));
  const memory = await memoryAtRest(home, quick ? 100 : REST_MS);
  rmSync(home, { recursive: true });
  const inMs = { unit: 'ms', digits: 0 };
  const inMegabytes = { unit: 'MB', digits: 0 };
  return [
    { what: 'start of the service to listening', ...inMs, measured: atMost(300, ms.service) },
    { what: 'memory of the service, started', ...inMegabytes, measured: atMost(90, [memory.started]) },
    { what: 'memory of the service, 10 s later', ...inMegabytes, measured: atMost(90, [memory.rested]) },
    { what: 'start of the CLI to first output: --help', ...inMs, measured: atMost(400, ms.help) },
    { what: 'start of the CLI to first output: a tool', ...inMs, measured: atMost(400, ms.tool) },
    { what: 'start of the CLI to first output: a task, offline', ...inMs, measured: atMost(400, ms.task) },
    { what: 'start of Node to first output', ...inMs, measured: { samples: ms.node } },
  ];
}

/**
 * Starts the command with an empty home folder, so that it neither reads nor writes files of the person who runs
 * the benchmark.
 */
function start({ arguments: given }: Command, home: string) {
  const env = { PATH: process.env['PATH'], HOME: home, PORT: '0', NO_COLOR: '1' };
  return spawn(process.execPath, given, { env, stdio: ['ignore', 'pipe', 'pipe'] });
}

async function firstOutputMs(command: Command, home: string): Promise<number> {
  const begun = performance.now();
  const child = start(command, home);
  await outputOf(child, command.until ?? /./);
  const ms = performance.now() - begun;
  child.kill('SIGKILL');
  await once(child, 'close');
  return ms;
}

async function outputOf({ stdout, stderr }: ReturnType<typeof start>, until: RegExp): Promise<void> {
  let output = '';
  await new Promise<void>((resolve) => {
    for (const stream of [stdout, stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        output += text;
        if (until.test(output)) resolve();
      });
    }
  });
}

async function memoryAtRest(home: string, restMs: number): Promise<Record<'started' | 'rested', number>> {
  const child = start(commands.service, home);
  await outputOf(child, commands.service.until);
  const started = await residentMegabytes(child.pid);
  await sleep(restMs);
  const rested = await residentMegabytes(child.pid);
  child.kill('SIGKILL');
  return { started, rested };
}

async function residentMegabytes(pid = 0): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1_000;
}
