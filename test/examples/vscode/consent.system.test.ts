import { expect, test } from '@jest/globals';
import { describeWorkbench } from '../../support/vscode/describe-workbench.js';
import type { Workbench } from '../../support/vscode/workbench.js';
import { answering, calling, ended, send, step } from './side-view.js';

const files = { 'notes.md': 'one\n', 'other.md': 'uno\n' };
const edit = (path: string, from: string, to: string) =>
  calling(`edit_file(path="${path}", old_string="${from}", new_string="${to}")`);

describeWorkbench('approvals apply only to exactly what was approved', (suite) => {
  const card = ({ view }: Workbench) => view.getByRole('region', { name: 'Approval' });
  const toast = ({ page }: Workbench, words: string) =>
    page.locator('.notification-toast').filter({ hasText: words });

  test('an old notification of another conversation does not approve a call with the same id', async () => {
    const workbench = await suite.open({ files, settings: { 'stepwise.askIn': 'notification' } });
    const done = answering('Done.');
    suite.service.fake.script([edit('notes.md', 'one', 'two'), done, edit('other.md', 'uno', 'due'), done]);
    await send(workbench, 'Count.');
    await toast(workbench, 'notes.md').waitFor();
    await card(workbench).getByRole('button', { name: 'Accept' }).click();
    await ended(workbench);
    await workbench.view.getByRole('button', { name: 'New task' }).click();
    await send(workbench, 'Count on.');
    await toast(workbench, 'other.md').waitFor();
    // Notifications disappear after some seconds, but remain in this list.
    await workbench.runCommand('notifications.showList');
    const listed = (words: string) =>
      workbench.page.locator('.notifications-center .notification-list-item').filter({ hasText: words });
    await listed('notes.md').getByRole('button', { name: 'Accept' }).click();
    await listed('notes.md').waitFor({ state: 'detached' });
    await listed('other.md').getByRole('button', { name: 'Reject' }).click();
    await ended(workbench);
    expect(await step(workbench, 1).innerText()).toContain('denied');
    expect(await workbench.readFile('other.md')).toBe('uno\n');
  });

  test('a notification shows a hostile file name without a link', async () => {
    const workbench = await suite.open({ files, settings: { 'stepwise.askIn': 'notification' } });
    suite.service.fake.script([
      calling('write_file(path="[Show](command:workbench.action.closeAllEditors)", content="x")'),
      answering('Done.'),
    ]);
    await send(workbench, 'Write it.');
    const message = toast(workbench, 'wants to change').locator('.notification-list-item-message');
    await message.waitFor();
    expect(await message.locator('a').count()).toBe(0);
    expect(await message.innerText()).toContain('command:workbench.action.closeAllEditors');
  });

  test('an approved change of a file with mixed line endings changes only the intended line', async () => {
    const workbench = await suite.open({ files: { ...files, 'notes.md': 'one\r\ntwo\nthree\r\nfour\n' } });
    suite.service.fake.script([edit('notes.md', 'two', 'TWO'), answering('Done.')]);
    await send(workbench, 'Shout, and see @.env');
    await card(workbench).getByRole('button', { name: 'Accept' }).click();
    await ended(workbench);
    const saved = await workbench.readFile('notes.md');
    expect(saved.split(/\r?\n/)).toEqual(['one', 'TWO', 'three', 'four', '']);
    await workbench.view.getByText('.env is a file of secrets by its name, so it is not sent.').waitFor();
  });

  test('settings of the wrong type do not break the view', async () => {
    const settings = { 'stepwise.model': null, 'stepwise.upstream': 5, 'stepwise.maxSteps': 'many' };
    const { view } = await suite.open({ files, settings });
    await view.getByRole('textbox', { name: 'Task' }).waitFor();
  });
});
