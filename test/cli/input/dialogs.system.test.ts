import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { act, answer, enterKey, escapeKey, scripted, setUp, terminal } from '../../support/cli-harness.js';
import { needs } from '../../support/needs.js';

const { describe: onTerminal } = needs(terminal);

const [up, down, ctrlC, ctrlL, ctrlZ] = ['\u001b[A', '\u001b[B', '\u0003', '\u000c', '\u001a'];
const touch = act('run_command(command="touch ran")');

onTerminal('approval dialogs (rule: terminal)', () => {
  test('an approval question has no preselected choice: Enter alone allows nothing, ↓ and then Enter allow the call', async () => {
    const bench = await setUp([touch, answer('Done.')]);
    const pty = bench.open([...scripted, 'Go']);
    const screen = await pty.onScreen('↑ ↓ and Enter', /^ {2}1 \[y\] allow$/m);
    expect(screen).not.toContain('› 1');
    pty.type(enterKey);
    pty.type(down);
    await pty.onScreen('› 1 [y] allow', '  5 [esc] stop');
    expect(existsSync(join(bench.folder, 'ran'))).toBe(false);
    pty.type(up);
    await pty.onScreen('› 5 [esc] stop');
    pty.type(down);
    await pty.onScreen('› 1 [y] allow');
    pty.type(enterKey);
    expect(await pty.end).toBe(0);
    expect(existsSync(join(bench.folder, 'ran'))).toBe(true);
  }, 30_000);

  test('an arrow and Enter read together, as from a paste, approve nothing (rule: approval)', async () => {
    const bench = await setUp([touch, answer('Done.')]);
    const pty = bench.open([...scripted, 'Go']);
    await pty.onScreen('↑ ↓ and Enter');
    pty.type(`${down}${enterKey}`);
    await pty.onScreen('› 1 [y] allow');
    pty.type(up);
    await pty.onScreen('› 5 [esc] stop');
    expect(existsSync(join(bench.folder, 'ran'))).toBe(false);
    pty.type(escapeKey);
    expect(await pty.end).toBe(130);
  }, 30_000);

  test('the beginning and the end of a long command stay visible above the choices at any size of the window', async () => {
    const long = act(`run_command(command="touch HEAD; ${'echo x; '.repeat(1_250)}touch TAIL")`);
    const bench = await setUp([long, answer('Done.')]);
    const pty = bench.open([...scripted, 'Go']);
    await pty.onScreen('[esc] stop');
    for (const [columns, rows] of [
      [80, 24],
      [40, 14],
      [120, 40],
      [80, 8],
      [30, 10],
      [80, 24],
    ] as const) {
      pty.resize(columns, rows);
      await pty.onScreen('touch HEAD', 'TAIL', /… \d+ more lines …/, '[y] allow');
    }
    pty.type('v');
    await pty.onScreen('touch HEAD', 'TAIL', '[y] allow');
    pty.type(escapeKey);
    expect(await pty.end).toBe(130);
  }, 60_000);

  test('a command hidden behind blanks is visible in a window of 80 columns and 24 rows', async () => {
    const hidden = `run_command(command="ls${' '.repeat(5_000)}; touch ran${'\\n'.repeat(500)}touch last")`;
    const bench = await setUp([act(hidden), answer('Done.')]);
    const pty = bench.open([...scripted, 'Go']);
    await pty.onScreen('[esc] stop');
    pty.resize(80, 24);
    await pty.onScreen('ls<5000 blanks>; touch ran', '<499 empty lines>', 'touch last', '[v] view all lines');
    pty.type(escapeKey);
    expect(await pty.end).toBe(130);
  }, 30_000);

  test('an approval question scrolls to the selected choice in a small window and shows all choices in a large one', async () => {
    const bench = await setUp([touch, answer('Done.')]);
    const pty = bench.open([...scripted, 'Go']);
    await pty.onScreen('[esc] stop');
    pty.resize(20, 10);
    await pty.onScreen(' more', '1 [y] allow');
    for (const number of [1, 2, 3, 4]) {
      pty.type(down);
      await pty.onScreen(`› ${number} [`);
    }
    await pty.onScreen('› 4 [n] no, with a', 'before');
    pty.resize(80, 30);
    await pty.offScreen('before');
    await pty.onScreen('› 4 [n] no, with a reason');
    pty.type(escapeKey);
    expect(await pty.end).toBe(130);
  }, 30_000);
});

