import {
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { type ApprovalRule, isAllowed, proposeRules } from '../../src/sdk/actions/approval.js';
import type { Tool, ToolArguments } from '../../src/sdk/actions/define-tool.js';
import { listProcesses, startOf } from '../../src/tools/run/process-table.js';
import { linux } from '../support/need.js';
import { needs } from '../support/needs.js';
import { until } from '../support/until.js';
import { openWorkshop } from '../support/workshop.js';

async function run(command: string, { signal = new AbortController().signal, timeoutMs = 20_000 } = {}) {
  const { folder, call } = await openWorkshop({}, { commandTimeoutMs: timeoutMs });
  return { folder, output: await call('run_command', { command }, signal) };
}

const ended = async (tool: Tool, command: string) =>
  tool.execute({ command }, { signal: new AbortController().signal, callId: 'c' });

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
  } catch {
    return false;
  }
};

/** Waits until the file has this many process ids. */
async function pidsIn(file: string, count = 1): Promise<number[]> {
  const written = () => (existsSync(file) ? readFileSync(file, 'utf8').match(/\d+(?=\n)/g) : null) ?? [];
  await until(() => written().length >= count);
  return written().map(Number);
}

/** Waits until all processes have ended. */
const allGone = (pids: readonly number[]) => until(() => !pids.some(isAlive));

