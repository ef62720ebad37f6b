import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
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

/** The command's shell, once it runs. */
async function shellIn(folder: string): Promise<number> {
  const file = join(folder, 'pid');
  const read = () => (existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0);
  const pid = await until(read);
  started.push(pid);
  return pid;
}

/** Resolves to true when the process has ended. */
const isGone = (pid: number): Promise<boolean> => until(() => !isAlive(pid));

const { describe: onLinux } = needs(linux);

onLinux('no command outlives the program (rule: command-safety)', () => {
  test.each([
    ['SIGHUP once', plain, ['SIGHUP']],
    ['SIGINT twice at once', stubborn, ['SIGINT', 'SIGINT']],
    ['SIGTERM twice at once', stubborn, ['SIGTERM', 'SIGTERM']],
  ] as const)(
    '`stepwise tool`: %s',
    async (_, command, signals) => {
      const { start, folder } = await setUp([]);
      const child = start(['--yes', 'tool', 'run_command', JSON.stringify({ command })]);
      const end = ended(child);
      const shell = await shellIn(folder);
      for (const signal of signals) {
        child.kill(signal);
        await wait(50);
      }
      const { code } = await end;
      expect({ code, gone: await isGone(shell) }).toEqual({ code: 130, gone: true });
    },
    20_000,
  );

  test('a run: a second signal does not wait for the command, and kills it', async () => {
    const { start, folder } = await setUp([
      act(`run_command(command=${JSON.stringify(stubborn)})`),
      answer('.'),
    ]);
    const child = start([...scripted, '--yes', 'Go.']);
    const end = ended(child);
    const shell = await shellIn(folder);
    child.kill('SIGTERM');
    await wait(50);
    child.kill('SIGTERM');
    expect({ code: (await end).code, gone: await isGone(shell) }).toEqual({ code: 130, gone: true });
  }, 20_000);

  const { test: onTerminal } = needs(terminal);

  onTerminal.each([
    ['the terminal is closed', undefined],
    ['SIGTERM', 'SIGTERM'],
  ] as const)(
    'interactive: %s',
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
      expect([await isGone(shell), await isGone(program)]).toEqual([true, true]);
    },
    30_000,
  );
});
