import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { listProcesses, startOf } from '../../src/tools/run/process-table.js';
import { linux } from '../support/need.js';
import { needs } from '../support/needs.js';
import { until } from '../support/until.js';
import { openWorkshop } from '../support/workshop.js';

async function run(command: string, { signal = new AbortController().signal, timeoutMs = 20_000 } = {}) {
  const { folder, call } = await openWorkshop({}, { commandTimeoutMs: timeoutMs });
  return { folder, output: await call('run_command', { command }, signal) };
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
  } catch {
    return false;
  }
};

/** Once there are so many. */
async function pidsIn(file: string, count = 1): Promise<number[]> {
  const written = () => (existsSync(file) ? readFileSync(file, 'utf8').match(/\d+(?=\n)/g) : null) ?? [];
  await until(() => written().length >= count);
  return written().map(Number);
}

/** The system takes a moment to end what was killed. */
const allGone = (pids: readonly number[]) => until(() => !pids.some(isAlive));

describe('run_command (rule: tool-pack)', () => {
  test('shows exit code, output and errors in their order', async () => {
    expect((await run('echo one; echo two >&2; echo three')).output).toBe('Exit code 0.\none\ntwo\nthree');
  });

  test('what it says is told while it runs, characters whole (rule: run-events)', async () => {
    const { folder, tool } = await openWorkshop();
    const pieces: string[] = [];
    const onOutput = (piece: string) => {
      if (pieces.push(piece) === 1) writeFileSync(join(folder, 'seen'), '');
    };
    const context = { signal: new AbortController().signal, callId: 'c', onOutput };
    const command = 'printf "one \\xe6\\x97"; while [ ! -e seen ]; do sleep 0.02; done; printf "\\xa5"';
    expect(await tool('run_command').execute({ command }, context)).toBe('Exit code 0.\none 日');
    expect(pieces).toEqual(['one ', '日']);
  });

  test('an exit code other than zero is an observation', async () => {
    expect((await run('echo no; exit 3')).output).toBe('Exit code 3.\nno');
  });

  test('runs in bash, in the project folder or one below', async () => {
    const { folder, tool } = await openWorkshop();
    mkdirSync(join(folder, 'sub'));
    const context = { signal: new AbortController().signal, callId: 'c', earlierCallIds: [] };
    const command = '[[ 1 < 2 ]] && pwd';
    expect(await tool('run_command').execute({ command, working_dir: 'sub' }, context)).toBe(
      `Exit code 0.\n${realpathSync(join(folder, 'sub'))}`,
    );
    expect(await tool('run_command').preview?.({ command, working_dir: 'sub' }, context)).toBe(
      `in sub: ${command}`,
    );
  });

  test.each([
    'nowhere',
    'README.md',
  ])('a working_dir that is no folder is a mistake that the model can mend: %s', async (working_dir) => {
    const { folder, tool } = await openWorkshop();
    writeFileSync(join(folder, 'README.md'), '');
    const call = [
      { command: 'pwd', working_dir },
      { signal: new AbortController().signal, callId: 'c', earlierCallIds: [] },
    ] as const;
    const mistake = expect.objectContaining({
      name: 'ToolError',
      message: expect.stringContaining(working_dir),
    });
    await expect(tool('run_command').execute(...call)).rejects.toEqual(mistake);
    await expect(tool('run_command').preview?.(...call)).rejects.toEqual(mistake);
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

  test.each([
    0,
    -1,
    0.5,
    Number.NaN,
  ])('%d is no limit, and is refused at once (rule: tool-limits)', async (limit) => {
    for (const name of ['maxLines', 'maxFiles', 'maxMatches', 'commandTimeoutMs']) {
      const refusal = new RegExp(
        `^${name} must be .*a whole number from 1, or Infinity for no limit, not ${limit}`,
      );
      await expect(openWorkshop({}, { [name]: limit })).rejects.toThrow(refusal);
    }
  });

  test('without limits nothing is cut, and no description tells of one (rule: tool-limits)', async () => {
    const unlimited = {
      maxLines: Infinity,
      maxFiles: Infinity,
      maxMatches: Infinity,
      commandTimeoutMs: Infinity,
    };
    const lines = 'one line\n'.repeat(600);
    const shop = await openWorkshop({ 'a.txt': lines }, unlimited);
    const names = ['read_file', 'list_files', 'get_file_tree', 'search_code', 'run_command'];
    for (const name of names) expect(shop.tool(name).description).not.toMatch(/Infinity|at most|NaN/);
    expect(await shop.call('read_file', { path: 'a.txt' })).toContain('600: one line');
    expect(await shop.call('search_code', { pattern: 'one' })).toContain('showing 600 of 600 matches');
    expect(await shop.call('run_command', { command: 'echo done' })).toBe('Exit code 0.\ndone');
  });

  test('the smallest limits are kept, and said (rule: tool-limits)', async () => {
    const shop = await openWorkshop({ 'a.txt': 'one\ntwo\n' }, { maxLines: 1, commandTimeoutMs: 1 });
    expect(shop.tool('run_command').description).toContain('for at most 0.001 seconds');
    expect(await shop.call('run_command', { command: 'sleep 300' })).toMatch(/^Ended after 0\.001 seconds/);
    expect(await shop.call('read_file', { path: 'a.txt' })).toMatch(/1: one\nshowing 1 of 2 lines/);
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
    const { folder, tool } = await openWorkshop();
    const controller = new AbortController();
    const running = (async () =>
      tool('run_command').execute({ command: family }, { signal: controller.signal, callId: 'c' }))();
    const pids = await pidsIn(join(folder, 'pids'), 3);
    expect(pids.filter(isAlive)).toHaveLength(3);
    controller.abort();
    expect(await running).toMatch(/^Stopped before it was done\. Output so far:/);
    await allGone(pids);
  });

  const { test: onLinux } = needs(linux);

  onLinux.each([
    ['a session of its own', 'setsid sleep 300 & echo $! >> pids; sleep 300'],
    ['a daemon that forked twice', "(setsid sh -c 'sleep 300 & echo $! >> pids' &); sleep 300"],
    [
      'a daemon of a command of a command',
      'STEPWISE_COMMAND="$STEPWISE_COMMAND inner" sh -c \'(setsid sh -c "sleep 300 & echo \\$! >> pids" &)\'; sleep 300',
    ],
    ['a session without environment', 'env -i setsid sleep 300 & echo $! >> pids; sleep 300'],
    [
      'a daemon without parent, session, environment, folder and output',
      "(env -i setsid sh -c 'echo $$ >> pids; cd /; exec sleep 300' > /dev/null 2>&1 &); sleep 300",
    ],
    [
      'a session that ignores the polite signal',
      'setsid sh -c \'trap "" TERM; echo $$ >> pids; while :; do sleep 1; done\' & sleep 300',
    ],
  ])('on stop %s is gone too (rule: command-safety)', async (_, command) => {
    const { folder, tool } = await openWorkshop();
    const controller = new AbortController();
    const running = (async () =>
      tool('run_command').execute({ command }, { signal: controller.signal, callId: 'c' }))();
    const pids = await pidsIn(join(folder, 'pids'));
    await until(() => pids.filter(isAlive).length === 1);
    controller.abort();
    expect(await running).toMatch(/^Stopped before it was done\. Output so far:/);
    expect(pids.filter(isAlive)).toEqual([]);
  });

  onLinux('what is older than a command is never taken for its own (rule: command-safety)', () => {
    const mark = { word: String(process.env['PATH']), queueLimit: undefined };
    const pids = (since: number) => listProcesses({ ...mark, since }).map(({ pid }) => pid);
    const own = startOf(process.pid);
    expect(pids(own)).toContain(process.pid);
    expect(pids(own + 1)).not.toContain(process.pid);
    expect(startOf(0)).toBe(0);
  });

  onLinux('a daemon that outlived its shell ends with the command', async () => {
    const { folder, output } = await run(
      "(setsid sh -c 'sleep 300 & echo $! >> pids' &); until [ -s pids ]; do sleep 0.02; done; echo done",
    );
    expect(output).toBe('Exit code 0.\ndone');
    expect((await pidsIn(join(folder, 'pids'))).filter(isAlive)).toEqual([]);
  });

  test('when the time is up the group is ended, and the output so far is the observation', async () => {
    const { output } = await run('echo started; sleep 300', { timeoutMs: 2_000 });
    expect(output).toBe('Ended after 2 seconds, before it was done. Output so far:\nstarted');
  });

  test('what is left in the background ends with the command, without waiting for it', async () => {
    const { folder, output } = await run('sleep 300 & echo $! > pids; echo done');
    expect(output).toBe('Exit code 0.\ndone');
    await allGone(await pidsIn(join(folder, 'pids')));
  });

  test('a command that ends itself by a signal is said to', async () => {
    expect((await run('kill -9 $$')).output).toBe('Ended by SIGKILL.');
  });
});