describe('run_command (rule: tool-pack)', () => {
  test('run_command returns the exit code, then output and errors in their original order', async () => {
    expect((await run('echo one; echo two >&2; echo three')).output).toBe('Exit code 0.\none\ntwo\nthree');
  });

  test('run_command reports output while the command runs and never splits a character (rule: run-events)', async () => {
    const { folder, tool } = await openWorkshop();
    const outputs: string[] = [];
    const onOutput = (output: string) => {
      if (outputs.push(output) === 1) writeFileSync(join(folder, 'seen'), '');
    };
    const context = { signal: new AbortController().signal, callId: 'c', onOutput };
    const command = 'printf "one \\xe6\\x97"; while [ ! -e seen ]; do sleep 0.02; done; printf "\\xa5"';
    expect(await tool('run_command').execute({ command }, context)).toBe('Exit code 0.\none 日');
    expect(outputs).toEqual(['one ', '日']);
  });

  test('run_command shows an incomplete character at the end of the output as U+FFFD (rule: command-output)', async () => {
    const { call } = await openWorkshop();
    expect(await call('run_command', { command: "printf 'caf\\xe9'" })).toBe('Exit code 0.\ncaf\uFFFD');
  });

  test('run_command rejects a NUL character in the command', async () => {
    const { call } = await openWorkshop();
    const running = call('run_command', { command: 'echo a\0b' });
    await expect(running).rejects.toThrow('A command cannot contain a NUL character.');
  });

  test('run_command resolves with output and code of a command that fails', async () => {
    expect((await run('echo no; exit 3')).output).toBe('Exit code 3.\nno');
  });

  test('run_command runs bash in the working_dir, and its preview names the folder', async () => {
    const { folder, tool } = await openWorkshop();
    mkdirSync(join(folder, 'sub'));
    const context = { signal: new AbortController().signal, callId: 'c', earlierCallIds: [] };
    const command = '[[ 1 < 2 ]] && pwd';
    expect(await tool('run_command').execute({ command, working_dir: 'sub' }, context)).toBe(
      `Exit code 0.\n${realpathSync(join(folder, 'sub'))}`,
    );
    expect(await tool('run_command').preview?.({ command, working_dir: 'sub' }, context)).toBe(
      `in "sub"\n${command}`,
    );
  });

  test.each([
    'nowhere',
    'README.md',
  ])('run_command and its preview throw a ToolError if working_dir is not a folder: %s', async (working_dir) => {
    const { folder, tool } = await openWorkshop();
    writeFileSync(join(folder, 'README.md'), '');
    const call = [
      { command: 'pwd', working_dir },
      { signal: new AbortController().signal, callId: 'c', earlierCallIds: [] },
    ] as const;
    const error = expect.objectContaining({
      name: 'ToolError',
      message: expect.stringContaining(working_dir),
    });
    await expect(tool('run_command').execute(...call)).rejects.toEqual(error);
    await expect(tool('run_command').preview?.(...call)).rejects.toEqual(error);
  });

  test('run_command keeps the beginning and the end of a large output', async () => {
    const { output } = await run('echo begin; head -c 60000000 /dev/zero | tr "\\0" x; echo; echo end');
    expect(output.length).toBeLessThan(31_000);
    expect(output).toMatch(/^Exit code 0\.\nbegin\nx+\n… \(showing 30000 of 60000011 characters/);
    expect(output).toMatch(/\nend$/);
  });

  test('run_command does not end a command early if its limit is infinite or too large for setTimeout (rule: tool-limits)', async () => {
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
  ])('createToolPack rejects %d as a limit (rule: tool-limits)', async (limit) => {
    for (const name of ['maxLines', 'maxFiles', 'maxMatches', 'commandTimeoutMs']) {
      const refusal = new RegExp(
        `^${name} must be .*a whole number from 1, or Infinity for no limit, not ${limit}`,
      );
      await expect(openWorkshop({}, { [name]: limit })).rejects.toThrow(refusal);
    }
  });

  test('with infinite limits the tools shorten nothing and mention no limit (rule: tool-limits)', async () => {
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

  test('a limit of one line and a time limit of 1 ms take effect and are mentioned (rule: tool-limits)', async () => {
    const shop = await openWorkshop({ 'a.txt': 'one\ntwo\n' }, { maxLines: 1, commandTimeoutMs: 1 });
    expect(shop.tool('run_command').description).toContain('for at most 0.001 seconds');
    expect(await ended(shop.tool('run_command'), 'sleep 300')).toMatchObject({
      success: false,
      error: expect.stringMatching(/^Timed out after 0\.001 s\./),
    });
    expect(await shop.call('read_file', { path: 'a.txt' })).toMatch(/1: one\nshowing 1 of 2 lines/);
  });

  test('a command that reads standard input gets end-of-file at once', async () => {
    expect((await run('cat; read x; echo "[$x]"')).output).toBe('Exit code 0.\n[]');
  });

  test('commands do not inherit model keys (rule: command-safety)', async () => {
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

  test('commands do not inherit a variable that repeats a model key, nor one that contains a given secret (rule: command-safety)', async () => {
    const added = {
      OPENAI_API_KEY: 'sk-canary-repeated',
      MY_GATEWAY: 'https://me:sk-canary-repeated@gateway.example',
      MY_OTHER: 'Bearer sk-canary-entered',
      MY_BASIC: Buffer.from('me:sk-canary-entered').toString('base64'),
      MY_URL: 'https://gateway.example/?key=sk-canary%2Fslash',
      MY_ORDINARY: 'kept-canary',
    };
    Object.assign(process.env, added);
    try {
      const shop = await openWorkshop({}, { secrets: () => ['sk-canary-entered', 'sk-canary/slash'] });
      const output = await shop.call('run_command', { command: 'env' });
      expect(output).toContain('kept-canary');
      expect(output).not.toMatch(/sk-canary|MY_(?!ORDINARY)/);
    } finally {
      for (const name of Object.keys(added)) delete process.env[name];
    }
  });

  const family =
    'sleep 300 & echo $! >> pids; (sleep 300 & echo $! >> pids; wait) & trap "" TERM; echo $$ >> pids; wait';

  test('stopping a command ends its whole process group, even processes that ignore SIGTERM (rule: command-safety)', async () => {
    const { folder, tool } = await openWorkshop();
    const controller = new AbortController();
    const running = (async () =>
      tool('run_command').execute({ command: family }, { signal: controller.signal, callId: 'c' }))();
    const pids = await pidsIn(join(folder, 'pids'), 3);
    expect(pids.filter(isAlive)).toHaveLength(3);
    controller.abort();
    expect(await running).toMatchObject({
      success: false,
      error: expect.stringMatching(/^Interrupted before it was done\./),
    });
    await allGone(pids);
  });

  const { test: onLinux } = needs(linux);

  onLinux.each([
    ['a process in its own session', 'setsid sleep 300 & echo $! >> pids; sleep 300'],
    ['a daemon that forked twice', "(setsid sh -c 'sleep 300 & echo $! >> pids' &); sleep 300"],
    [
      'a daemon of a command of a command',
      'STEPWISE_COMMAND="$STEPWISE_COMMAND inner" sh -c \'(setsid sh -c "sleep 300 & echo \\$! >> pids" &)\'; sleep 300',
    ],
    [
      'a process in its own session without environment',
      'env -i setsid sleep 300 & echo $! >> pids; sleep 300',
    ],
    [
      'a daemon without parent, session, environment, folder and output',
      "(env -i setsid sh -c 'echo $$ >> pids; cd /; exec sleep 300' > /dev/null 2>&1 &); sleep 300",
    ],
    [
      'a session that ignores SIGTERM',
      'setsid sh -c \'trap "" TERM; echo $$ >> pids; while :; do sleep 1; done\' & sleep 300',
    ],
  ])('stopping a command also ends %s (rule: command-safety)', async (_, command) => {
    const { folder, tool } = await openWorkshop();
    const controller = new AbortController();
    const running = (async () =>
      tool('run_command').execute({ command }, { signal: controller.signal, callId: 'c' }))();
    const pids = await pidsIn(join(folder, 'pids'));
    await until(() => pids.filter(isAlive).length === 1);
    controller.abort();
    expect(await running).toMatchObject({
      success: false,
      error: expect.stringMatching(/^Interrupted before it was done\./),
    });
    expect(pids.filter(isAlive)).toEqual([]);
  });

  onLinux('listProcesses omits processes that are older than the command (rule: command-safety)', () => {
    const mark = { word: String(process.env['PATH']), queueLimit: undefined };
    const pids = (since: number) => listProcesses({ ...mark, since }).map(({ pid }) => pid);
    const own = startOf(process.pid);
    expect(pids(own)).toContain(process.pid);
    expect(pids(own + 1)).not.toContain(process.pid);
    expect(startOf(0)).toBe(0);
  });

  onLinux('a daemon that outlives its shell is ended with the command', async () => {
    const { folder, output } = await run(
      "(setsid sh -c 'sleep 300 & echo $! >> pids' &); until [ -s pids ]; do sleep 0.02; done; echo done",
    );
    expect(output).toBe('Exit code 0.\ndone');
    expect((await pidsIn(join(folder, 'pids'))).filter(isAlive)).toEqual([]);
  });

  test('a command that exceeds its time limit is ended, and fails with its output so far', async () => {
    const { tool } = await openWorkshop({}, { commandTimeoutMs: 2_000 });
    expect(await ended(tool('run_command'), 'echo started; sleep 300')).toEqual({
      success: false,
      error: 'Timed out after 2 s. Output so far:\nstarted',
    });
  });

  test('run_command returns the last state of overwritten lines, without colours (rule: command-output)', async () => {
    const bar = 'for i in $(seq 1 20000); do printf "\\rDownloading %d/20000" $i; done';
    const { output } = await run(`printf "\\033[31mred\\033[0m\\n"; ${bar}; echo; echo DONE`);
    expect(output).toBe('Exit code 0.\nred\nDownloading 20000/20000\nDONE');
  });

  test('background processes of a command are ended with it instead of waited for', async () => {
    const { folder, output } = await run('sleep 300 & echo $! > pids; echo done');
    expect(output).toBe('Exit code 0.\ndone');
    await allGone(await pidsIn(join(folder, 'pids')));
  });

  test('run_command reports the signal that ended a command', async () => {
    expect((await run('kill -9 $$')).output).toBe('Ended by SIGKILL.');
  });
});

describe('rules for commands (rule: always-rules)', () => {
  const action = (tool_args: ToolArguments) => ({
    ...{ tool_name: 'run_command', tool_args, raw_action_string: '', id: 'c', requires_approval: true },
  });

  /** Opens a project with a folder, a link to it, and a link that leads outside. */
  async function openProject() {
    const shop = await openWorkshop({ 'src/a.txt': '', 'lib/a.txt': '' });
    symlinkSync('src', join(shop.folder, 'link'));
    symlinkSync(shop.outside, join(shop.folder, 'out'));
    symlinkSync('out', join(shop.folder, 'far'));
    const rulesFor = (args: ToolArguments) =>
      proposeRules({ action: action(args), tool: shop.tool('run_command') });
    const isCovered = async (args: ToolArguments, rules: readonly ApprovalRule[]) =>
      isAllowed({ action: action(args), tool: shop.tool('run_command') }, rules);
    return { ...shop, rulesFor, isCovered };
  }

  test.each([
    'ls out',
    'ls -la src far',
    'ls link/../out',
    'ls src/../out',
    'ls .env',
    'pytest out/test_a.py -q',
  ])('no rule of the command table covers `%s`, which leads outside the folder or to a secret file', async (command) => {
    const { folder, isCovered, rulesFor } = await openProject();
    writeFileSync(join(folder, '.env'), '');
    expect((await rulesFor({ command })).map(({ type }) => type)).toEqual(['call']);
    expect(await isCovered({ command }, await rulesFor({ command: command.replace(/ .*/, '') }))).toBe(false);
  });

  test.each([
    'ls link',
    'ls src/a.txt link',
    'pytest link/test_a.py::test_b -q',
    'python -m pytest src -x',
  ])('a rule of the command table covers `%s`, whose links stay inside the folder', async (command) => {
    const { isCovered, rulesFor } = await openProject();
    const [program = ''] = /^(?:python -m )?\w+/.exec(command) ?? [];
    expect(await isCovered({ command }, await rulesFor({ command: program }))).toBe(true);
  });

  test('an approval remembered for a symlinked working_dir no longer covers the call after the link is changed to another folder', async () => {
    const { folder, isCovered, rulesFor } = await openProject();
    const call = { command: 'make', working_dir: 'link' };
    const rules = await rulesFor(call);
    expect(rules).toEqual([
      { type: 'call', tool: 'run_command', args: { command: 'make', working_dir: 'src' } },
    ]);
    expect(await isCovered(call, rules)).toBe(true);
    rmSync(join(folder, 'link'));
    symlinkSync('lib', join(folder, 'link'));
    expect(await isCovered(call, rules)).toBe(false);
    expect(await isCovered({ command: 'make', working_dir: 'src/' }, rules)).toBe(true);
  });

  test('an approved command does not run if its working_dir has since been linked to another folder (rule: approval)', async () => {
    const { folder, tool } = await openProject();
    const context = { signal: new AbortController().signal, callId: 'c', earlierCallIds: [] };
    const call = { command: 'touch here', working_dir: 'link' };
    expect(await tool('run_command').preview?.(call, context)).toBe('in "src"\ntouch here');
    rmSync(join(folder, 'link'));
    symlinkSync('lib', join(folder, 'link'));
    await expect((async () => tool('run_command').execute(call, context))()).rejects.toThrow(
      'leads to another folder',
    );
    expect(existsSync(join(folder, 'lib/here'))).toBe(false);
  });

  test('the preview shows a working_dir on one quoted line, whatever its name', async () => {
    const { folder, tool } = await openProject();
    const name = 'a"\nrm -rf x\u202e';
    mkdirSync(join(folder, name));
    const context = { signal: new AbortController().signal, callId: 'c', earlierCallIds: [] };
    const preview = await tool('run_command').preview?.({ command: 'ls', working_dir: name }, context);
    expect(preview?.split('\n')).toEqual([`in ${JSON.stringify(name)}`, 'ls']);
  });
});
