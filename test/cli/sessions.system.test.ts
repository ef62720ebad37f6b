import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { portable } from '../../src/cli/context/mentions.js';
import { turnSchema } from '../../src/contract/history.js';
import { act, answer, type Bench, enterKey, scripted, setUp, terminal } from '../support/cli-harness.js';
import { needs } from '../support/needs.js';
import { until } from '../support/until.js';

const files = { 'a.txt': 'alpha\n', 'src/main.ts': 'export const x = 1;\n' };

/** Returns the saved runs of the folder, oldest first. */
function savedRuns({ environment }: Bench): string[] {
  const runs = join(environment['HOME'] ?? '', '.local/state/stepwise/runs');
  const [folder = ''] = readdirSync(runs);
  return readdirSync(join(runs, folder))
    .sort()
    .map((name) => join(runs, folder, name));
}

describe('saved runs (rule: saved-runs)', () => {
  test('--continue continues a run whose process was killed', async () => {
    const bench = await setUp([act('read_file(path="a.txt")'), { text: 'never', delayMs: 60_000 }], files);
    const child = bench.start([...scripted, 'What is in a.txt?']);
    await bench.provider.request(1);
    child.kill('SIGKILL');
    await once(child, 'close');
    const [file = ''] = savedRuns(bench);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(bench.folder).sort()).toEqual(['a.txt', 'src']);
    bench.provider.script([answer('Alpha, as I saw.')]);
    const { stdout, stderr, code } = await bench.run(['--continue', 'Well?']);
    expect({ stdout, code }).toEqual({ stdout: 'Alpha, as I saw.\n', code: 0 });
    expect(stderr).toContain('Continuing: What is in a.txt?');
    const prompt = bench.prompt(bench.provider.requests.length - 1);
    for (const said of ['What is in a.txt?', 'alpha', 'Well?']) expect(prompt).toContain(said);
    for (const turn of JSON.parse(readFileSync(file, 'utf8')).history) turnSchema.parse(turn);
  }, 30_000);

  test('after the process was killed during a command, the model reads that the outcome of the command is unknown', async () => {
    const bench = await setUp([act('run_command(command="echo 1 >> ran; sleep 30")')], files);
    const child = bench.start([...scripted, '--yes', 'Run it.']);
    await until(() => existsSync(join(bench.folder, 'ran')));
    child.kill('SIGKILL');
    await once(child, 'close');
    bench.provider.script([answer('I looked first.')]);
    expect(await bench.run(['--continue', 'Go on.'])).toMatchObject({ stdout: 'I looked first.\n', code: 0 });
    const prompt = bench.prompt(1);
    expect(prompt).toContain('This call was started and its outcome is unknown');
    expect(prompt).not.toContain('This call was not run');
  }, 30_000);

  test('a run of the strict strategy that is killed in its observe phase keeps the results of the act phase', async () => {
    const reason = {
      text: 'I look.\n\n```json\n{"plan": ["read"], "tools_to_consider": [], "finish": false}\n```',
    };
    const script = [reason, act('read_file(path="a.txt")'), { text: 'never', delayMs: 60_000 }];
    const bench = await setUp(script, files);
    const child = bench.start([...scripted, '--strategy', 'reason-act-observe', 'What is in a.txt?']);
    await bench.provider.request(2);
    child.kill('SIGKILL');
    await once(child, 'close');
    const [file = ''] = savedRuns(bench);
    const { history } = JSON.parse(readFileSync(file, 'utf8'));
    expect(history.at(-1)).toMatchObject({ role: 'tool_observation', toolResult: { success: true } });
    expect(history.at(-1).content).toContain('alpha');
  }, 30_000);

  test('--resume accepts an id or its beginning, and reports a run that does not exist', async () => {
    const bench = await setUp([answer('One.'), answer('Two.'), answer('Three.')], files);
    await bench.run([...scripted, 'The first task']);
    await bench.run([...scripted, 'The second task']);
    const [first = ''] = savedRuns(bench).map((file) => file.replace(/^.*\/|\.json$/g, ''));
    expect(first).toMatch(/^\d{4}-.*-the-first-task$/);
    const { stdout } = await bench.run(['--resume', first, 'Again']);
    expect(stdout).toBe('Three.\n');
    expect(bench.prompt(2)).toContain('The first task');
    expect(bench.prompt(2)).not.toContain('The second task');
    expect((await bench.run(['-r', '20', 'x'])).stderr).toContain('20 matches several runs:');
    expect((await bench.run(['-r', 'nope', 'x'])).stderr).toContain(
      'There is no saved run nope of this folder',
    );
    expect((await bench.run(['-c', '-r', first, 'x'])).stderr).toContain('not both');
  }, 30_000);

  test('--continue reports that no run is saved; a run that cannot be saved still prints its answer', async () => {
    const bench = await setUp([answer('Hello.')], files);
    expect(await bench.run(['-c', 'x'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('There is no saved run of this folder to continue.'),
    });
    bench.environment['XDG_STATE_HOME'] = '/dev/null';
    const { stdout, stderr, code } = await bench.run([...scripted, 'Hi.']);
    expect({ stdout, code }).toEqual({ stdout: 'Hello.\n', code: 0 });
    expect(stderr.match(/The run cannot be saved:/g)).toHaveLength(1);
  }, 30_000);

  test('search_memory does not find the run that calls it', async () => {
    const bench = await setUp([act('search_memory(query="discount")'), answer('Nothing.')], files);
    await bench.run([...scripted, 'Where was the discount?']);
    expect(bench.prompt(1)).toContain('No earlier run matches the query.');
  }, 30_000);
});

