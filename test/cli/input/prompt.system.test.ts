import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { isExcludedFromHistory } from '../../../src/cli/state/history-file.js';
import { act, answer, enterKey, scripted, setUp, terminal } from '../../support/cli-harness.js';
import { needs } from '../../support/needs.js';
import { until } from '../../support/until.js';

const { describe: onTerminal } = needs(terminal);

const [up, left, altB, ctrlW, ctrlU, ctrlY, ctrlG] = [
  '\u001b[A',
  '\u001b[D',
  '\u001bb',
  '\u0017',
  '\u0015',
  '\u0019',
  '\u0007',
];
const paste = (text: string) => `\u001b[200~${text}\u001b[201~`;

const traceback = [
  'Traceback (most recent call last):',
  '  File "pay.py", line 3, in <module>',
  '    total / count',
  'ZeroDivisionError: division by zero',
].join('\r');

/** Maximum length of a path on Linux, without the NUL that ends it. */
const MAX_PATH_LENGTH = 4_095;

/** Returns a path of this length below a folder. */
function longFolder(folder: string, length: number): string {
  const left = length - folder.length;
  return left <= 200
    ? `${folder}/${'x'.repeat(left - 1)}`
    : longFolder(`${folder}/${'x'.repeat(98)}`, length);
}

