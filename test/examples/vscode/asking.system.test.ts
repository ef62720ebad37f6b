import { expect, test } from '@jest/globals';
import type { ScriptedCompletion } from '../../../src/offline/testing.js';
import { until } from '../../support/until.js';
import { describeWorkbench } from '../../support/vscode/describe-workbench.js';
import type { Workbench } from '../../support/vscode/workbench.js';
import { answering, calling, ended, shownToModel } from './side-view.js';

const files = { 'a.md': 'one\n', 'b.md': 'uno\n' };
const editA = calling('edit_file(path="a.md", old_string="one", new_string="two")');
const editB = calling('edit_file(path="b.md", old_string="uno", new_string="due")');
const done = answering('Done.');

describeWorkbench('approvals outside the view', (suite) => {
  const shown = () => shownToModel(suite.service.fake.requests.at(-1));
  const toast = ({ page }: Workbench, words: string) =>
    page.locator('.notification-toast').filter({ hasText: words });
  const dialog = ({ page }: Workbench) => page.locator('.monaco-dialog-box');

  /** Starts a run while the side view is hidden. */
  async function begin(workbench: Workbench, ...script: ScriptedCompletion[]): Promise<unknown> {
    await workbench.probe('setFiles', files);
    await workbench.runCommand('workbench.view.explorer');
    await until(async () => (await workbench.page.locator('iframe.webview.ready').count()) === 0);
    suite.service.fake.script(script);
    return workbench.runCommand('stepwise.ask', 'Count.');
  }

  /** Edits the proposed call in the view and accepts it. */
  async function acceptEdited({ view }: Workbench, words: string): Promise<void> {
    await view.getByRole('button', { name: 'Edit…' }).click();
    await view.getByLabel('new_string').fill(words);
    await view.getByRole('button', { name: 'Accept as edited' }).click();
  }

  test('while the view is hidden, a notification for each call can allow it, deny it or open it for editing', async () => {
    const workbench = await suite.open({ files });
    const first = begin(workbench, editA, editB, done);
    await toast(workbench, 'change a.md').getByRole('button', { name: 'Accept' }).click();
    await toast(workbench, 'change b.md').getByRole('button', { name: 'Reject' }).click();
    await first;
    expect(await workbench.readFile('a.md')).toBe('two\n');
    expect(await workbench.readFile('b.md')).toBe('uno\n');
    expect(shown()).toContain('The user refused this call');
    const second = begin(workbench, editA, done);
    await toast(workbench, 'change a.md').getByRole('button', { name: 'Show' }).click();
    await acceptEdited(workbench, 'three');
    await second;
    expect(await workbench.readFile('a.md')).toBe('three\n');
    expect(shown()).toContain('three');
  });

  test('hiding the view turns a pending approval or question into a notification', async () => {
    const workbench = await suite.open({ files });
    const { view } = workbench;
    await view.getByRole('textbox', { name: 'Task' }).waitFor();
    suite.service.fake.script([editA, calling('request_input(question="Which [one](command:x)?")'), done]);
    const run = workbench.runCommand('stepwise.ask', 'Count.');
    await view.getByRole('region', { name: 'Approval' }).waitFor();
    expect(await toast(workbench, 'change a.md').count()).toBe(0);
    await workbench.runCommand('workbench.view.explorer');
    await toast(workbench, 'change a.md').getByRole('button', { name: 'Accept' }).click();
    await toast(workbench, 'the model asks: Which [one] (command:x)?')
      .getByRole('button', { name: 'Answer' })
      .click();
    await view.getByLabel('Your answer').waitFor();
    await workbench.runCommand('workbench.action.toggleSidebarVisibility');
    await toast(workbench, 'the model asks').last().getByRole('button', { name: 'Answer' }).click();
    await view.getByLabel('Your answer').fill('the second');
    await view.getByRole('button', { name: 'Answer' }).click();
    await run;
    expect(await workbench.readFile('a.md')).toBe('two\n');
    expect(shown()).toContain('the second');
  });

  test('a dialog shows each change and can allow it, deny it or leave it to the view', async () => {
    const workbench = await suite.open({ files, settings: { 'stepwise.askIn': 'dialog' } });
    const first = begin(workbench, editA, editB, done);
    await until(async () => /change a\.md[\s\S]*\+two/.test(await dialog(workbench).innerText()));
    await dialog(workbench).getByRole('button', { name: 'Accept' }).click();
    await until(async () => /change b\.md[\s\S]*\+due/.test(await dialog(workbench).innerText()));
    await dialog(workbench).getByRole('button', { name: 'Reject' }).click();
    await first;
    expect(await workbench.readFile('a.md')).toBe('two\n');
    expect(await workbench.readFile('b.md')).toBe('uno\n');
    const second = begin(workbench, editA, done);
    await dialog(workbench).getByRole('button', { name: 'Cancel' }).click();
    expect(await workbench.readFile('a.md')).toBe('one\n');
    await workbench.runCommand('stepwise.show');
    await acceptEdited(workbench, 'three');
    await second;
    expect(await workbench.readFile('a.md')).toBe('three\n');
  });

  test('in the view a call can be edited field by field, and "Back" returns to the approval question', async () => {
    const workbench = await suite.open({ files });
    const { view } = workbench;
    suite.service.fake.script([
      calling('write_file(path="new.md", content="first\\nsecond\\n")', 'I write.'),
      done,
    ]);
    const run = workbench.runCommand('stepwise.ask', 'Write.');
    await view.getByRole('button', { name: 'Edit…' }).click();
    await view.getByRole('button', { name: 'Back' }).click();
    await view.getByRole('button', { name: 'Edit…' }).click();
    expect(await view.getByLabel('content').inputValue()).toBe('first\nsecond\n');
    await view.getByLabel('content').fill('first\nlast\n');
    await view.getByLabel('path').fill('other.md');
    await view.getByRole('button', { name: 'Accept as edited' }).click();
    await run;
    expect(await ended(workbench)).toContain('Answered.');
    expect(await workbench.readFile('other.md')).toBe('first\nlast\n');
    await expect(workbench.readFile('new.md')).rejects.toThrow();
    expect(shown()).toContain('other.md');
  });

  test('an edited call is refused if another program changed the file since it was shown', async () => {
    const workbench = await suite.open({ files });
    suite.service.fake.script([calling('write_file(path="a.md", content="two\\n")'), done]);
    const run = workbench.runCommand('stepwise.ask', 'Write.');
    await workbench.view.getByRole('button', { name: 'Edit…' }).click();
    await workbench.probe('setFiles', { ...files, 'a.md': 'mine\n' });
    await workbench.view.getByLabel('content').fill('three\n');
    await workbench.view.getByRole('button', { name: 'Accept as edited' }).click();
    await run;
    expect(await workbench.readFile('a.md')).toBe('mine\n');
    expect(shown()).toContain('"a.md" was changed in the meantime');
  });

  test('a call whose text has mixed line endings cannot be edited in a text box', async () => {
    const workbench = await suite.open({ files });
    const write = (content: string) => calling(`write_file(path="new.md", content="${content}")`);
    suite.service.fake.script([write('a\\r\\nb\\r\\n'), write('a\\r\\nb\\n'), done]);
    const run = workbench.runCommand('stepwise.ask', 'Write.');
    const card = workbench.view.getByRole('region', { name: 'Approval' });
    await card.getByRole('button', { name: 'Edit…' }).click();
    await card.getByLabel('content').fill('a\nc\n');
    await card.getByRole('button', { name: 'Accept as edited' }).click();
    await card.getByText('-c').waitFor();
    expect(await workbench.readFile('new.md')).toBe('a\r\nc\r\n');
    expect(await card.getByRole('button', { name: 'Edit…' }).count()).toBe(0);
    await card.getByRole('button', { name: 'Accept' }).click();
    await run;
    expect(await workbench.readFile('new.md')).toBe('a\r\nb\r\n');
  });
});
