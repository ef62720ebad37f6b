import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { startLocalService } from '../../src/cli/session/local-service.js';
import { newRunFile, savedRunsFolder, saveRun } from '../../src/cli/state/saved-runs.js';
import { turnSchema } from '../../src/contract/history.js';
import type { RunEvent } from '../../src/sdk/run/run-events.js';
import { readTrajectory } from '../../src/sdk/saved/read-trajectory.js';
import { act, answer, ended, scripted, setUp } from '../support/cli-harness.js';
import { linux } from '../support/need.js';
import { needs } from '../support/needs.js';

const files = { 'src/shop.ts': 'export const limit = 30;\n', 'notes.md': 'The secret word is plover.\n' };

describe('exit codes (rule: exit-codes)', () => {
  test.each([
    ['answers', [answer('Thirty.')], [], 0],
    ['reaches the step limit', [act('list_files()'), act('list_files()')], ['--max-steps', '2'], 2],
    ['ends after a denial', [act('run_command(command="ls")'), answer('I was not allowed to.')], [], 3],
    ['needs input', [act('request_input(question="Which?")')], [], 4],
    ['fails', [{ fault: 'quota-exhausted' }], [], 1],
  ] as const)(
    'a run that %s exits with the documented code',
    async (_, script, flags, code) => {
      const bench = await setUp([...script], files);
      const end = await bench.run([...scripted, ...flags, 'What is the limit?']);
      expect({ code: end.code, stderr: end.stderr }).toEqual({ code, stderr: expect.any(String) });
    },
    20_000,
  );

  test('an interrupted run exits with 130', async () => {
    const { start, provider } = await setUp({ text: 'never', delayMs: 60_000 });
    const child = start([...scripted, 'What?']);
    await provider.request(0);
    child.kill('SIGINT');
    expect((await ended(child)).code).toBe(130);
  }, 20_000);

  test.each([
    [['--nope'], 'There is no option --nope.'],
    [['--dir', '/nowhere', 'hi'], 'There is no folder /nowhere.'],
    [['--dir', process.execPath, 'hi'], `${process.execPath} is not a folder.`],
    [['--model', 'gpt-5.5', 'hi'], 'The model gpt-5.5 needs a key: set STEPWISE_LLM_KEY or OPENAI_API_KEY.'],
    [
      ['--model', 'nosuch', 'hi'],
      'If it is served by a configured endpoint, name that with --upstream (openai, ',
    ],
    [['--model', 'm', '--upstream', 'nope', 'hi'], 'There is no endpoint nope; --upstream can be: openai, '],
    [['--file', '../x', 'hi'], 'leads outside the project folder'],
    [['--tools', 'nope.js', 'hi'], 'nope.js cannot be loaded'],
    [['--tools', 'nope.js', 'hi'], 'nope.js cannot be loaded: there is no such file.'],
    [[], 'There is no task. Give one: stepwise "'],
    [['replay'], 'Usage: stepwise replay FILE'],
    [
      ['replay', 'nope.json'],
      'Cannot read the file nope.json. To create such a file, start a run with --save FILE.',
    ],
    [['--resume', 'nope.json', 'hi'], 'Cannot read the file nope.json.'],
    [['--server', 'http://127.0.0.1:9', 'hi'], 'The service at http://127.0.0.1:9 could not be reached'],
  ])(
    'the usage error %j prints one sentence and exits with 1',
    async (args, message) => {
      const { run } = await setUp([]);
      const { code, stderr, stdout } = await run(args);
      expect(stderr).toContain(message);
      expect(stderr).not.toMatch(/^ +at |ENOENT|imported from/m);
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    },
    20_000,
  );
});

