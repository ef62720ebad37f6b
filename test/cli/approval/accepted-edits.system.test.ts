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

onTerminal('edits of files without asking (rule: accepted-edits)', () => {
  test('Shift-Tab begins it and stands on the screen; commands are asked about; Shift-Tab ends it', async () => {
    const edit = act('edit_file(path="a.txt", old_string="one", new_string="two")');
    const script = [edit, command, answer('One.'), write('b.txt'), answer('Two.')];
    const bench = await setUp(script, { 'a.txt': 'one\n' });
    const pty = bench.open(scripted);
    await pty.onScreen('›');
    pty.type(shiftTab);
    await pty.onScreen(sign);
    pty.type(`Go${enterKey}`);
    expect(await pty.onScreen('[esc] stop')).toContain('run_command needs your approval');
    expect(await pty.onScreen(sign)).not.toContain('[s]');
    expect(pty.shown).toContain('+two'); // what was changed unasked is shown when it is done
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

  test('it is offered where a file is to be changed, holds to the end of the session, and is kept nowhere', async () => {
    const bench = await setUp([write('a.txt'), write('b.txt'), answer('Both.')]);
    const pty = bench.open([...scripted, 'Write']);
    expect(await pty.onScreen('[s] allow this and all file edits in this session (Shift-Tab)')).toContain(
      'a.txt',
    );
    pty.type('s');
    expect(await pty.end).toBe(0);
    expect(readFileSync(join(bench.folder, 'b.txt'), 'utf8')).toBe('made\n');
    expect(existsSync(join(bench.environment['HOME'] ?? '', '.config/stepwise/approvals.json'))).toBe(false);
    bench.provider.script([write('c.txt'), answer('Asked.')]);
    const next = bench.open([...scripted, 'Write']);
    expect(await next.onScreen('c.txt')).not.toContain(sign);
    await next.onScreen('[esc] stop');
    next.type(escapeKey);
    expect(await next.end).toBe(130);
  }, 40_000);

  test('tools of other packages and files that other programs run are asked about', async () => {
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
    expect(await pty.onScreen('save_note needs your approval')).not.toContain('[s]');
    await pty.onScreen('[esc] stop');
    pty.type('y');
    await pty.onScreen('write_file needs your approval');
    expect(existsSync(join(bench.folder, '.husky'))).toBe(false);
    pty.type(escapeKey);
    await pty.onScreen('stopped');
  }, 40_000);

  test('a key among others, as in a paste that is not marked, begins nothing', async () => {
    const bench = await setUp([write('a.txt'), answer('Done.')]);
    const pty = bench.open(scripted);
    await pty.onScreen('›');
    pty.type(`Go${shiftTab}${enterKey}`);
    await pty.onScreen('[s] allow this and all file edits');
    pty.type(`${shiftTab}s`);
    await wait(200);
    expect(await pty.onScreen('[s] allow this and all file edits')).not.toContain(sign);
    expect(existsSync(join(bench.folder, 'a.txt'))).toBe(false);
    pty.type(escapeKey);
    await pty.onScreen('stopped');
  }, 40_000);

  test('with --yes there is nothing to begin', async () => {
    const bench = await setUp([answer('Done.')]);
    const pty = bench.open([...scripted, '--yes']);
    await pty.onScreen('›');
    pty.type(shiftTab);
    await wait(200);
    pty.type(`Hi${enterKey}`);
    expect(await pty.onScreen('Done.')).not.toContain(sign);
  }, 40_000);
});

describe('what counts as an edit of a file in the folder (rule: accepted-edits)', () => {
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
  ])('%s of %j: %s', async (tool_name, path, isCovered) => {
    const root = await ProjectRoot.open(folder);
    const display = new Display(new Emulator().output);
    const edits = new AcceptedEdits({ root, display, needsApproval: true });
    const action = { id: 'c', tool_name, tool_args: { path } };
    // Of the action, the name and the arguments alone are looked at.
    const request = { action } as unknown as Parameters<AcceptedEdits['covers']>[0];
    expect(await edits.covers(request)).toBe(isCovered);
    expect(await edits.allows(request)).toBe(false);
    edits.toggle();
    expect(await edits.allows(request)).toBe(isCovered);
  });
});
