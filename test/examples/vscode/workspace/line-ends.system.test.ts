import { expect, test } from '@jest/globals';
import type { ScriptedToolCall } from '../../../../src/offline/testing.js';
import { until } from '../../../support/until.js';
import { describeWorkbench } from '../../../support/vscode/describe-workbench.js';
import type { Workbench } from '../../../support/vscode/workbench.js';
import { answering, ended, send, step } from '../side-view.js';

const path = 'notes.md';
const mixed = 'one\r\ntwo\nthree\r\nfour\n';

const edit = (old_string: string, new_string: string): ScriptedToolCall => ({
  name: 'edit_file',
  arguments: { path, old_string, new_string },
});

describeWorkbench('two changes of one file in one step alter only their own bytes', (suite) => {
  const open = () => suite.open({ settings: { 'stepwise.protocol': 'native' } });

  /** Starts a new conversation whose model makes these calls in its first step. */
  async function begin(workbench: Workbench, text: string, toolCalls: readonly ScriptedToolCall[]) {
    await workbench.runCommand('stepwise.newTask');
    await workbench.probe('setFiles', { [path]: text });
    suite.service.fake.script([{ text: 'I shout.', toolCalls }, answering('Done.')]);
    await send(workbench, 'Shout.');
  }

  /** Waits for the approval card of a change and presses one of its buttons. */
  async function decide({ view }: Workbench, change: string, button: string): Promise<void> {
    const card = view.getByRole('region', { name: 'Approval' }).filter({ hasText: `+${change}` });
    await card.getByRole('button', { name: button }).click();
    if (button === 'Reject…') await view.getByRole('button', { name: 'Reject', exact: true }).click();
  }

  const outcomes = async (workbench: Workbench) =>
    (await step(workbench, 1).innerText()).match(/done|denied|failed/g);

  test('two accepted changes of one file keep its mixed line endings, in either order', async () => {
    const workbench = await open();
    for (const order of [
      ['TWO', 'FOUR'],
      ['FOUR', 'TWO'],
    ]) {
      await begin(
        workbench,
        mixed,
        order.map((text) => edit(text.toLowerCase(), text)),
      );
      for (const text of order) await decide(workbench, text, 'Accept');
      expect(await ended(workbench)).toContain('Answered.');
      expect(await workbench.readFile(path)).toBe('one\r\nTWO\nthree\r\nFOUR\n');
      expect(await outcomes(workbench)).toEqual(['done', 'done']);
    }
  });

  test('if one of two changes of a file is rejected, only the other is made', async () => {
    const workbench = await open();
    await begin(workbench, mixed, [edit('two', 'TWO'), edit('four', 'FOUR')]);
    await decide(workbench, 'TWO', 'Reject…');
    await decide(workbench, 'FOUR', 'Accept');
    await ended(workbench);
    expect(await workbench.readFile(path)).toBe('one\r\ntwo\nthree\r\nFOUR\n');
    expect(await outcomes(workbench)).toEqual(['denied', 'done']);
    await begin(workbench, mixed, [edit('two', 'TWO'), edit('four', 'FOUR')]);
    await decide(workbench, 'TWO', 'Accept');
    await decide(workbench, 'FOUR', 'Reject…');
    await ended(workbench);
    expect(await workbench.readFile(path)).toBe('one\r\nTWO\nthree\r\nfour\n');
    expect(await outcomes(workbench)).toEqual(['done', 'denied']);
  });

  test('the editor shows the changed file, and undo reverts the change', async () => {
    const workbench = await open();
    await begin(workbench, mixed, [edit('two', 'TWO'), edit('four', 'FOUR')]);
    await decide(workbench, 'TWO', 'Accept');
    await decide(workbench, 'FOUR', 'Accept');
    await ended(workbench);
    await workbench.openFile(path);
    const lines = async () => (await workbench.editors()).active?.text.split(/\r?\n/).join(' ');
    await until(async () => (await lines()) === 'one TWO three FOUR ');
    expect((await workbench.editors()).active?.isDirty).toBe(false);
    await workbench.runCommand('undo');
    await workbench.runCommand('undo');
    await until(async () => (await lines()) === 'one two three four ');
  });

  test('changes keep CRLF and a byte order mark, and a rewritten file keeps its line endings', async () => {
    const workbench = await open();
    await begin(workbench, '\uFEFFone\r\ntwo\r\nfour\r\n', [
      edit('two\nfour', 'TWO\nFOUR'),
      { name: 'write_file', arguments: { path, content: 'a\nb\n' } },
    ]);
    await decide(workbench, 'TWO', 'Accept');
    await decide(workbench, 'b', 'Reject…');
    await ended(workbench);
    expect(await workbench.readFile(path)).toBe('\uFEFFone\r\nTWO\r\nFOUR\r\n');
    await begin(workbench, 'one\r\ntwo\r\n', [
      { name: 'write_file', arguments: { path, content: 'a\nb\n' } },
      edit('b', 'B'),
    ]);
    await decide(workbench, 'b', 'Accept');
    await decide(workbench, 'B', 'Accept');
    await ended(workbench);
    expect(await workbench.readFile(path)).toBe('a\r\nB\r\n');
    expect(await outcomes(workbench)).toEqual(['done', 'done']);
  });
});