describe('the last step (rule: last-iteration)', () => {
  const script = [act('list_files()'), act('read_file(path="notes.md")', 'I want more.')];

  test('--last-step act runs the action of the last step, and the answer says that the task is unfinished', async () => {
    const bench = await setUp(script, files);
    const args = [...scripted, '--max-steps', '2', '--last-step', 'act', 'What is the word?'];
    const { code, stdout, stderr } = await bench.run(args);
    expect(stderr).toContain('The secret word is plover.');
    expect(stdout).toBe('The task could not be finished within the allowed number of steps.\n');
    expect(code).toBe(2);
  }, 20_000);

  test.each([
    [],
    ['--last-step', 'answer'],
  ])('without `--last-step act`, the action of the last step does not run, a warning names the option, and stdout begins with "The step limit was reached": %j', async (...flags) => {
    const bench = await setUp(script, files);
    const { code, stdout, stderr } = await bench.run([...scripted, '--max-steps', '2', ...flags, 'What?']);
    expect(stderr).not.toContain('plover');
    expect(stderr).toMatch(/Warning +The action read_file was not proposed: .*--last-step act/);
    expect(stdout).toBe('The step limit was reached before there was an answer.\n\nI want more.\n');
    expect(code).toBe(2);
  }, 20_000);
});

describe('the strict strategy (rule: strategies)', () => {
  const block = (value: object) => ({ text: `I see.\n\n\`\`\`json\n${JSON.stringify(value)}\n\`\`\`` });

  test('after an unreadable action, the strict strategy repeats the act phase before the observe phase, and --json labels each event with its phase', async () => {
    const bench = await setUp(
      [
        block({ plan: ['look'], tools_to_consider: ['list_files'], finish: false }),
        { text: 'Thought: Now.\nAction: list_files(path="sr' },
        act('list_files()'),
        block({ observation: 'a file', should_continue: false, final_answer: 'Thirty.' }),
      ],
      files,
    );
    const args = [...scripted, '--strategy', 'reason-act-observe', '--json', 'What is the limit?'];
    const { stdout } = await bench.run(args);
    const events = stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as RunEvent);
    const steps = events.filter(({ type }) => !type.endsWith('_delta'));
    expect(steps.map(({ type, phase }) => [type, phase])).toEqual([
      ['agent_start', undefined],
      ['agent_turn_start', 'reason'],
      ['agent_reason', 'reason'],
      ['agent_turn_start', 'act'],
      ['agent_reason', 'act'],
      ['agent_turn_start', 'act'],
      ['agent_reason', 'act'],
      ['tool_start', 'act'],
      ['tool_complete', 'act'],
      ['agent_turn_start', 'observe'],
      ['agent_observe', 'observe'],
      ['agent_completion', undefined],
    ]);
    const deltas = events.filter(({ type }) => type.endsWith('_delta'));
    expect(new Set(deltas.map(({ type, phase }) => `${phase} ${type}`))).toEqual(
      new Set(['reason thought_delta', 'act thought_delta', 'observe draft_delta']),
    );
    expect(bench.prompt(2)).toContain('could not be read');
  }, 20_000);
});

