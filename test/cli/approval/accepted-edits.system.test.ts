import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { AcceptedEdits } from '../../../src/cli/approval/accepted-edits.js';
import { Display } from '../../../src/cli/display/display.js';
import { ProjectRoot } from '../../../src/tools/project-root.js';
import { act, answer, enterKey, escapeKey, scripted, setUp, terminal } from '../../support/cli-harness.js';
import { Emulator } from '../../support/emulator.js';
import { needs } from '../../support/needs.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const { describe: onTerminal } = needs(terminal);
const shiftTab = '\u001b[Z';
const sign = 'file edits are allowed without asking';
const write = (path: string) => act(`write_file(path=${JSON.stringify(path)}, content="made\\n")`);
const command = act('run_command(command="touch ran")');

onTerminal('accepted edits (rule: accepted-edits)', () => {
  test('Shift-Tab switches the approval of edits off and on and shows the state; commands still need approval', async () => {
    const edit = act('edit_file(path="a.txt", old_string="one", new_string="two")');
    const script = [edit, command, answer('One.'), write('b.txt'), answer('Two.')];
    const bench = await setUp(script, { 'a.txt': 'one\n' });
    const pty = bench.open(scripted);
    await pty.onScreen('›');
    pty.type(shiftTab);
    await pty.onScreen(sign);
    pty.type(`Go${enterKey}`);
    const screen = await pty.onScreen('run_command needs your approval', '[esc] stop', '↑ ↓ and Enter', sign);
    expect(screen).not.toContain('[s]');
    expect(pty.shown).toContain('+two'); // the diff of an edit without approval is printed afterwards
    expect(readFileSync(join(bench.folder, 'a.txt'), 'utf8')).toBe('two\n');
    expect(existsSync(join(bench.folder, 'ran'))).toBe(false);
    pty.type('y');
    await pty.onScreen('One.');
    pty.type(shiftTab);
    await pty.offScreen(sign);
    pty.type(`Again${enterKey}`);
    await pty.onScreen('write_file needs your approval');
    expect(existsSync(join(bench.folder, 'b.txt'))).toBe(false);
    pty.type(escapeKey);
    await pty.onScreen('stopped');
  }, 40_000);

  test('the approval question of an edit offers to allow all edits, for this session only', async () => {
    const bench = await setUp([write('a.txt'), write('b.txt'), answer('Both.')]);
    const pty = bench.open([...scripted, 'Write']);
    await pty.onScreen('[s] allow this and all file edits in this session (Shift-Tab)', 'a.txt');
    pty.type('s');
    expect(await pty.end).toBe(0);
    expect(readFileSync(join(bench.folder, 'b.txt'), 'utf8')).toBe('made\n');
    expect(existsSync(join(bench.environment['HOME'] ?? '', '.config/stepwise/approvals.json'))).toBe(false);
    bench.provider.script([write('c.txt'), answer('Asked.')]);
    const next = bench.open([...scripted, 'Write']);
    expect(await next.onScreen('c.txt', '[esc] stop', '↑ ↓ and Enter')).not.toContain(sign);
    next.type(escapeKey);
    expect(await next.end).toBe(130);
  }, 40_000);

  test('when all edits are allowed, custom tools and edits of Git hooks still need approval', async () => {
    const bench = await setUp([act('save_note(path="n.txt")'), write('.husky/pre-commit'), answer('No.')], {
      'tools.mjs': `export const tools = [{
        name: 'save_note', description: 'Saves.', annotations: { requiresApproval: true },
        inputSchema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
        execute: async () => 'saved',
      }];`,
    });
    const pty = bench.open([...scripted, '--tools', join(bench.folder, 'tools.mjs')]);
    await pty.onScreen('›');
    pty.type(shiftTab);
    await pty.onScreen(sign);
    pty.type(`Go${enterKey}`);
    const screen = await pty.onScreen('save_note needs your approval', '[esc] stop', '↑ ↓ and Enter');
    expect(screen).not.toContain('[s]');
    pty.type('y');
    await pty.onScreen('write_file needs your approval');
    expect(existsSync(join(bench.folder, '.husky'))).toBe(false);
    pty.type(escapeKey);
    await pty.onScreen('stopped');
  }, 40_000);

  test('Shift-Tab inside a paste without bracketed-paste sequences does not allow edits', async () => {
    const bench = await setUp([write('a.txt'), answer('Done.')]);
    const pty = bench.open(scripted);
    await pty.onScreen('›');
    pty.type(`Go${shiftTab}${enterKey}`);
    await pty.onScreen('[s] allow this and all file edits');
    pty.type(`${shiftTab}s`);
    pty.type('\u001b[B');
    const screen = await pty.onScreen('[s] allow this and all file edits', '› 1 [y] allow', '↑ ↓ and Enter');
    expect(screen).not.toContain(sign);
    expect(existsSync(join(bench.folder, 'a.txt'))).toBe(false);
    pty.type(escapeKey);
    await pty.onScreen('stopped');
  }, 40_000);

  test('Shift-Tab does nothing with --yes', async () => {
    const bench = await setUp([answer('Done.')]);
    const pty = bench.open([...scripted, '--yes']);
    await pty.onScreen('›');
    pty.type(shiftTab);
    // The key has an effect only if it arrives separately from the text. With --yes nothing visible shows that it has
    // arrived.
    await wait(200);
    pty.type(`Hi${enterKey}`);
    expect(await pty.onScreen('Done.')).not.toContain(sign);
  }, 40_000);
});

describe('calls that "allow all edits" covers (rule: accepted-edits)', () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, '.git/hooks'), { recursive: true });
  mkdirSync(join(folder, 'src'));
  writeFileSync(join(folder, 'src/a.ts'), '');
  symlinkSync('.git/hooks', join(folder, 'hooks'));
  symlinkSync('/tmp', join(folder, 'outside'));

  test.each([
    ['edit_file', 'src/a.ts', true],
    ['write_file', 'new/folder/b.ts', true],
    ['write_file', './src/../src/a.ts', true],
    ['write_file', '.git/hooks/pre-commit', false],
    ['write_file', 'src/../.git/config', false],
    ['write_file', 'hooks/pre-commit', false],
    ['write_file', '.envrc', false],
    ['write_file', 'src/.npmrc', false],
    ['write_file', '../elsewhere.txt', false],
    ['write_file', '/etc/hosts', false],
    ['write_file', 'outside/b.txt', false],
    ['write_file', '', false],
    ['run_command', 'src/a.ts', false],
    ['server_write_file', 'src/a.ts', false],
  ])('allowing all edits covers the call of %s for the path %j: %s', async (tool_name, path, isCovered) => {
    const root = await ProjectRoot.open(folder);
    const display = new Display(new Emulator().output);
    const edits = new AcceptedEdits({ root, display, needsApproval: true });
    const action = { id: 'c', tool_name, tool_args: { path } };
    // Cast: the methods only read the name and the arguments of the action.
    const request = { action } as unknown as Parameters<AcceptedEdits['covers']>[0];
    expect(await edits.covers(request)).toBe(isCovered);
    expect(await edits.allows(request)).toBe(false);
    edits.toggle();
    expect(await edits.allows(request)).toBe(isCovered);
  });
});
