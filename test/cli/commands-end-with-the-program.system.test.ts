import type { ChildProcess } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import { act, answer, ended, enterKey, scripted, setUp, terminal } from '../support/cli-harness.js';
import { linux } from '../support/need.js';
import { needs } from '../support/needs.js';
import { until } from '../support/until.js';

const stubborn = 'trap "" TERM INT HUP; echo $$ > pid; while :; do sleep 0.2; done';
const plain = 'echo $$ > pid; sleep 300';

const started: number[] = [];
afterEach(() => {
  for (const pid of started.splice(0)) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
});

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0) && !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
  } catch {
    return false;
  }
};

/** Process id of the command's shell, as soon as it runs. */
async function shellIn(folder: string): Promise<number> {
  const file = join(folder, 'pid');
  const read = () => (existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0);
  const pid = await until(read);
  started.push(pid);
  return pid;
}

const untilGone = (pid: number): Promise<boolean> => until(() => !isAlive(pid));

/** Shorter than the 10 s after which the process would exit on its own. */
const BEFORE_GRACE_ENDS_MS = 8_000;

/** Sends a signal until the process has ended, because two signals in quick succession may arrive as one. */
const signalUntilEnd = (child: ChildProcess, signal: NodeJS.Signals): Promise<boolean> =>
  until(() => !child.kill(signal), Boolean, BEFORE_GRACE_ENDS_MS);

const { describe: onLinux } = needs(linux);

onLinux('commands started by the CLI (rule: command-safety)', () => {
  test.each([
    ['SIGHUP once', plain, ['SIGHUP']],
    ['SIGINT twice at once', stubborn, ['SIGINT', 'SIGINT']],
    ['SIGTERM twice at once', stubborn, ['SIGTERM', 'SIGTERM']],
  ] as const)(
    '`stepwise tool` kills its command on %s',
    async (_, command, signals) => {
      const { start, folder } = await setUp([]);
      const child = start(['--yes', 'tool', 'run_command', JSON.stringify({ command })]);
      const end = ended(child);
      const shell = await shellIn(folder);
      const [first, second] = signals;
      child.kill(first);
      if (second) await signalUntilEnd(child, second);
      expect((await end).code).toBe(130);
      await untilGone(shell);
    },
    20_000,
  );

  test('a second signal kills the command of a run at once, without a grace period', async () => {
    const { start, folder } = await setUp([
      act(`run_command(command=${JSON.stringify(stubborn)})`),
      answer('.'),
    ]);
    const child = start([...scripted, '--yes', 'Go.']);
    const end = ended(child);
    const shell = await shellIn(folder);
    child.kill('SIGTERM');
    await signalUntilEnd(child, 'SIGTERM');
    expect((await end).code).toBe(130);
    await untilGone(shell);
  }, 20_000);

  const { test: onTerminal } = needs(terminal);

  onTerminal.each([
    ['a closed terminal', undefined],
    ['SIGTERM', 'SIGTERM'],
  ] as const)(
    'an interactive session kills its command on %s',
    async (_, signal) => {
      const call = act(`run_command(command=${JSON.stringify(`echo $PPID > cli; ${plain}`)})`);
      const bench = await setUp([call, answer('.')]);
      const pty = bench.open(scripted);
      await pty.see('›');
      pty.type(`Go.${enterKey}`);
      await pty.see('[esc] stop');
      pty.type('y');
      const shell = await shellIn(bench.folder);
      const program = Number(readFileSync(join(bench.folder, 'cli'), 'utf8'));
      started.push(program);
      if (signal) process.kill(program, signal);
      else pty.close();
      if (signal) expect(await pty.end).toBe(130);
      await untilGone(shell);
      await untilGone(program);
    },
    30_000,
  );
});
