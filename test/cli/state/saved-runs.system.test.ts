import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { openHistory } from '../../../src/cli/state/history-file.js';
import { newRunFile } from '../../../src/cli/state/saved-runs.js';
import { makeFolder, stateFolder } from '../../../src/cli/state/user-files.js';
import { answer, type Bench, enterKey, scripted, setUp, terminal } from '../../support/cli-harness.js';
import { needs } from '../../support/needs.js';
import { until } from '../../support/until.js';

const files = { 'a.txt': 'alpha\n' };

/** Saves three runs; the second has no answer. */
async function withRuns(): Promise<Bench> {
  const bench = await setUp(
    [answer('One.'), { refusal: 'No.' }, answer('Three.'), answer('Four.'), answer('Five.')],
    files,
  );
  for (const task of ['The first task', 'The second task', 'Log in with password hunter2'])
    await bench.run([...scripted, task]);
  return bench;
}

describe('saved runs (rule: saved-runs)', () => {
  test('--resume without a terminal lists the saved runs, and a number selects one', async () => {
    const bench = await withRuns();
    const { stderr, code } = await bench.run(['--resume']);
    expect(code).toBe(1);
    const [head, ...rows] = stderr.trimEnd().split('\n');
    expect(head).toBe('stepwise: --resume needs the number of a run, its id or its file:');
    const time = String.raw`\d{4}-\d\d-\d\d \d\d:\d\d`;
    expect(rows).toEqual([
      expect.stringMatching(
        `^  1\\. ${time}  1 step, answered +\\(not shown: it looks like it holds a secret\\)$`,
      ),
      expect.stringMatching(`^  2\\. ${time}  1 step, failed +The second task$`),
      expect.stringMatching(`^  3\\. ${time}  1 step, answered +The first task$`),
    ]);
    expect((await bench.run(['--resume', '3', 'Go on'])).stderr).toContain('Continuing: The first task');
    expect((await bench.run(['-r', '77', 'Go on'])).stderr).toContain('There is no saved run 77');
  }, 60_000);

  test('the file name of a run omits a task that looks like it contains a secret', async () => {
    expect(newRunFile('/somewhere', 'How is the discount made?')).toMatch(
      /T[\d-]{12}-how-is-the-discount-made\.json$/,
    );
    expect(newRunFile('/somewhere', 'password is hunter2, why?')).toMatch(/T[\d-]{12}\.json$/);
  });

  test('an unwritable state folder is reported once, and the answer still arrives', async () => {
    const bench = await setUp([answer('One.'), answer('Two.'), answer('Three.')], files);
    writeFileSync(join(bench.folder, 'a-file'), '');
    for (const place of ['/proc/nope', '/dev/null', join(bench.folder, 'a-file')]) {
      bench.environment['XDG_STATE_HOME'] = place;
      const { stdout, stderr, code } = await bench.run([...scripted, 'Hi.']);
      expect({ stdout, code }).toEqual({ stdout: expect.stringMatching(/^\w+\.\n$/), code: 0 });
      expect(stderr.match(/The run cannot be saved:/g)).toHaveLength(1);
      expect((await bench.run(['--continue', 'x'])).stderr).toContain('There is no saved run of this folder');
      expect((await bench.run(['doctor'])).stdout).toMatch(
        /^-- {2}Saved runs .* cannot be written, so nothing will be saved there; make the folder writable for your user$/m,
      );
    }
  }, 60_000);

  test('a relative XDG_STATE_HOME is ignored', () => {
    expect(stateFolder({ XDG_STATE_HOME: 'state' })).toBe(stateFolder({}));
    expect(stateFolder({ XDG_STATE_HOME: '/state' })).toBe('/state/stepwise');
  });

  test('makeFolder creates a folder with its parents, or rejects with the reason', async () => {
    const { folder } = await setUp([], files);
    await Promise.all([makeFolder(join(folder, 'x/y/z')), makeFolder(join(folder, 'x/y/w'))]);
    expect(readdirSync(join(folder, 'x/y')).sort()).toEqual(['w', 'z']);
    await expect(makeFolder('/proc/nope/deep/down')).rejects.toThrow('ENOENT');
    await expect(makeFolder(join(folder, 'a.txt/below'))).rejects.toThrow('EEXIST');
  });

  test('the history file keeps no line that looks secret, neither new nor from earlier sessions', async () => {
    const { folder } = await setUp([]);
    const file = join(folder, 'state', 'history.json');
    mkdirSync(join(folder, 'state'));
    writeFileSync(file, JSON.stringify(['How is it?', 'DB_PASS=hunter2 npm test']));
    const history = await openHistory(file);
    for (const line of ['export XAI_TOKEN=abcdef123456', 'And why?']) history.add(line);
    await until(
      () => readFileSync(file, 'utf8'),
      (text) => text.includes('And why?'),
    );
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(['How is it?', 'And why?']);
    expect(history.up('')).toBe('And why?');
    expect(history.up('')).toBe('export XAI_TOKEN=abcdef123456');
  });

  test('concurrent sessions keep each other’s history lines', async () => {
    const { folder } = await setUp([]);
    const file = join(folder, 'state', 'history.json');
    const [one, other] = [await openHistory(file), await openHistory(file)];
    const areKept = (...lines: string[]) =>
      until(() => existsSync(file) && readFileSync(file, 'utf8') === `${JSON.stringify(lines, null, 1)}\n`);
    one.add('How is it?');
    await areKept('How is it?');
    other.add('And why?');
    await areKept('How is it?', 'And why?');
    expect(other.up('')).toBe('And why?');
    expect(other.up('')).toBeUndefined();
  });
});