describe('runs in scripts (rule: terminal)', () => {
  test('a run in a pipe prints only the answer to stdout, and the steps to stderr without colours', async () => {
    const { run } = await setUp([act('read_file(path="src/shop.ts")'), answer('Thirty.')], files);
    const { stdout, stderr } = await run([...scripted, 'What is the limit?']);
    expect(stdout).toBe('Thirty.\n');
    expect(stderr).toContain('Action      read_file(path="src/shop.ts")');
    expect(stderr).toContain('1: export const limit = 30;');
    expect(stderr).toMatch(/Budget +▰/);
    expect(stderr).not.toContain('\u001b');
  }, 20_000);

  test('--json prints one event per line to stdout and nothing else; the last one has the result', async () => {
    const { run } = await setUp([act('list_files()'), answer('Two files.')], files);
    const { stdout } = await run([...scripted, '--json', 'What is here?']);
    const events = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(events[0]).toMatchObject({ type: 'agent_start', step: 0 });
    expect(events.at(-1)).toMatchObject({ type: 'agent_completion', result: { answer: 'Two files.' } });
    expect(events.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['tool_start', 'tool_complete', 'agent_observe']),
    );
  }, 20_000);

  test('a run whose step fails prints advice about the error (rule: error-table)', async () => {
    const { run } = await setUp([], files);
    const { code, stderr } = await run(['--token-limit', '100', 'What is the limit?']);
    expect(code).toBe(1);
    expect(stderr).toMatch(/token_budget_exceeded.*\d+ tokens are needed.*Raise --token-limit\./s);
  }, 20_000);

  test('the third path outside the folder ends the run; the model reads the first two errors (rule: tool-pack)', async () => {
    const outside = act('read_file(path="../x")');
    const mended = await setUp([outside, outside, act('read_file(path="notes.md")'), answer('Ok.')], files);
    expect((await mended.run([...scripted, 'Look.'])).code).toBe(0);
    expect(mended.prompt(1)).toContain('leads outside the project folder');
    const ended = await setUp([outside, act('write_file(path="/x", content="")'), outside, answer('No.')]);
    const { code, stderr } = await ended.run([...scripted, '--yes', 'Look.']);
    expect(code).toBe(1);
    expect(stderr).toContain('security_violation');
    expect(ended.provider.requests).toHaveLength(3);
  }, 30_000);

  test('a run without a task argument takes the piped input as its task', async () => {
    const { run, prompt } = await setUp([answer('Yes.')]);
    expect((await run(scripted, 'Is this the task?\n')).stdout).toBe('Yes.\n');
    expect(prompt(0)).toContain('Is this the task?');
  }, 20_000);

  test('a run in a script writes a file only with --yes', async () => {
    const script = [act('write_file(path="new.txt", content="hello\\n")'), answer('Done.')];
    const careful = await setUp(script);
    const shown = await careful.run([...scripted, 'Write.']);
    expect(() => readFileSync(join(careful.folder, 'new.txt'))).toThrow('ENOENT');
    expect(careful.prompt(1)).toContain('Not run: it needs approval, and no person can be asked.');
    expect(shown.stderr).toMatch(/write_file needs your approval.*--- \/dev\/null.*\+hello/s);
    const allowing = await setUp(script);
    expect((await allowing.run([...scripted, '--yes', 'Write.'])).code).toBe(0);
    expect(readFileSync(join(allowing.folder, 'new.txt'), 'utf8')).toBe('hello\n');
  }, 30_000);

  test('a reader that closes stdout early causes no EPIPE error', async () => {
    const { start } = await setUp([answer('x'.repeat(500_000))]);
    const child = start([...scripted, '--json', 'Long?']);
    child.stdout.once('data', () => child.stdout.destroy());
    expect((await ended(child)).stderr).not.toContain('EPIPE');
  }, 20_000);

  test('a reader that closes stdout early stops the run, which is saved (rule: exit-codes)', async () => {
    const { start, folder } = await setUp([act(`run_command(command="sleep 30")`), answer('Ok.')]);
    const file = join(folder, 'run.json');
    const child = start([...scripted, '--yes', '--json', '--save', file, 'Long?']);
    child.stdout.once('data', () => child.stdout.destroy());
    const { code, stderr } = await ended(child);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(readTrajectory(readFileSync(file, 'utf8')).task).toBe('Long?');
  }, 20_000);

  const { test: withFull } = needs({
    name: '/dev/full',
    isMet: existsSync('/dev/full'),
    isOptionalInCi: true,
  });

  withFull(
    'the CLI exits with 1 if its output cannot be written (rule: exit-codes)',
    async () => {
      const { startOnto } = await setUp([answer('Ok.')], files);
      for (const args of [
        [...scripted, 'Hi.'],
        [...scripted, '--json', 'Hi.'],
        ['tool', 'list_files'],
        ['--help'],
      ]) {
        const { code, stderr } = await ended(startOnto('/dev/full', args));
        expect({ args, code }).toEqual({ args, code: 1 });
        expect(stderr).toContain('stepwise: The output could not be written: ');
      }
    },
    30_000,
  );
});

