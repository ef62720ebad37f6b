import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { ProjectRoot } from '../../src/tools/project-root.js';
import { runCommandTool } from '../../src/tools/run/run-command.js';
import { openWorkshop } from '../support/workshop.js';

async function run(command: string, { signal = new AbortController().signal, timeoutMs = 20_000 } = {}) {
  const { folder } = await openWorkshop();
  const tool = runCommandTool(await ProjectRoot.open(folder), timeoutMs);
  return { folder, output: String(await tool.execute({ command }, { signal, callId: 'c' })) };
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
  } catch {
    return false;
  }
};

async function pidsIn(file: string): Promise<number[]> {
  for (let tries = 0; tries < 100 && !existsSync(file); tries++) await wait(20);
  return readFileSync(file, 'utf8').trim().split('\n').map(Number);
}

describe('run_command (rule: tool-pack)', () => {
  test('shows exit code, output and errors in their order', async () => {
    expect((await run('echo one; echo two >&2; echo three')).output).toBe('Exit code 0.\none\ntwo\nthree');
  });

  test('an exit code other than zero is an observation', async () => {
    expect((await run('echo no; exit 3')).output).toBe('Exit code 3.\nno');
  });

  test('runs in bash, in the project folder or one below', async () => {
    const { folder } = await openWorkshop();
    mkdirSync(join(folder, 'sub'));
    const tool = runCommandTool(await ProjectRoot.open(folder));
    const context = { signal: new AbortController().signal, callId: 'c', earlierCallIds: [] };
    const command = '[[ 1 < 2 ]] && pwd';
    expect(await tool.execute({ command, working_dir: 'sub' }, context)).toBe(
      `Exit code 0.\n${realpathSync(join(folder, 'sub'))}`,
    );
    expect(await tool.preview?.({ command, working_dir: 'sub' }, context)).toBe(`in sub: ${command}`);
  });

  test.each([
    'nowhere',
    'README.md',
  ])('a working_dir that is no folder is a mistake that the model can mend: %s', async (working_dir) => {
    const { folder } = await openWorkshop();
    writeFileSync(join(folder, 'README.md'), '');
    const tool = runCommandTool(await ProjectRoot.open(folder));
    const call = [
      { command: 'pwd', working_dir },
      { signal: new AbortController().signal, callId: 'c', earlierCallIds: [] },
    ] as const;
    const mistake = expect.objectContaining({
      name: 'ToolError',
      message: expect.stringContaining(working_dir),
    });
    await expect(tool.execute(...call)).rejects.toEqual(mistake);
    await expect(tool.preview?.(...call)).rejects.toEqual(mistake);
  });

  test('keeps beginning and end of a large output', async () => {
    const { output } = await run('echo begin; head -c 60000000 /dev/zero | tr "\\0" x; echo; echo end');
    expect(output.length).toBeLessThan(31_000);
    expect(output).toMatch(/^Exit code 0\.\nbegin\nx+\n… \(showing 30000 of 60000011 characters/);
    expect(output).toMatch(/\nend$/);
  });

  test('a time limit that no timer of the system can hold is held all the same (rule: tool-limits)', async () => {
    for (const timeoutMs of [3_000_000_000, Infinity]) {
      expect((await run('sleep 0.2; echo done', { timeoutMs })).output).toBe('Exit code 0.\ndone');
    }
    await expect(run('echo', { timeoutMs: Number.NaN })).rejects.toThrow(
      'commandTimeoutMs must be milliseconds',
    );
  });

  test('a command that waits for input gets none', async () => {
    expect((await run('cat; read x; echo "[$x]"')).output).toBe('Exit code 0.\n[]');
  });

  test('model keys are not in its environment (rule: command-safety)', async () => {
    const names = ['STEPWISE_LLM_KEY', 'OPENAI_API_KEY', 'ANTHROPIC_API_KEY'];
    const before = names.map((name) => process.env[name]);
    for (const name of names) process.env[name] = 'sk-canary';
    try {
      expect((await run('env')).output).not.toContain('sk-canary');
    } finally {
      names.forEach((name, index) => {
        if (before[index] === undefined) delete process.env[name];
        else process.env[name] = before[index];
      });
    }
  });

  const family =
    'sleep 300 & echo $! >> pids; (sleep 300 & echo $! >> pids; wait) & trap "" TERM; echo $$ >> pids; wait';

  test('on stop the whole process group is gone, also what ignores the polite signal (rule: command-safety)', async () => {
    const { folder } = await openWorkshop();
    const controller = new AbortController();
    const tool = runCommandTool(await ProjectRoot.open(folder));
    const running = (async () =>
      tool.execute({ command: family }, { signal: controller.signal, callId: 'c' }))();
    await pidsIn(join(folder, 'pids'));
    await wait(100);
    const pids = await pidsIn(join(folder, 'pids'));
    expect(pids.filter(isAlive)).toHaveLength(3);
    controller.abort();
    expect(await running).toMatch(/^Stopped before it was done\. Output so far:/);
    await wait(50);
    expect(pids.filter(isAlive)).toEqual([]);
  });

  const onLinux = process.platform === 'linux' ? test : test.skip;

  onLinux.each([
    ['a session of its own', 'setsid sleep 300 & echo $! >> pids; sleep 300'],
    ['a daemon that forked twice', "(setsid sh -c 'sleep 300 & echo $! >> pids' &); sleep 300"],
    [
      'a daemon of a command of a command',
      'STEPWISE_COMMAND="$STEPWISE_COMMAND inner" sh -c \'(setsid sh -c "sleep 300 & echo \\$! >> pids" &)\'; sleep 300',
    ],
    ['a session without environment', 'env -i setsid sleep 300 & echo $! >> pids; sleep 300'],
    [
      'a session that ignores the polite signal',
      'setsid sh -c \'trap "" TERM; echo $$ >> pids; while :; do sleep 1; done\' & sleep 300',
    ],
  ])('on stop %s is gone too (rule: command-safety)', async (_, command) => {
    const { folder } = await openWorkshop();
    const controller = new AbortController();
    const tool = runCommandTool(await ProjectRoot.open(folder));
    const running = (async () => tool.execute({ command }, { signal: controller.signal, callId: 'c' }))();
    const pids = await pidsIn(join(folder, 'pids'));
    await wait(50);
    expect(pids.filter(isAlive)).toHaveLength(1);
    controller.abort();
    expect(await running).toMatch(/^Stopped before it was done\. Output so far:/);
    expect(pids.filter(isAlive)).toEqual([]);
  });

  onLinux('a daemon that outlived its shell ends with the command', async () => {
    const { folder, output } = await run(
      "(setsid sh -c 'sleep 300 & echo $! >> pids' &); sleep 0.2; echo done",
    );
    expect(output).toBe('Exit code 0.\ndone');
    expect((await pidsIn(join(folder, 'pids'))).filter(isAlive)).toEqual([]);
  });

  test('when the time is up the group is ended, and the output so far is the observation', async () => {
    const { output } = await run('echo started; sleep 300', { timeoutMs: 300 });
    expect(output).toBe('Ended after 0.3 seconds, before it was done. Output so far:\nstarted');
  });

  test('what is left in the background ends with the command, without waiting for it', async () => {
    const { folder, output } = await run('sleep 300 & echo $! > pids; echo done');
    expect(output).toBe('Exit code 0.\ndone');
    await wait(50);
    expect((await pidsIn(join(folder, 'pids')).catch(() => [])).filter(isAlive)).toEqual([]);
  });

  test('a command that ends itself by a signal is said to', async () => {
    expect((await run('kill -9 $$')).output).toBe('Ended by SIGKILL.');
  });
});
