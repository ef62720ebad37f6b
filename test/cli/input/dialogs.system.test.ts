import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { act, answer, enterKey, escapeKey, scripted, setUp, terminal } from '../../support/cli-harness.js';
import { needs } from '../../support/needs.js';

const { describe: onTerminal } = needs(terminal);

const [up, down, ctrlC, ctrlL, ctrlZ] = ['\u001b[A', '\u001b[B', '\u0003', '\u000c', '\u001a'];
const touch = act('run_command(command="touch ran")');

onTerminal('a question is answered with arrow keys too (rule: terminal)', () => {
  test('nothing is chosen at first: an Enter typed ahead allows nothing, ↓ and Enter do', async () => {
    const bench = await setUp([touch, answer('Done.')]);
    const pty = bench.open([...scripted, 'Go']);
    const screen = await pty.onScreen('↑ ↓ and Enter');
    expect(screen).toMatch(/^ {2}1 \[y\] allow$/m);
    expect(screen).not.toContain('› 1');
    pty.type(enterKey);
    await wait(200);
    expect(existsSync(join(bench.folder, 'ran'))).toBe(false);
    pty.type(down);
    expect(await pty.onScreen('› 1 [y] allow')).toContain('  5 [esc] stop');
    pty.type(up);
    await pty.onScreen('› 5 [esc] stop');
    pty.type(down);
    await pty.onScreen('› 1 [y] allow');
    pty.type(enterKey);
    expect(await pty.end).toBe(0);
    expect(existsSync(join(bench.folder, 'ran'))).toBe(true);
  }, 30_000);

  test('an arrow and Enter that come together, as a paste does, choose nothing (rule: approval)', async () => {
    const bench = await setUp([touch, answer('Done.')]);
    const pty = bench.open([...scripted, 'Go']);
    await pty.onScreen('↑ ↓ and Enter');
    pty.type(`${down}${enterKey}`);
    await pty.onScreen('› 1 [y] allow');
    await wait(200);
    expect(existsSync(join(bench.folder, 'ran'))).toBe(false);
    pty.type(escapeKey);
    expect(await pty.end).toBe(130);
  }, 30_000);

  test('in a small window there is room for what is chosen, and for all in a large one', async () => {
    const bench = await setUp([touch, answer('Done.')]);
    const pty = bench.open([...scripted, 'Go']);
    await pty.onScreen('[esc] stop');
    pty.resize(20, 10);
    expect(await pty.onScreen(' more')).toContain('1 [y] allow');
    for (const _ of [1, 2, 3, 4]) {
      pty.type(down);
      await wait(50);
    }
    expect(await pty.onScreen('› 4 [n] no, with a')).toContain('before');
    pty.resize(80, 30);
    await pty.offScreen('before');
    await pty.onScreen('› 4 [n] no, with a reason');
    pty.type(escapeKey);
    expect(await pty.end).toBe(130);
  }, 30_000);
});

onTerminal('Ctrl-L and Ctrl-Z do what they do everywhere (rule: terminal)', () => {
  test('Ctrl-L at an approval, and while its reason is typed, shows what is asked about again', async () => {
    const bench = await setUp([touch, answer('Done.')]);
    const pty = bench.open([...scripted, 'Go to it']);
    await pty.onScreen('[esc] stop');
    pty.type(ctrlL);
    await pty.offScreen('Go to it');
    expect(await pty.onScreen('run_command needs your approval')).toMatch(/touch ran.*\[y\] allow/s);
    pty.type('n');
    await pty.onScreen('Why not?');
    pty.type(`Not no${ctrlL}`);
    await pty.offScreen('[n] no');
    expect(await pty.onScreen('Not no')).toMatch(/touch ran.*Why not\?.*Not no/s);
    pty.type(`w${enterKey}`);
    expect(await pty.end).toBe(3);
    expect(bench.prompt(1)).toContain('Not now');
  }, 30_000);

  test('Ctrl-L at a question of the model shows the question again', async () => {
    const bench = await setUp([
      act('request_input(question="Where to?", choices=["staging", "production"])'),
      answer('Done.'),
    ]);
    const pty = bench.open([...scripted, 'Go to it']);
    await pty.onScreen('answer:');
    pty.type(ctrlL);
    await pty.offScreen('Go to it');
    expect(await pty.onScreen('[1] staging')).toMatch(/Where to\?.*answer:/s);
    pty.type(`1${enterKey}`);
    expect(await pty.end).toBe(0);
  }, 30_000);

  test.each([
    ['in the line', [answer('Done.')], '', '› half', 'half'],
    ['at an approval', [touch, answer('Done.')], 'Go', '[esc] stop', ''],
    ['while a run is on its way', { text: 'never', delayMs: 60_000 }, 'Go', 'Thinking', ''],
  ])(
    'Ctrl-Z %s leaves the terminal to the shell, and fg comes back to it',
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

onTerminal('a paste whose end never comes (rule: terminal)', () => {
  test('stays in the line after a moment, nothing is sent, and the keys are alive', async () => {
    const bench = await setUp([answer('Done.')]);
    const pty = bench.open(scripted);
    await pty.onScreen('›');
    pty.type('\u001b[200~one\rtwo');
    expect(await pty.onScreen('two')).toContain('› one\n  two');
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