onTerminal('approvals in very small windows (rule: approval)', () => {
  test.each([
    [20, 5, /│ echo safe<.*\n.*: touch ran\n.*\[y\] allow/],
    [20, 3, /│ echo saf….*ouch ran\n.*\[y\] allow/],
    [12, 4, /│ echo….* ran\n.*\[y\] allo/],
  ])(
    'a window of %i columns and %i rows shows the beginning and the end of a command above the choices',
    async (columns, rows, shown) => {
      const command = `echo safe${' '.repeat(900)}${'#'.repeat(900)}: touch ran`;
      const bench = await setUp([act(`run_command(command=${JSON.stringify(command)})`), answer('Done.')]);
      const pty = bench.open([...scripted, 'Go to it']);
      await pty.onScreen('[esc] stop');
      pty.resize(columns, rows);
      await pty.onScreen(shown);
      pty.type(escapeKey);
      expect(await pty.end).toBe(130);
    },
    30_000,
  );
});

onTerminal('Ctrl-L and Ctrl-Z (rule: terminal)', () => {
  test('Ctrl-L during an approval question, or while typing why not, prints the proposed call again', async () => {
    const bench = await setUp([touch, answer('Done.')]);
    const pty = bench.open([...scripted, 'Go to it']);
    await pty.onScreen('[esc] stop');
    pty.type(ctrlL);
    await pty.offScreen('Go to it');
    await pty.onScreen('run_command needs your approval', /touch ran.*\[y\] allow.*\[esc\] stop/s);
    pty.type('n');
    await pty.onScreen('Why not?');
    pty.type(`Not no${ctrlL}`);
    await pty.offScreen('[n] no');
    await pty.onScreen(/touch ran.*Why not\?.*Not no/s);
    pty.type(`w${enterKey}`);
    expect(await pty.end).toBe(3);
    expect(bench.prompt(1)).toContain('Not now');
  }, 30_000);

  test("Ctrl-L during the model's question prints the question again", async () => {
    const bench = await setUp([
      act('request_input(question="Where to?", choices=["staging", "production"])'),
      answer('Done.'),
    ]);
    const pty = bench.open([...scripted, 'Go to it']);
    await pty.onScreen('answer:');
    pty.type(ctrlL);
    await pty.offScreen('Go to it');
    await pty.onScreen('[1] staging', /Where to\?.*answer:/s);
    pty.type(`1${enterKey}`);
    expect(await pty.end).toBe(0);
  }, 30_000);

  test.each([
    ['during input', [answer('Done.')], '', '› half', 'half'],
    ['during an approval', [touch, answer('Done.')], 'Go', '[esc] stop', ''],
    ['during a run', { text: 'never', delayMs: 60_000 }, 'Go', 'Thinking', ''],
  ])(
    'Ctrl-Z %s returns to the shell, and fg restores the screen',
    async (_, script, task, sight, typed) => {
      const bench = await setUp(script);
      const pty = bench.openInShell(scripted);
      await pty.onScreen('/help for help');
      if (task) pty.type(`${task}${enterKey}`);
      pty.type(typed);
      await pty.onScreen(sight);
      pty.type(ctrlZ);
      await pty.onScreen('Stopped');
      pty.type(`clear; echo in the $((1 + 1))nd shell${enterKey}`);
      expect(await pty.onScreen('in the 2nd shell')).not.toContain(sight);
      pty.type(`fg${enterKey}`);
      await pty.onScreen(sight);
      pty.type(ctrlC);
      await (typed ? pty.offScreen(sight) : pty.onScreen('stopped · 1 step'));
    },
    30_000,
  );
});

onTerminal('unfinished pastes (rule: terminal)', () => {
  test('a paste without its end sequence stays in the input line, sends nothing, and keys still work', async () => {
    const bench = await setUp([answer('Done.')]);
    const pty = bench.open(scripted);
    await pty.onScreen('›');
    pty.type('\u001b[200~one\rtwo');
    await pty.onScreen('› one\n  two');
    expect(bench.provider.requests).toHaveLength(0);
    pty.type('!');
    await pty.onScreen('two!');
    pty.type(ctrlC);
    await pty.offScreen('two!');
    pty.type(`next${enterKey}`);
    await pty.onScreen('Done.');
    expect(bench.prompt(0)).toContain('next');
  }, 30_000);
});