const { describe: onTerminal } = needs(terminal);

onTerminal('saved runs at a terminal (rule: terminal)', () => {
  test('--resume asks for the run, and /resume continues another', async () => {
    const bench = await withRuns();
    const pty = bench.open(['--resume']);
    await pty.onScreen('› 1 ');
    pty.type('\u001b[B\u001b[B');
    await pty.onScreen(/› 3 .*The first task/);
    pty.type(enterKey);
    await pty.onScreen('Continuing: The first task');
    pty.type(`Well?${enterKey}`);
    await pty.onScreen('Four.');
    expect(bench.prompt(3)).toContain('The first task');
    pty.type(`/resume${enterKey}`);
    await pty.onScreen('4. ');
    await pty.onScreen('/resume N continues run N.');
    pty.type(`/resume 3${enterKey}`);
    await pty.onScreen('Continuing: The second task');
    pty.type(`So?${enterKey}`);
    await pty.onScreen('Five.');
    expect(bench.prompt(4)).toContain('The second task');
    expect(bench.prompt(4)).not.toContain('The first task');
    pty.type('\u0004');
    expect(await pty.end).toBe(0);
  }, 60_000);

  test('Esc at the --resume question leaves without a run', async () => {
    const bench = await withRuns();
    const pty = bench.open(['--resume']);
    await pty.onScreen('[esc] none');
    pty.type('\u001b');
    expect(await pty.end).toBe(1);
    expect(pty.shown).toContain('No run was chosen.');
  }, 60_000);

  test('--resume on a dumb terminal asks for the number', async () => {
    const bench = await withRuns();
    bench.environment['TERM'] = 'dumb';
    const pty = bench.open(['--resume']);
    await pty.see('Which one? A number, or Enter for the newest:');
    pty.type(`3${enterKey}`);
    await pty.see('Continuing: The first task');
  }, 60_000);

  test('/model lists the current model first with a star, then usable models, then others by vendor', async () => {
    const bench = await setUp([], files);
    bench.environment['OPENAI_API_KEY'] = 'sk-not-shown-1234567890';
    const pty = bench.open(['--model', 'gpt-4o']);
    await pty.onScreen('›');
    pty.type(`/model${enterKey}`);
    await pty.onScreen('anthropic needs ANTHROPIC_API_KEY: claude-');
    const list = pty.shown.slice(pty.shown.indexOf('Model: gpt-4o'));
    expect(list).toMatch(/^Model: gpt-4o\n\* gpt-4o +openai +128k tokens\n {2}gpt-/);
    expect(list).toMatch(/\n {2}offline +offline/);
    expect(list.indexOf('any model at fake')).toBeLessThan(list.indexOf('anthropic needs'));
    expect(list.match(/^\*/gm)).toHaveLength(1);
    pty.type('\u0004');
    expect(await pty.end).toBe(0);
  }, 30_000);
});