onTerminal('input line (rule: terminal)', () => {
  test('a pasted traceback of four lines is sent as one task', async () => {
    const bench = await setUp([answer('Divide by one.')]);
    const pty = bench.open(scripted);
    await pty.onScreen('›');
    pty.type(paste(traceback));
    await pty.onScreen(
      'ZeroDivisionError',
      '› Traceback (most recent call last):\n    File "pay.py", line 3, in <module>\n      total / count',
    );
    expect(bench.provider.requests).toHaveLength(0);
    pty.type(enterKey);
    await pty.onScreen('Divide by one.');
    expect(bench.provider.requests).toHaveLength(1);
    for (const line of traceback.split('\r'))
      expect(bench.prompt(0)).toContain(JSON.stringify(line).slice(1, -1));
  }, 30_000);

  test('a long paste appears as a placeholder, is sent in full, and is deleted with one backspace', async () => {
    const log = Array.from({ length: 40 }, (_, index) => `log line ${index + 1}`).join('\r');
    const bench = await setUp([answer('Seen.')]);
    const pty = bench.open(scripted);
    await pty.onScreen('›');
    pty.type(`Why? ${paste(log)}`);
    await pty.onScreen('› Why? [paste 1: 40 lines]');
    pty.type(paste(log));
    await pty.onScreen('[paste 2: 40 lines]');
    pty.type('\u007f');
    await pty.offScreen('[paste 2');
    pty.type(enterKey);
    await pty.onScreen('Seen.');
    expect(bench.prompt(0).match(/log line 40/g)).toHaveLength(1);
    expect(bench.prompt(0)).not.toContain('[paste');
  }, 30_000);

  test('Ctrl-J, Alt-Enter and a backslash before Enter add rows to the input; word and row keys move and delete', async () => {
    const bench = await setUp([answer('Done.')]);
    const pty = bench.open(scripted);
    await pty.onScreen('›');
    pty.type(`one\ntwo\u001b\rthree\\${enterKey}four`);
    await pty.onScreen('› one\n  two\n  three\n  four');
    pty.type(`${up}${up}${altB}2 ${ctrlU}`);
    await pty.offScreen('2 two');
    await pty.onScreen('› one\n  two\n  three');
    pty.type(`${ctrlY}${left}${ctrlW}`);
    await pty.onScreen('› one');
    pty.type(`\u001b[B\u001b[B\u001b[B\u001b[F !${enterKey}`);
    await pty.onScreen('Done.');
    expect(bench.prompt(0)).toMatch(/one.*two.*three.*four !/);
  }, 30_000);

  test('↑ recalls lines of earlier sessions, except lines that look like they contain a key', async () => {
    const bench = await setUp([answer('One.'), answer('Two.')]);
    const pty = bench.open(scripted);
    await pty.onScreen('›');
    pty.type(`Remember me${enterKey}`);
    await pty.onScreen('One.');
    pty.type(`My key is sk-abcdefghijklmnopqrstuvwx${enterKey}`);
    await pty.onScreen('Two.');
    pty.type('\u0004');
    expect(await pty.end).toBe(0);
    const file = join(bench.environment['HOME'] ?? '', '.local/state/stepwise/history.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(['Remember me']);
    const next = bench.open(scripted);
    await next.onScreen('›');
    next.type(up);
    await next.onScreen('› Remember me');
    next.type('\u001b[B');
    await next.offScreen('› Remember me');
  }, 30_000);

  test.each([
    'OPENAI_API_KEY=sk-proj-abcdefghijklmnop',
    'use ghp_abcdefghijklmnopqrst0123 for this',
    'password: hunter2hunter2',
    'Authorization: Bearer abcdefghijk',
  ])('the input history does not save %s', (line) => {
    expect(isExcludedFromHistory(line)).toBe(true);
    expect(isExcludedFromHistory('Where are the keys of the cache made, and in which file?')).toBe(false);
    expect(isExcludedFromHistory('What does commit 93431d9 do in src/cli/session/open-session.ts?')).toBe(
      false,
    );
  });

  test('Esc stops a run and returns the queued line; Ctrl-C twice leaves and saves the run', async () => {
    const bench = await setUp({ text: 'never', delayMs: 60_000 });
    const pty = bench.open(scripted);
    await pty.onScreen('›');
    pty.type(`The first${enterKey}`);
    await bench.provider.request(0);
    pty.type(`The second${enterKey}`);
    await pty.onScreen('queued: The second');
    pty.type('\u001b');
    await pty.onScreen('stopped · 1 step');
    await pty.onScreen('› The second');
    expect(bench.provider.requests).toHaveLength(1);
    pty.type(enterKey);
    await bench.provider.request(1);
    pty.type('\u0003');
    await pty.onScreen('(Ctrl-C again, or Ctrl-D, leaves)');
    pty.type('\u0003');
    expect(await pty.end).toBe(0);
    bench.provider.script([answer('Back.')]);
    const { stderr } = await bench.run(['--continue', 'Again']);
    expect(stderr).toContain('Continuing: The second');
  }, 30_000);

  test('Esc returns the last queued line to the input and ↑ the others, so a task is never joined to a !command', async () => {
    const bench = await setUp({ text: 'never', delayMs: 60_000 });
    const pty = bench.open(scripted);
    await pty.onScreen('›');
    pty.type(`The first${enterKey}`);
    await bench.provider.request(0);
    for (const line of ['!echo one', 'The second', 'The third']) {
      pty.type(`${line}${enterKey}`);
      await pty.onScreen(`queued: ${line}`);
    }
    pty.type('\u001b');
    await pty.onScreen('stopped · 1 step');
    await pty.onScreen('› The third');
    await pty.offScreen('queued:');
    pty.type(up);
    await pty.onScreen('› The second');
    pty.type(up);
    await pty.onScreen('› !echo one');
    await pty.offScreen('The third');
    await pty.offScreen('The second');
  }, 30_000);

  test('Ctrl-L clears the screen but keeps the line; Ctrl-Z without a shell has no effect', async () => {
    const bench = await setUp([answer('One.'), answer('Two.')]);
    const pty = bench.open(scripted);
    await pty.onScreen('›');
    pty.type(`Hi${enterKey}`);
    await pty.onScreen('answered · 1 step');
    pty.type('half a line\u000c');
    await pty.onScreen(/^\s*› half a line\s*$/);
    const keyboardOpened = () => pty.raw.split('\u001b[?2004h').length;
    const before = keyboardOpened();
    pty.type('\u001a');
    await until(keyboardOpened, (count) => count > before);
    pty.type(` more${enterKey}`);
    await pty.onScreen('Two.');
    expect(bench.prompt(1)).toContain('half a line more');
  }, 30_000);

  test('an approval question can be answered by the number of a choice', async () => {
    const bench = await setUp([act('run_command(command="touch ran")'), answer('Done.')]);
    const pty = bench.open(scripted);
    await pty.onScreen('›');
    pty.type(`Go${enterKey}`);
    await pty.onScreen('[esc] stop', / 1 \[y\] allow\n {2}2 \[a\] always allow exactly/);
    pty.type('1');
    await pty.onScreen('Done.');
    expect(existsSync(join(bench.folder, 'ran'))).toBe(true);
  }, 30_000);

  test.each([
    ['that does not exist', '/nowhere/editor', 127],
    ['that fails', 'false', 1],
  ])(
    'Ctrl-G with an editor %s shows the reason and keeps the line',
    async (_, editor, code) => {
      const bench = await setUp([answer('One.')]);
      bench.environment['EDITOR'] = editor;
      const pty = bench.open(scripted);
      await pty.onScreen('›');
      pty.type(`Look at the file${ctrlG}`);
      await pty.onScreen(
        '› Look at the file',
        `(The line is unchanged: the editor ended with exit code ${code}: ${editor})`,
      );
      pty.type(enterKey);
      await pty.onScreen('One.');
      expect(bench.prompt(0)).toContain('Look at the file');
    },
    30_000,
  );

  test('Esc twice recalls the last task, and Ctrl-G opens it in $EDITOR', async () => {
    const bench = await setUp([answer('One.'), answer('Two.')]);
    bench.environment['EDITOR'] = 'sed -i s/file/folder/';
    const pty = bench.open(scripted);
    await pty.onScreen('›');
    pty.type(`Look at the file${enterKey}`);
    await pty.onScreen('answered · 1 step');
    await wait(300);
    pty.type('\u001b');
    await pty.onScreen('(Esc again edits the last task)');
    pty.type('\u001b');
    await pty.offScreen('(Esc again');
    pty.type(ctrlG);
    await pty.onScreen('› Look at the folder');
    pty.type(enterKey);
    await pty.onScreen('Two.');
    expect(bench.prompt(1)).toContain('Look at the folder');
  }, 30_000);
});

onTerminal('completion (rule: terminal)', () => {
  const files = {
    'src/alpha.ts': '',
    'src/alps.ts': '',
    'docs/beta.md': '',
    '.env': 'KEY=1',
    'build/alpha.js': '',
    'my notes.md': '',
    '.gitignore': 'build',
  };

  test('Tab completes commands, their arguments, and paths that are neither ignored nor secret', async () => {
    const bench = await setUp([answer('One.')], files);
    const pty = bench.open(scripted);
    await pty.onScreen('›');
    pty.type('/di\t');
    await pty.onScreen('› /diff');
    pty.type(`${ctrlU}/rules re\t`);
    await pty.onScreen('› /rules remove');
    pty.type(`${ctrlU}See @s\t`);
    await pty.onScreen('› See @src/');
    pty.type('\t');
    await pty.onScreen('› See @src/alp');
    pty.type('\t');
    await pty.onScreen(/@src\/alpha\.ts +@src\/alps\.ts/);
    pty.type('h\t');
    await pty.onScreen('› See @src/alpha.ts');
    pty.type(`${ctrlU}See @beta\t`);
    await pty.onScreen('› See @docs/beta.md');
    pty.type(`${ctrlU}See @\t`);
    const offered = await pty.onScreen('@docs/');
    for (const hidden of ['.env', 'build']) expect(offered).not.toContain(hidden);
    pty.type(`${ctrlU}See @my\t`);
    await pty.onScreen('› See @"my notes.md"');
    pty.type(`${ctrlU}/modle${enterKey}`);
    await pty.onScreen('Unknown command /modle. Did you mean /model?');
  }, 30_000);
});

onTerminal('slash commands and !commands (rule: terminal)', () => {
  const files = { 'a.txt': 'one\ntwo\n', 'b.txt': 'before\n' };
  const script = [
    act('edit_file(path="a.txt", old_string="one", new_string="ONE")'),
    act('write_file(path="new/c.txt", content="made\\n")'),
    act('edit_file(path="b.txt", old_string="before", new_string="after")'),
    answer('Changed.'),
    answer('Understood.'),
  ];

  test('/diff shows file changes; /undo reverts the files that did not change since, and tells the model', async () => {
    const bench = await setUp(script, files);
    const pty = bench.open([...scripted, '--yes']);
    await pty.onScreen('›');
    pty.type(`/undo${enterKey}`);
    await pty.onScreen('No task changed a file');
    pty.type(`Change them${enterKey}`);
    await pty.onScreen('Changed.');
    pty.type(`/diff${enterKey}`);
    await until(
      () => pty.shown,
      (text) => /-one\n\+ONE[\s\S]*\+made[\s\S]*-before\n\+after/.test(text),
    );
    writeFileSync(join(bench.folder, 'b.txt'), 'by hand\n');
    pty.type(`/undo${enterKey}`);
    await pty.onScreen('b.txt: changed since, left as it is');
    await pty.onScreen('a.txt: put back');
    await pty.onScreen('new/c.txt: removed');
    expect(readFileSync(join(bench.folder, 'a.txt'), 'utf8')).toBe('one\ntwo\n');
    expect(readFileSync(join(bench.folder, 'b.txt'), 'utf8')).toBe('by hand\n');
    expect(existsSync(join(bench.folder, 'new/c.txt'))).toBe(false);
    pty.type(`And now?${enterKey}`);
    await pty.onScreen('Understood.');
    expect(bench.prompt(4)).toContain('The user took back your changes to files');
  }, 30_000);

  test('a slash command that cannot write a file prints the reason and does not end the session', async () => {
    const bench = await setUp([answer('Still here.')]);
    // The system accepts this path, but not the longer one of the temporary file that replaces it.
    const config = longFolder(
      `${bench.environment['HOME']}`,
      MAX_PATH_LENGTH - '/stepwise/approvals.json'.length,
    );
    const file = join(config, 'stepwise/approvals.json');
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, JSON.stringify({ [bench.folder]: [{ type: 'reads', tool: 'look' }] }));
    bench.environment['XDG_CONFIG_HOME'] = config;
    const pty = bench.open(scripted);
    await pty.onScreen('›');
    pty.type(`/rules remove 1${enterKey}`);
    await until(() => pty.shown.includes('ENAMETOOLONG'));
    pty.type(`And now?${enterKey}`);
    await pty.onScreen('Still here.');
  }, 30_000);

  test('/diff truncates long lines and long diffs', async () => {
    const lines = ['x'.repeat(5_000), ...Array.from({ length: 1_200 }, (_, index) => `line ${index}`)];
    const call = `write_file(path="big.txt", content=${JSON.stringify(lines.join('\n'))})`;
    const bench = await setUp([act(call), answer('Written.')], files);
    const pty = bench.open([...scripted, '--yes']);
    await pty.onScreen('›');
    pty.type(`Write it${enterKey}`);
    await pty.onScreen('Written.');
    pty.type(`/diff${enterKey}`);
    await pty.onScreen('more lines');
    expect(pty.shown).toContain('… (3001 more characters)');
    expect(pty.shown).not.toContain('+line 1100');
  }, 30_000);

  test('--continue still tells the model about an earlier /undo and !command', async () => {
    const bench = await setUp(
      [act('edit_file(path="a.txt", old_string="one", new_string="ONE")'), answer('Changed.')],
      files,
    );
    const pty = bench.open([...scripted, '--yes']);
    await pty.onScreen('›');
    pty.type(`Change it${enterKey}`);
    await pty.onScreen('Changed.');
    pty.type(`/undo${enterKey}`);
    await pty.onScreen('a.txt: put back');
    pty.type(`!echo by hand${enterKey}`);
    await pty.onScreen('Exit code 0.');
    pty.type(`/quit${enterKey}`);
    await pty.onScreen('Saved.');
    bench.provider.script([answer('I know.')]);
    await bench.run(['--continue', 'And now?']);
    const prompt = bench.prompt(2);
    expect(prompt).toContain('The user took back your changes to files');
    expect(prompt).toContain('The user ran this command: echo by hand');
  }, 30_000);

  test('!command runs at once, without the model key in its environment, and the model reads its output', async () => {
    const bench = await setUp([answer('I read it.')], files);
    bench.environment['STEPWISE_LLM_KEY'] = 'a-secret-key';
    const pty = bench.open(scripted);
    await pty.onScreen('›');
    pty.type(`!cat a.txt; echo key=$STEPWISE_LLM_KEY; exit 3${enterKey}`);
    await pty.onScreen(/\none\ntwo\nkey=\nExit code 3\./);
    expect(bench.provider.requests).toHaveLength(0);
    pty.type(`Well?${enterKey}`);
    await pty.onScreen('I read it.');
    expect(bench.prompt(0)).toMatch(/The user ran this command: cat a\.txt.*Exit code 3/s);
    pty.type(`!sleep 60${enterKey}`);
    await pty.onScreen('› !sleep 60');
    pty.type('\u0003');
    await pty.onScreen('Interrupted before it was done.');
  }, 30_000);

  test('/model lists models, /compact reports the history size, /quit leaves', async () => {
    const bench = await setUp([answer('One.')], files);
    const pty = bench.open(scripted);
    await pty.onScreen('›');
    pty.type(`/model${enterKey}`);
    await pty.onScreen('any model at guarded', /Model: scripted at fake[\s\S]*needs a key/);
    pty.type(`/compact${enterKey}`);
    await pty.onScreen('There is no history yet.');
    pty.type(`Hi${enterKey}`);
    await pty.onScreen('One.');
    pty.type(`/compact${enterKey}`);
    await pty.onScreen('The history is already short:');
    pty.type(`/quit${enterKey}`);
    expect(await pty.end).toBe(0);
  }, 30_000);
});