describe('context of a run (rule: terminal)', () => {
  test('a run sends AGENTS.md, cut to a share of the token limit, and prints how many lines were read', async () => {
    const rules = Array.from({ length: 400 }, (_, index) => `Rule ${index + 1}: keep lines short and true.`);
    const bench = await setUp([answer('Yes.'), answer('Yes.')], { ...files, 'AGENTS.md': rules.join('\n') });
    const { stderr } = await bench.run([...scripted, 'Do you know the rules?']);
    const [, count] = /AGENTS.md is read: (\d+) of 400 lines, as many as fit/.exec(stderr) ?? [];
    expect(Number(count)).toBeGreaterThan(100);
    expect(bench.prompt(0)).toContain(`Rule ${count}: keep`);
    expect(bench.prompt(0)).not.toContain(`Rule ${Number(count) + 1}: keep`);
    expect(bench.prompt(0)).toContain(`AGENTS.md was cut: ${count} of 400 lines`);
    const small = await bench.run([...scripted, '--token-limit', '4000', 'And now?']);
    expect(small.code).toBe(0);
  }, 30_000);

  test('piped input is context if a task is given, and otherwise is the task', async () => {
    const bench = await setUp([answer('A.'), answer('B.'), answer('C.')], files);
    await bench.run([...scripted, 'What failed?'], 'ZeroDivisionError: division by zero\n');
    expect(bench.prompt(0)).toMatch(/stdin.*ZeroDivisionError: division by zero/s);
    expect(bench.prompt(0)).toContain('What failed?');
    await bench.run(scripted, 'Say B.\n');
    expect(bench.prompt(1)).toContain('Say B.');
    expect((await bench.run([...scripted, 'x'], 'PK\u0000\u0001')).stderr).toContain('is not text');
  }, 30_000);

  test('a run with a task does not wait for a pipe without data', async () => {
    const bench = await setUp([answer('Hello.')], files);
    const child = bench.start([...scripted, 'Hi.']);
    const output: string[] = [];
    child.stdout.on('data', (chunk) => output.push(String(chunk)));
    child.stderr.on('data', (chunk) => output.push(String(chunk)));
    await new Promise((resolve) => child.once('close', resolve));
    expect(output.join('')).toContain('No data arrived on standard input within 3 s; continuing without it.');
    expect(output.join('')).toContain('Hello.');
  }, 30_000);

  test('a missing @path is reported with the nearest existing name', async () => {
    const bench = await setUp([answer('A.'), answer('B.')], files);
    const wrong = await bench.run([...scripted, 'Read @src/mian.ts, and @lib/nothing.js of @types/node']);
    expect(wrong.stderr).toContain(
      'There is no readable file "src/mian.ts" in this folder. Did you mean @src/main.ts?',
    );
    expect(wrong.stderr).toContain('There is no readable file "lib/nothing.js" in this folder.\n');
    const elsewhere = await bench.run([...scripted, 'Read @main.ts']);
    expect(elsewhere.stderr).toContain('Did you mean @src/main.ts?');
  }, 30_000);
});

