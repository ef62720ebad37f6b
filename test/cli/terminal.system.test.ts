import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { startLocalService } from '../../src/cli/session/local-service.js';
import { act, answer, enterKey, escapeKey, scripted, setUp, terminal } from '../support/cli-harness.js';
import { needs } from '../support/needs.js';
import { until } from '../support/until.js';

const files = { 'config.js': 'export const limit = 30;\n' };
const edit = act('edit_file(path="config.js", old_string="30", new_string="40")', 'Raise it.');
const command = (text: string) => act(`run_command(command=${JSON.stringify(text)})`, 'Run it.');

const isAlive = (pid: number): boolean => {
  try {
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
  } catch {
    return false;
  }
};

const { describe: onTerminal } = needs(terminal);

onTerminal('a run on a terminal (rule: terminal)', () => {
  test('approval questions show a preview; allow, edit and deny with a reason have their effect on the file', async () => {
    const bench = await setUp([edit, command('npm test'), command('rm config.js'), answer('Done.')], files);
    const pty = bench.open([...scripted, 'Raise the limit in @config.js']);
    expect(await pty.see('[esc] stop')).toMatch(
      /edit_file needs your approval.*-export const limit = 30;.*\+export const limit = 40;/s,
    );
    pty.type('y');
    await pty.see('always allow exactly run_command(command="npm test")');
    pty.type('e');
    await pty.see('\ncommand: npm test');
    pty.type(`${'\u007f'.repeat('npm test'.length)}echo edited by hand${enterKey}`);
    await pty.see('edited by hand');
    await pty.see('rm config.js');
    pty.type('n');
    await pty.see('Why not?');
    pty.type(`I need that file.${enterKey}`);
    await pty.see('Done.');
    expect(await pty.end).toBe(3);
    expect(readFileSync(join(bench.folder, 'config.js'), 'utf8')).toBe('export const limit = 40;\n');
    expect(bench.prompt(2)).toContain('The user changed the arguments to');
    expect(bench.prompt(3)).toContain('I need that file.');
  }, 40_000);

  test('a terminal that reports 0 columns shows questions and answers as one of 100 columns', async () => {
    const long = `The answer has ${'many words '.repeat(12)}in it.`;
    const bench = await setUp([edit, answer(long)], files);
    const pty = bench.open(scripted, { reportsNoSize: true });
    await pty.onScreen('/help for help');
    pty.type(`Raise it.${enterKey}`);
    await pty.onScreen('edit_file needs your approval', '+export const limit = 40;', '[esc] stop');
    pty.type('y');
    await pty.onScreen(/The answer has (many words ){7}many\n/, 'in it.', 'answered');
    pty.type('\u0004');
    expect(await pty.end).toBe(0);
    expect(readFileSync(join(bench.folder, 'config.js'), 'utf8')).toBe('export const limit = 40;\n');
  }, 40_000);

  test('a question mark alone on the line lists the commands and is sent to no model', async () => {
    const bench = await setUp([answer('Asked.')], files);
    const pty = bench.open(scripted);
    await pty.onScreen('/help for help');
    pty.type(` ? ${enterKey}`);
    await pty.onScreen('/compact', 'shorten the history', 'Ctrl-R');
    expect(bench.provider.requests).toEqual([]);
    pty.type(`? What is this?${enterKey}`);
    await pty.onScreen('Asked.');
    expect(bench.provider.requests).toHaveLength(1);
  }, 40_000);

  test('"always" is stored for this folder in the user configuration, and the question is not repeated', async () => {
    const bench = await setUp([command('echo one'), command('echo two'), answer('Done.')], files);
    const pty = bench.open([...scripted, 'Echo.']);
    await pty.see('always allow exactly run_command(command="echo one")');
    pty.type('a');
    await pty.see('echo two');
    pty.type('n');
    await pty.see('Why not?');
    pty.type(enterKey);
    await pty.end;
    const rules = JSON.parse(
      readFileSync(join(bench.environment['HOME'] ?? '', '.config/stepwise/approvals.json'), 'utf8'),
    );
    expect(rules).toEqual({
      [bench.folder]: [{ type: 'call', tool: 'run_command', args: { command: 'echo one' } }],
    });
    bench.provider.script([command('echo one'), answer('Not asked.')]);
    expect((await bench.run([...scripted, 'Again.'])).stdout).toBe('Not asked.\n');
  }, 40_000);

  test.each([
    ['marked', '\u001b[200~also look at b.js\n\u001b[201~'],
    ['unmarked', 'also look at b.js\r'],
    ['of short lines', 'a\ry\r'],
  ])(
    'a paste (%s) does not answer an approval question (rule: approval)',
    async (_, pasted) => {
      const bench = await setUp([command('echo one'), answer('Done.')], files);
      const pty = bench.open([...scripted, 'Echo.']);
      await pty.see('[esc] stop');
      pty.type(pasted);
      await wait(300); // if the paste answered the question, the command would run within this time
      pty.type(escapeKey);
      expect(await pty.end).toBe(130);
      expect(bench.provider.requests).toHaveLength(1);
      expect(existsSync(join(bench.environment['HOME'] ?? '', '.config/stepwise/approvals.json'))).toBe(
        false,
      );
    },
    30_000,
  );

  test.each([
    ['NO_COLOR', '1', false],
    ['TERM', 'dumb', false],
    ['TERM', 'xterm', true],
  ])(
    'the terminal output with %s=%s has colours: %s',
    async (name, value, hasColours) => {
      const bench = await setUp([answer('**Done.**')]);
      bench.environment[name] = value;
      const pty = bench.open([...scripted, 'Hi.']);
      expect(await pty.end).toBe(0);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: that is how a colour begins
      expect(/\u001b\[(?:[1-9]|[34]\d)m/.test(pty.raw)).toBe(hasColours);
    },
    30_000,
  );

  test.each([
    [{ FORCE_COLOR: '1' }, true],
    [{ FORCE_COLOR: '3', TERM: 'dumb' }, true],
    [{ FORCE_COLOR: '' }, false],
    [{ FORCE_COLOR: '0' }, false],
    [{ FORCE_COLOR: '1', NO_COLOR: '1' }, false],
    [{ FORCE_COLOR: '1', NO_COLOR: '' }, true],
  ])(
    'the piped output with %j has colours: %s',
    async (settings, hasColours) => {
      const bench = await setUp([answer('Done.')]);
      Object.assign(bench.environment, settings);
      const { stdout, stderr } = await bench.run([...scripted, 'Hi.']);
      expect(stderr.includes('\u001b[')).toBe(hasColours);
      expect(stderr).not.toContain('Warning');
      expect(stdout).toBe('Done.\n');
    },
    30_000,
  );

  test.each([
    [{ NO_COLOR: '' }, true],
    [{ NO_COLOR: '1', FORCE_COLOR: '1' }, false],
    [{ FORCE_COLOR: '0' }, false],
  ])(
    'the terminal output with %j has colours: %s',
    async (settings, hasColours) => {
      const bench = await setUp([answer('Done.')]);
      Object.assign(bench.environment, settings);
      const pty = bench.open([...scripted, 'Hi.']);
      expect(await pty.end).toBe(0);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: that is how a colour begins
      expect(/\u001b\[(?:[1-9]|[34]\d)m/.test(pty.raw)).toBe(hasColours);
    },
    30_000,
  );

  test('leaving a session whose run could not be saved prints nothing about saving (rule: saved-runs)', async () => {
    const bench = await setUp([answer('Done.')]);
    bench.environment['XDG_STATE_HOME'] = '/dev/null';
    const pty = bench.open(scripted);
    await pty.see('›');
    pty.type(`Hi.${enterKey}`);
    await pty.see('answered · 1 step');
    pty.type(`/exit${enterKey}`);
    expect(await pty.end).toBe(0);
    expect(pty.shown).toContain('The run cannot be saved:');
    expect(pty.shown).not.toContain('Saved.');
  }, 30_000);

  test('an approval question shows the true command even if earlier output contains escape sequences', async () => {
    const hiding = 'rm -rf src #\u001b[2K\u001b[1G\u009b2J\u202enpm test\u0007';
    const call = `run_command(command=${JSON.stringify(hiding)})`;
    const bench = await setUp([act(call, 'Run it.'), answer('Done.')], files);
    const pty = bench.open([...scripted, 'Test.']);
    await pty.see('run_command needs your approval');
    await pty.see('[esc] stop');
    for (const acting of ['\u001b[2K\u001b[1G\u009b', '\u009b', '\u202e', '\u0007']) {
      expect(pty.raw).not.toContain(acting);
    }
    expect(pty.shown).toContain('rm -rf src #�[2K�[1G�2J�npm test�');
    expect(pty.shown).not.toContain('always allow');
    pty.type('e');
    await pty.see('arguments: {"command":"rm -rf src #\\u001b[2K');
    pty.type(escapeKey);
    await pty.see('[esc] stop');
    pty.type(escapeKey);
    expect(await pty.end).toBe(130);
    expect(pty.raw).not.toContain('\u202e');
  }, 30_000);

  test("/steps and /todo replace escape sequences in the model's texts", async () => {
    const hostile = 'plan \u001b[2J\u009b1G\u202e end';
    const bench = await setUp([
      act(`create_tasks(tasks=[${JSON.stringify(hostile)}])`, hostile),
      answer(hostile),
    ]);
    const pty = bench.open(scripted);
    await pty.see('›');
    pty.type(`Plan.${enterKey}`);
    await pty.see('answered · 2 steps');
    pty.type(`/steps${enterKey}`);
    await pty.see('1. plan �[2J�1G� end');
    pty.type(`/todo${enterKey}`);
    await pty.see('1. plan �[2J�1G� end');
    pty.type(`/exit${enterKey}`);
    expect(await pty.end).toBe(0);
    for (const acting of ['\u001b[2J', '\u009b', '\u202e']) expect(pty.raw).not.toContain(acting);
  }, 30_000);

  test('a long proposed command is shortened, and `v` shows all of it', async () => {
    const long = Array.from({ length: 80 }, (_, index) => `echo line-${index + 1}`).join('\n');
    const bench = await setUp([command(long)], files);
    const pty = bench.open([...scripted, 'Echo.']);
    await pty.see('… 21 more lines');
    await pty.see('[v] view all lines');
    expect(pty.shown).toContain('line-80');
    expect(pty.shown).not.toContain('line-40');
    pty.type('v');
    await pty.see('line-40');
    await pty.see('[esc] stop');
    pty.type(escapeKey);
    expect(await pty.end).toBe(130);
  }, 30_000);

  test('/rules lists the rules of this folder, and /rules remove deletes one (rule: always-rules)', async () => {
    const bench = await setUp([command('npm test'), command('git status'), answer('Done.')], files);
    const pty = bench.open([...scripted]);
    await pty.see('›');
    pty.type(`/rules${enterKey}`);
    await pty.see('There are no always-allow rules for this folder.');
    pty.type(`Test.${enterKey}`);
    await pty.see('[a] always allow exactly run_command(command="npm test")');
    pty.type('a');
    await pty.see('[r] always allow run_command: git status with nothing but');
    pty.type('r');
    await pty.see('Done.');
    pty.type(`/rules${enterKey}`);
    await pty.see('1. exactly run_command(command="npm test")');
    await pty.see('2. run_command: git status with nothing but');
    pty.type(`/rules remove 3${enterKey}`);
    await pty.see('/rules remove N removes one');
    pty.type(`/rules remove 1${enterKey}`);
    await pty.see('Rule removed: exactly run_command(command="npm test")');
    bench.provider.script([command('npm test'), answer('Asked.')]);
    pty.type(`Again.${enterKey}`);
    await pty.see('run_command needs your approval');
    pty.type('y');
    await pty.see('Asked.');
    pty.type('/exit\r');
    expect(await pty.end).toBe(0);
  }, 40_000);

  test('a session reports a service that stopped, and continues', async () => {
    const bench = await setUp([], files);
    const service = await startLocalService(bench.environment);
    const pty = bench.open(['--server', service.url, ...scripted]);
    await pty.see('›');
    await service.close();
    pty.type(`/model other fake${enterKey}`);
    await pty.see('could not be reached');
    pty.type(`/exit${enterKey}`);
    expect(await pty.end).toBe(0);
  }, 20_000);

  test('"Starting" appears at once, and disappears when the service is ready or has failed', async () => {
    const bench = await setUp([answer('Hello.')], files, { inProcess: true });
    const pty = bench.open([...scripted, 'Hi.']);
    await pty.see('Starting… 0s • ctrl-c to leave');
    await pty.see('Hello.');
    expect(await pty.end).toBe(0);
    bench.environment['UPSTREAMS'] = '{';
    const wrong = bench.open([...scripted, 'Hi.']);
    await wrong.see('Starting… 0s • ctrl-c to leave');
    await wrong.see('stepwise: UPSTREAMS: expected a JSON object');
    expect(await wrong.end).toBe(1);
  }, 30_000);

  test('a paste of several lines is one task that waits for Enter', async () => {
    const bench = await setUp([answer('Read.'), answer('Again.')], files);
    const pty = bench.open(scripted);
    await pty.see('›');
    pty.type('Look at this:\u001b[200~\rone\r\u001b[31mtwo\r\u001b[201~');
    await pty.see('two');
    pty.type(`three${enterKey}`);
    await pty.see('Read.');
    expect(bench.prompt(0)).toMatch(/Look at this:\\\\?n?.*one.*two.*three/s);
    pty.type('\u001b[200~one more\rof these\u001b[201~');
    await pty.onScreen('of these');
    pty.type(escapeKey);
    await pty.offScreen('of these');
    pty.type(`/exit${enterKey}`);
    expect(await pty.end).toBe(0);
    expect(bench.provider.requests).toHaveLength(1);
  }, 30_000);

  test('Esc and Ctrl-C clear a line; Ctrl-C twice on an empty line leaves', async () => {
    const bench = await setUp([answer('Hello.')], files);
    const pty = bench.open(scripted);
    await pty.see('›');
    for (const key of [escapeKey, '\u0003']) {
      pty.type('half a task');
      await pty.onScreen('half a task');
      pty.type(key);
      await pty.offScreen('half a task');
    }
    pty.type(`Hi.${enterKey}`);
    await pty.see('Hello.');
    expect(bench.provider.requests).toHaveLength(1);
    expect(bench.prompt(0)).not.toContain('half a task');
    pty.type('\u0003');
    await pty.onScreen('(Ctrl-C again, or Ctrl-D, leaves)');
    pty.type('\u0003');
    expect(await pty.end).toBe(0);
  }, 30_000);

  test('Esc in an approval question stops the run before the call runs', async () => {
    const bench = await setUp([command('touch here')], files);
    const pty = bench.open([...scripted, 'Touch.']);
    await pty.see('[esc] stop');
    pty.type(escapeKey);
    expect(await pty.end).toBe(130);
    expect(existsSync(join(bench.folder, 'here'))).toBe(false);
  }, 30_000);

  test('Esc during a model call closes the request', async () => {
    const bench = await setUp({ text: 'never', delayMs: 60_000 });
    const pty = bench.open([...scripted, 'Think.']);
    await pty.see('Thinking… 1s • esc to interrupt');
    pty.type(escapeKey);
    await pty.see('stopped · 1 step');
    expect(await pty.end).toBe(130);
    await until(() => bench.provider.openSockets() === 0);
  }, 30_000);

  test('Esc during a command ends its whole process group', async () => {
    const bench = await setUp([command('sleep 300 & echo $! > pids; echo $$ >> pids; sleep 300')]);
    const pty = bench.open([...scripted, 'Wait.']);
    await pty.see('[esc] stop');
    pty.type('y');
    await pty.see('Running sleep 300 & echo $! > pids; echo $$ >> pids; sleep 300… 1s');
    const pids = readFileSync(join(bench.folder, 'pids'), 'utf8').trim().split('\n').map(Number);
    expect(pids.filter(isAlive)).toHaveLength(2);
    pty.type(escapeKey);
    expect(await pty.end).toBe(130);
    expect(pids.filter(isAlive)).toEqual([]);
  }, 30_000);

  test('a run shows a question with choices, the TODO list and the token bar', async () => {
    const bench = await setUp([
      act('create_tasks(tasks=["Ask", "Tell"])'),
      act('update_task_status(id=1, status="in_progress")'),
      act('request_input(question="Which one?", choices=["left", "right"])'),
      answer('Right it is.'),
    ]);
    const pty = bench.open([...scripted, 'Ask me.']);
    await pty.see('☐ Ask');
    await pty.see('◐ Ask');
    await pty.see('Which one?');
    await pty.see('[2] right');
    pty.type(`2${enterKey}`);
    await pty.see('Right it is.');
    expect(await pty.end).toBe(0);
    expect(pty.shown).toMatch(/▰+▱+░+ [\d.]+k?\/32k \(\d+%\)/);
    expect(bench.prompt(3)).toContain('right');
  }, 30_000);

  test('the strict strategy shows its phases and ends at the step limit', async () => {
    const block = (value: object) => ({ text: `I see.\n\n\`\`\`json\n${JSON.stringify(value)}\n\`\`\`` });
    const bench = await setUp(
      [
        block({ plan: ['look'], tools_to_consider: ['list_files'], finish: false }),
        act('list_files()'),
        block({ observation: 'a file', should_continue: true, final_answer: null }),
      ],
      files,
    );
    const pty = bench.open([...scripted, '--strategy', 'reason-act-observe', '--max-steps', '1', 'Look.']);
    for (const phase of ['Step 1, reason', 'Step 1, act', 'Step 1, observe']) await pty.see(phase);
    await pty.see('The task could not be finished within the allowed number of steps.');
    await pty.see('step limit · 1 step');
    expect(await pty.end).toBe(2);
  }, 30_000);

  test('an interactive session runs several tasks with one history, slash commands and /quit', async () => {
    const bench = await setUp([answer('Hello.'), answer('Again.')], files);
    const pty = bench.open(scripted);
    await pty.see('›');
    pty.type(`Hi @config.js${enterKey}`);
    await pty.see('Hello.');
    for (const [line, seen] of [
      ['/context', 'Nothing was left out.'],
      ['/todo', 'The TODO list is empty.'],
      ['/steps', 'answered after 1 step'],
      [`/save ${bench.folder}/saved.json`, '/saved.json.'],
      ['/model', 'Model: scripted at fake'],
      ['/model gpt-5.5', 'Key for gpt-5.5'],
    ]) {
      pty.type(`${line}${enterKey}`);
      await pty.see(seen ?? '');
    }
    pty.type(`secret-key-not-shown${enterKey}`);
    await pty.see('Model: gpt-5.5');
    pty.type(`/model scripted fake${enterKey}`);
    await pty.see('Model: scripted at fake');
    pty.type(`And now?${enterKey}`);
    await pty.see('Again.');
    expect(bench.prompt(1)).toContain('Hi @config.js');
    expect(pty.shown).not.toContain('secret-key-not-shown');
    pty.type('/exit\r');
    expect(await pty.end).toBe(0);
  }, 40_000);
});