onTerminal('lines of any length (rule: terminal)', () => {
  const long = 'x'.repeat(1_000_000);

  test('a very long line from the history appears as a placeholder and is sent in full', async () => {
    const bench = await setUp([answer('One.'), answer('Two.')]);
    const pty = bench.open([...scripted, '--token-limit', '2000000']);
    await pty.onScreen('›');
    pty.type(`Count ${paste(long)}${enterKey}`);
    await pty.onScreen('One.');
    pty.type(up);
    await pty.onScreen('› [paste 2: 1000006 characters]');
    pty.type(` again${enterKey}`);
    await pty.onScreen('Two.');
    expect(bench.provider.requests).toHaveLength(2);
    expect(bench.prompt(1)).toMatch(/Count x{1000000} again/);
  }, 60_000);

  test('of an input taller than the window, the rows around the cursor are visible', async () => {
    const bench = await setUp([answer('One.')]);
    const pty = bench.open(scripted);
    await pty.onScreen('›');
    pty.resize(40, 10);
    for (let row = 1; row <= 30; row += 1) pty.type(paste(`row ${row}.\r`));
    await pty.onScreen('row 30.');
    await pty.offScreen('row 1.');
    await pty.onScreen('row 29.', 'row 30.');
    pty.type(up.repeat(30));
    await pty.onScreen('› row 1.');
    await pty.offScreen('row 30.');
    pty.type('here ');
    await pty.onScreen('› here row 1.', '  row 2.');
  }, 30_000);

  test('a long paste without bracketed-paste sequences becomes one placeholder that includes its last line', async () => {
    const bench = await setUp([answer('One.')]);
    const pty = bench.open(scripted);
    await pty.onScreen('›');
    const rows = Array.from({ length: 2_000 }, (_, index) => `line ${index + 1} of the log\r`);
    pty.type(rows.join(''));
    await pty.onScreen('[paste 1: 2001 lines]');
    pty.type('!');
    await pty.onScreen('[paste 1: 2001 lines]!');
    expect(bench.provider.requests).toHaveLength(0);
  }, 30_000);

  test('a long paste of one row without bracketed-paste sequences appears as placeholders and is sent in full', async () => {
    const bench = await setUp([answer('One.')]);
    const pty = bench.open([...scripted, '--token-limit', '2000000']);
    await pty.onScreen('›');
    pty.type('x'.repeat(200_000));
    await pty.onScreen('› [paste 1: ');
    pty.type(enterKey);
    await pty.onScreen('One.');
    expect(bench.prompt(0)).toMatch(/x{200000}/);
  }, 60_000);
});