describe('escape sequences in texts (rule: terminal)', () => {
  const hostile = 'red \u001b[31m title \u001b]0;x\u0007 csi \u009b2J bidi \u202e hidden \u200b\u{e0041} end';
  const acting = /[^\P{Cc}\n\t]|[\u202a-\u202e\u200b\u{e0041}]/u;

  test('no escape sequence of a model, tool or file reaches the terminal in runs, replays and tool calls', async () => {
    const script = [
      act(
        'create_tasks(tasks=["' +
          hostile.replaceAll('\u001b', '\\u001b').replaceAll('\u0007', '\\u0007') +
          '"])',
      ),
      act('read_file(path="hostile.txt")', hostile),
      answer(hostile),
    ];
    const bench = await setUp(script, { 'hostile.txt': hostile });
    const file = join(bench.folder, 'run.json');
    const ends = [await bench.run([...scripted, '--verbose', '--save', file, hostile])];
    bench.provider.script(script);
    ends.push(await bench.run([...scripted, '--json', hostile]));
    ends.push(await bench.run(['replay', '--verbose', file]));
    ends.push(await bench.run(['replay', '--json', file]));
    ends.push(await bench.run(['tool', 'read_file', '{"path":"hostile.txt"}']));
    ends.push(await bench.run(['tool', 'read_file', JSON.stringify({ path: hostile })]));
    ends.push(await bench.run(['--dir', hostile, 'hi']));
    for (const { stdout, stderr } of ends) expect(stdout + stderr).not.toMatch(acting);
    expect(ends.map(({ stdout, stderr }) => (stdout + stderr).includes('bidi'))).not.toContain(false);
    expect(JSON.parse(ends[1]?.stdout.trim().split('\n').at(-1) ?? '').result.answer).toBe(hostile);
  }, 60_000);
});

describe('model and key (rule: terminal)', () => {
  test('a run without --model uses the offline model and prints a notice', async () => {
    const { run } = await setUp([], files, { inProcess: true });
    const { code, stderr, stdout } = await run(['What is the limit?']);
    expect(stderr).toContain('No language model is called.');
    expect(stdout).toContain('src/shop.ts');
    expect(code).toBe(0);
  }, 20_000);

  test('the model key goes from the environment to the provider and into no output or saved run', async () => {
    const bench = await setUp([act('run_command(command="env; cat /proc/$PPID/cmdline")'), answer('Ok.')]);
    const key = 'sk-canary-77-plover';
    bench.environment['STEPWISE_LLM_KEY'] = key;
    const file = join(bench.folder, 'run.json');
    const args = ['--model', 'scripted', '--upstream', 'guarded'];
    const end = await bench.run([...args, '--yes', '--verbose', '--save', file, 'Go.']);
    expect(bench.provider.requests[0]?.headers['authorization']).toBe(`Bearer ${key}`);
    expect(end.stdout + end.stderr + readFileSync(file, 'utf8')).not.toContain(key);
    expect(bench.provider.requests.map(({ rawBody }) => rawBody).join()).not.toContain(key);
  }, 20_000);

  test("a vendor's key is not sent to another upstream", async () => {
    const bench = await setUp([answer('Ok.')]);
    bench.environment['OPENAI_API_KEY'] = 'sk-openai-key-1234';
    await bench.run(['--model', 'gpt-5.5', '--upstream', 'fake', 'Hi.']);
    expect(JSON.stringify(bench.provider.requests[0]?.headers)).not.toContain('sk-openai-key-1234');
  }, 20_000);
});

describe('tagged files and pins (rule: terminal)', () => {
  test('contents of @path, --file and --pin are sent with the request', async () => {
    const service = await startLocalService();
    const script = (bench: Awaited<ReturnType<typeof setUp>>) => bench.prompt(0);
    const project = {
      ...files,
      'lib/a.ts': 'const a = 1;',
      '.stepwise/pinned/rules.md': 'Always say please.',
    };
    const local = await setUp([answer('Ok.')], project, { inProcess: true });
    const args = ['--file', 'lib', '--pin', 'rules', 'What is in @notes.md, and what did a@b.c say?'];
    await local.run([...scripted, ...args]);
    for (const text of ['The secret word is plover.', 'const a = 1;', 'Always say please.']) {
      expect(script(local)).toContain(text);
    }
    const remote = await setUp([], project);
    const { stdout } = await remote.run(['--server', service.url, ...args, 'plover?']);
    expect(stdout).toContain('The secret word is plover.');
    await service.close();
  }, 30_000);

  test('--file PATH:2-3 sends only these lines', async () => {
    const { run, prompt } = await setUp([answer('Ok.')], { 'a.txt': 'one\ntwo\nthree\nfour\n' });
    await run([...scripted, 'Look at @a.txt:2-3.']);
    expect(prompt(0)).toContain('two\\nthree');
    expect(prompt(0)).not.toContain('four');
  }, 20_000);
});