test('a path with backslashes is converted on Windows only', () => {
  expect(portable('src\\cli\\main.ts', 'win32')).toBe('src/cli/main.ts');
  expect(portable('a\\b', 'linux')).toBe('a\\b');
});

const { describe: onTerminal } = needs(terminal);

onTerminal('a session at a terminal (rule: terminal)', () => {
  test('a line with a mistyped @path returns for correction, and a second Enter sends it unchanged', async () => {
    const bench = await setUp([answer('Read.'), answer('As it is.')], files);
    const pty = bench.open(scripted);
    await pty.onScreen('›');
    pty.type(`Look at @src/mian.ts${enterKey}`);
    await pty.onScreen('Did you mean @src/main.ts?');
    expect(bench.provider.requests).toHaveLength(0);
    pty.type(`${'\u007f'.repeat(7)}main.ts${enterKey}`);
    await pty.onScreen('Read.');
    expect(bench.prompt(0)).toContain('export const x = 1;');
    pty.type(`Once more @src/mian.ts${enterKey}`);
    await pty.onScreen('Did you mean @src/main.ts?');
    pty.type(enterKey);
    await pty.onScreen('As it is.');
    pty.type('\u0004');
    expect(await pty.end).toBe(0);
  }, 30_000);

  test('leaving a session prints how to continue its run, and --continue continues it', async () => {
    const bench = await setUp([answer('One.'), answer('Two.')], files);
    const pty = bench.open(scripted);
    await pty.onScreen('›');
    pty.type(`Remember the number 41${enterKey}`);
    await pty.onScreen('One.');
    pty.type('\u0003');
    await pty.onScreen('(Ctrl-C again, or Ctrl-D, leaves)');
    pty.type('\u0003');
    expect(await pty.end).toBe(0);
    expect(pty.shown).toMatch(
      /Saved\. stepwise --continue goes on from here, --resume\s+\S+-remember-the-number-41 at/,
    );
    const again = bench.open(['--continue']);
    await again.onScreen('Continuing: Remember the number 41');
    again.type(`What was it?${enterKey}`);
    await again.onScreen('Two.');
    expect(bench.prompt(1)).toContain('Remember the number 41');
    again.type('\u0004');
    expect(await again.end).toBe(0);
  }, 30_000);

  test('keys typed during the start appear in the input line, and Enter sends them', async () => {
    const bench = await setUp([answer('One.')], files, { inProcess: true });
    const pty = bench.open(scripted);
    pty.type(`typed ahead${enterKey}and more`);
    await pty.onScreen('One.');
    await pty.onScreen('› and more');
    expect(bench.prompt(0)).toContain('typed ahead');
    expect(bench.prompt(0)).not.toContain('and more');
  }, 30_000);

  test('a terminal without cursor movement (TERM=dumb) accepts and corrects a line', async () => {
    const bench = await setUp([answer('One.'), answer('Two.')], files);
    bench.environment['TERM'] = 'dumb';
    const pty = bench.open(scripted);
    await pty.onScreen('›');
    pty.type('Hellp');
    await pty.onScreen('› Hellp');
    pty.type(`\u007fo${enterKey}`);
    await pty.onScreen('One.');
    pty.type(`Again${enterKey}`);
    await pty.onScreen('Two.');
    pty.type('\u0004');
    expect(await pty.end).toBe(0);
    expect(bench.prompt(0)).toContain('Hello');
    expect(pty.shown.match(/› Hello/g)).toHaveLength(1);
    // Only colours are allowed: nothing moves the cursor or erases.
    expect(pty.raw.split('\u001b[').slice(1)).toEqual(
      expect.not.arrayContaining([expect.not.stringMatching(/^\d+m/)]),
    );
  }, 30_000);

  test('an empty line sends no request', async () => {
    const bench = await setUp([answer('One.')], files);
    const pty = bench.open(scripted);
    const before = await pty.onScreen('›');
    pty.type(`${enterKey}  ${enterKey}${enterKey}x`);
    const screen = await pty.onScreen('› x');
    expect(screen).toBe(before.trimEnd().replace(/›$/, '› x'));
    expect(bench.provider.requests).toHaveLength(0);
  }, 30_000);

  test('a line typed during a run is queued and shown, runs afterwards, and ↑ takes it back', async () => {
    const bench = await setUp([{ ...answer('One.'), delayMs: 5_000 }, answer('Two.')], files);
    const pty = bench.open(scripted);
    await pty.onScreen('›');
    pty.type(`First${enterKey}`);
    await pty.onScreen('Thinking');
    pty.type(`Second${enterKey}`);
    await pty.onScreen('queued: Second');
    pty.type('\u001b[A');
    await pty.onScreen('› Second');
    pty.type(`, please${enterKey}`);
    await pty.onScreen('queued: Second, please');
    await pty.onScreen('Two.');
    expect(bench.prompt(1)).toContain('Second, please');
    expect(bench.provider.requests).toHaveLength(2);
  }, 30_000);

  test('letters of a line being typed do not answer an approval question', async () => {
    const bench = await setUp([
      { ...act('run_command(command="touch ran")'), delayMs: 5_000 },
      answer('Not run.'),
      answer('Yes.'),
    ]);
    const pty = bench.open(scripted);
    await pty.onScreen('›');
    pty.type(`Go${enterKey}`);
    await pty.onScreen('Thinking');
    pty.type('yes and th');
    await pty.onScreen('(finish the line below first: Enter, or Ctrl-C to drop it)');
    pty.type('ey');
    await pty.onScreen('› yes and they');
    pty.type(enterKey);
    await pty.offScreen('(finish the line below first');
    pty.type('n');
    await pty.onScreen('Why not?');
    pty.type(enterKey);
    await pty.onScreen('Yes.');
    expect(readdirSync(bench.folder)).toEqual([]);
  }, 30_000);

  test('a task over the token limit is not kept in the history, so the next task and --continue work', async () => {
    const bench = await setUp([answer('One.'), answer('Two.')], files);
    const args = [...scripted, '--token-limit', '6000'];
    const pty = bench.open(args);
    await pty.onScreen('›');
    pty.type(`\u001b[200~${'A line of a log that is long.\n'.repeat(2_000)}\u001b[201~${enterKey}`);
    await pty.onScreen('The task was refused and is not part of the conversation.');
    pty.type(`Short${enterKey}`);
    await pty.onScreen('One.');
    expect(bench.prompt(0)).not.toContain('A line of a log');
    pty.type(`/compact${enterKey}`);
    await pty.onScreen('The history is already short');
    pty.type('\u0004');
    expect(await pty.end).toBe(0);
    const long = 'Another line of that log.\n'.repeat(2_000);
    expect((await bench.run([...args, '--continue'], long)).stderr).toContain('token_budget_exceeded');
    expect(await bench.run([...args, '--continue', 'And now?'])).toMatchObject({ stdout: 'Two.\n', code: 0 });
    expect(bench.prompt(1)).toMatch(/Short.*One\..*And now\?/s);
  }, 60_000);

  test('the endless output of a !COMMAND is cut, and Ctrl-C ends it', async () => {
    const bench = await setUp([answer('Two.')], files);
    const pty = bench.open(scripted);
    await pty.onScreen('›');
    pty.type(`!yes "so it goes on" | head -n 9999; touch long; yes more${enterKey}`);
    await until(() => existsSync(join(bench.folder, 'long')));
    pty.type('\u0003');
    const screen = await pty.onScreen('Interrupted before it was done.');
    expect(screen).toMatch(/… \(\d+ characters are not shown\) …/);
    expect(pty.raw.length).toBeLessThan(500_000);
    pty.type(`!tr '\\0' x < /dev/zero${enterKey}`);
    await pty.onScreen('xxxxx');
    pty.type('\u001b');
    await pty.onScreen('characters are not shown) …\nxxxxx');
    pty.type(`And now?${enterKey}`);
    await pty.onScreen('Two.');
    expect(bench.prompt(0).length).toBeLessThan(100_000);
    pty.type('\u0004');
    expect(await pty.end).toBe(0);
  }, 60_000);

  test('lines of a !COMMAND are printed as they arrive, including an unfinished last line', async () => {
    const bench = await setUp([], files);
    const pty = bench.open(scripted);
    await pty.onScreen('›');
    pty.type(`!seq 3; printf 'not ended'${enterKey}`);
    const screen = await pty.onScreen('Exit code 0.');
    expect(screen).toMatch(/1\n2\n3\nnot ended\nExit code 0\./);
    pty.type('\u0004');
    expect(await pty.end).toBe(0);
  }, 30_000);
});