describe('model keys (rule: command-safety)', () => {
  const key = 'sk-canary-88-plover';
  const everyEnvironment =
    'pid=$$; while [ "$pid" -gt 1 ]; do echo "process $pid"; tr "\\0" "\\n" < /proc/$pid/environ; ' +
    'pid=$(sed "s/.*) . //" /proc/$pid/stat | cut -d" " -f1); done';
  const { test: onLinux } = needs(linux);

  onLinux(
    'a command of a run finds no model key in its environment or that of its parent processes',
    async () => {
      const bench = await setUp(
        [act(`run_command(command=${JSON.stringify(everyEnvironment)})`), answer('Ok.')],
        {},
        { inProcess: true },
      );
      Object.assign(bench.environment, {
        STEPWISE_LLM_KEY: key,
        OPENAI_API_KEY: `${key}-2`,
        MARKER: 'shown',
      });
      const { stderr } = await bench.run([
        '--model',
        'scripted',
        '--upstream',
        'guarded',
        '--yes',
        '--verbose',
        'Go.',
      ]);
      expect(bench.provider.requests[0]?.headers['authorization']).toBe(`Bearer ${key}`);
      expect(stderr).not.toContain(key);
      expect(stderr.match(/MARKER=shown/g)?.length).toBeGreaterThanOrEqual(2); // once for the command and once for the CLI
      expect(bench.prompt(1)).toContain('MARKER=shown');
      expect(bench.prompt(1)).not.toContain(key);
    },
    20_000,
  );

  onLinux(
    'a command finds no vendor key, even in a variable with a similar name, but finds the vendor URLs',
    async () => {
      const bench = await setUp([]);
      Object.assign(bench.environment, { OPENAI_API_KEY_PROD: key, OPENAI_KEY_2: key, anthropic_key_3: key });
      Object.assign(bench.environment, { OPENAI_UPSTREAM_URL: 'http://127.0.0.1:9/v1' });
      const args = JSON.stringify({ command: everyEnvironment });
      const { stdout } = await bench.run(['--yes', 'tool', 'run_command', args]);
      expect(stdout).toContain('OPENAI_UPSTREAM_URL=');
      expect(stdout).not.toContain(key);
    },
    20_000,
  );

  onLinux(
    'a command of `stepwise tool` finds no model key',
    async () => {
      const bench = await setUp([]);
      Object.assign(bench.environment, { ANTHROPIC_API_KEY: key, MARKER: 'shown' });
      const { stdout } = await bench.run([
        '--yes',
        'tool',
        'run_command',
        JSON.stringify({ command: everyEnvironment }),
      ]);
      expect(stdout).toContain('MARKER=shown');
      expect(stdout).not.toContain(key);
    },
    20_000,
  );
});

describe('saved runs (rule: saved-runs)', () => {
  const script = [act('list_files()', 'Look first.'), answer('Two files.')];

  test('replay prints a run saved with --save like the original run, and parses every completion as before', async () => {
    const bench = await setUp(script, files);
    const file = join(bench.folder, 'run.json');
    const first = await bench.run([...scripted, '--save', file, 'What is here?']);
    const replay = await bench.run(['replay', file]);
    expect(replay.code).toBe(0);
    expect(replay.stderr).toContain('2 of 2 completions are parsed as before.');
    const steps = (text: string) =>
      text.split('\n').filter((line) => !line.includes('completions are parsed'));
    expect(steps(replay.stderr)).toEqual(steps(first.stderr));
    expect(replay.stdout).toBe(first.stdout);
  }, 30_000);

  test('replay reports a completion that is parsed differently now, and exits with 1', async () => {
    const bench = await setUp(script, files);
    const file = join(bench.folder, 'run.json');
    await bench.run([...scripted, '--save', file, 'What is here?']);
    const saved = JSON.parse(readFileSync(file, 'utf8'));
    saved.responses[0].completion_text = 'Thought: Look.\nAction: list_files("src")';
    writeFileSync(file, JSON.stringify(saved));
    const replay = await bench.run(['replay', file]);
    expect(replay.code).toBe(1);
    expect(replay.stderr).toContain('Completion 1 was parsed as list_files(), now as list_files(path="src")');
  }, 30_000);

  test('stepwise eval makes the steps of a run saved with --save again (rule: run-records)', async () => {
    const bench = await setUp(script, files);
    const file = join(bench.folder, 'run.json');
    await bench.run([...scripted, '--save', file, 'What is here?']);
    bench.provider.script(script);
    const { code, stdout } = await bench.run(['eval', file, '--concurrency', '1']);
    expect(stdout).toMatch(/✓ as recorded +2 +0 +0 +0 +0/);
    expect(code).toBe(0);
  }, 30_000);

  test('--resume continues a saved run with its history', async () => {
    const bench = await setUp([...script, answer('As I said.')], files);
    const file = join(bench.folder, 'run.json');
    await bench.run([...scripted, '--save', file, 'What is here?']);
    const { stdout } = await bench.run([...scripted, '--resume', file, 'Again?']);
    expect(stdout).toBe('As I said.\n');
    expect(bench.prompt(2)).toContain('What is here?');
    for (const turn of JSON.parse(readFileSync(file, 'utf8')).history) turnSchema.parse(turn);
  }, 30_000);

  test('search_memory finds a saved run, whose file is readable only by its owner', async () => {
    const state = process.env['XDG_STATE_HOME'];
    const { folder } = await setUp([], files);
    process.env['XDG_STATE_HOME'] = join(folder, 'state');
    try {
      expect(savedRunsFolder('/code/shop')).toMatch(/state\/stepwise\/runs\/shop-[0-9a-f]{12}$/);
      expect(savedRunsFolder('/code/shop')).not.toBe(savedRunsFolder('/home/shop'));
      const bench = await setUp(script, files);
      const file = join(bench.folder, 'run.json');
      await bench.run([...scripted, '--save', file, 'What is here?']);
      const saved = newRunFile(bench.folder, 'What is here?');
      await saveRun(readTrajectory(readFileSync(file, 'utf8')), saved);
      expect(statSync(saved).mode & 0o777).toBe(0o600);
      bench.environment['XDG_STATE_HOME'] = join(folder, 'state');
      const { stdout } = await bench.run(['tool', 'search_memory', '{"query":"what is here"}']);
      expect(stdout).toContain('what-is-here.json\nTask: What is here?\nAnswer: Two files.');
    } finally {
      if (state === undefined) delete process.env['XDG_STATE_HOME'];
      else process.env['XDG_STATE_HOME'] = state;
    }
  }, 30_000);

  test('--resume without a new task continues a run that was stopped during its first model call', async () => {
    const bench = await setUp({ text: 'never', delayMs: 60_000 });
    const file = join(bench.folder, 'run.json');
    const child = bench.start([...scripted, '--save', file, 'What is the limit?']);
    await bench.provider.request(0);
    child.kill('SIGINT');
    expect((await ended(child)).code).toBe(130);
    bench.provider.script([answer('Thirty.')]);
    const { stdout, stderr, code } = await bench.run([...scripted, '--resume', file]);
    expect({ stdout, code, stderr }).toEqual({ stdout: 'Thirty.\n', code: 0, stderr: expect.any(String) });
    expect(bench.prompt(bench.provider.requests.length - 1)).toContain('What is the limit?');
  }, 30_000);

  test('a run that cannot be saved prints its answer and exits with 1', async () => {
    const { run } = await setUp([answer('Ok.')]);
    const { code, stdout, stderr } = await run([...scripted, '--save', '/dev/null/run.json', 'Hi.']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: 'Ok.\n' });
    expect(stderr).toContain('The run could not be saved');
  }, 20_000);
});

describe('tools (rule: tool-pack)', () => {
  test('`stepwise tool` runs one tool without a model', async () => {
    const { run } = await setUp([], files);
    expect(await run(['tool', 'search_code', '{"pattern":"limit"}'])).toEqual({
      code: 0,
      stdout: 'src/shop.ts:1: export const limit = 30;\nshowing 1 of 1 matches\n',
      stderr: '',
    });
    expect((await run(['tool', 'read_file', '{"path":"/etc/passwd"}'])).code).toBe(1);
    expect((await run(['tool', 'read_file', '{"path":7}'])).stderr).toContain('must be of type string');
    expect((await run(['tool', 'read_file', '[]'])).stderr).toContain('are a JSON object');
    expect((await run(['tool', 'nope'])).stderr).toContain(
      'There is no tool nope. Available tools: search_code',
    );
  }, 30_000);

  test('`stepwise tool` in a script runs a tool that needs approval only with --yes, and otherwise shows the call', async () => {
    const { run, folder } = await setUp([], files);
    const call = ['tool', 'write_file', '{"path":"new.txt","content":"hello\\n"}'];
    const refused = await run(call);
    expect(refused.code).toBe(3);
    expect(refused.stderr).toMatch(/--- \/dev\/null.*\+hello.*Not run.*--yes/s);
    expect(() => readFileSync(join(folder, 'new.txt'))).toThrow('ENOENT');
    expect((await run(['--yes', ...call])).stdout).toBe('Created new.txt: 1 lines.\n');
  }, 20_000);

  test('flags change the limits of the tools (rule: tool-limits)', async () => {
    const { run } = await setUp([], { 'a.txt': 'x\n'.repeat(9), 'b.txt': 'x\n' });
    const stdoutOf = async (...args: string[]) => (await run(['--yes', ...args])).stdout;
    expect(await stdoutOf('tool', 'read_file', '{"path":"a.txt"}', '--max-lines', '2')).toContain(
      'showing 2 of 9 lines; go on with start_line=3',
    );
    expect(await stdoutOf('tool', 'list_files', '--max-files', '1')).toContain('showing 1 of 2 files');
    expect(await stdoutOf('tool', 'search_code', '{"pattern":"x"}', '--max-matches', '3')).toContain(
      'showing 3 of 10 matches',
    );
    const late = ['--yes', 'tool', 'run_command', '{"command":"sleep 20"}', '--command-timeout', '1'];
    expect(await run(late)).toMatchObject({ code: 1, stdout: '', stderr: 'Timed out after 1 s.\n' });
  }, 30_000);

  test.each([
    [
      'edit_file',
      '{"path":"gone","old_string":"a","new_string":"b"}',
      'There is no readable file or folder at "gone".\n',
    ],
    [
      'run_command',
      '{"command":"ls","working_dir":"gone"}',
      'There is no readable file or folder at "gone".\n',
    ],
    ['write_file', '{"path":"../x","content":"a"}', 'The path "../x" leads outside the project folder.\n'],
  ])(
    '`stepwise tool %s` in a script prints why a call cannot be previewed, without a stack trace',
    async (name, args, stderr) => {
      const { run } = await setUp([], files);
      expect(await run(['tool', name, args])).toEqual({ code: 1, stdout: '', stderr });
    },
    20_000,
  );

  test.each([
    ["import x from 'no-such-package';", 'tools.mjs imports no-such-package, which is not installed.'],
    ["import './gone.mjs';", 'gone.mjs, which does not exist.'],
    ["import './c.cjs';", 'c.cjs imports no-such-package, which is not installed.'],
    ["import { nope } from 'node:fs';", "does not provide an export named 'nope'. `node "],
    ['export const tools = [', 'Unexpected end of input. `node '],
    ["\nthrow new Error('No weather.');", '/tools.mjs:2:'],
    ['throw 3;', 'it throws 3.'],
  ])('--tools explains why a module cannot be loaded: %s', async (module, message) => {
    const modules = { 'tools.mjs': module, 'c.cjs': "require('no-such-package');" };
    const { run, folder } = await setUp([], modules);
    const { code, stderr } = await run(['tool', 'list_files', '--tools', join(folder, 'tools.mjs')]);
    expect(code).toBe(1);
    expect(stderr).toContain(`The module ${folder}/tools.mjs cannot be loaded: `);
    expect(stderr).toContain(message);
  });

  test('--tools adds the tools of a module', async () => {
    const module = `export const tools = [{ name: 'weather', description: 'Weather.',
      inputSchema: { type: 'object', properties: { city: { type: 'string' } } }, execute: ({ city }) => city + ': sun' }];`;
    const bench = await setUp([act('weather(city="Bern")'), answer('Sun.')], { 'weather.mjs': module });
    const { stderr } = await bench.run([
      ...scripted,
      '--tools',
      join(bench.folder, 'weather.mjs'),
      'Weather?',
    ]);
    expect(stderr).toContain('Observation Bern: sun');
  }, 20_000);
});
