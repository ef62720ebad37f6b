import { expect, test } from '@jest/globals';
import { axeFindings } from '../../support/axe.js';
import { until } from '../../support/until.js';
import { describeWorkbench } from '../../support/vscode/describe-workbench.js';
import { answering, calling, ended, send, unfoldAll } from './side-view.js';

const path = 'src/total.ts';
const files = { [path]: `${'export const rate = 7;\n'.repeat(400)}export const base = 100;\n` };

describeWorkbench('accessibility of the view', (suite) => {
  test.each([
    'light',
    'dark',
  ] as const)('the view in the %s theme has no serious axe-core findings when idle, asking and answered', async (theme) => {
    const workbench = await suite.open({ files, theme, settings: { 'stepwise.tokenLimit': 3_000 } });
    const { view } = workbench;
    const findings = async () => {
      const frame = await workbench.viewFrame();
      // The view is transparent; give it the workbench's background so that contrast can be measured.
      await frame.evaluate("document.documentElement.style.background = 'var(--vscode-sideBar-background)'");
      return axeFindings(frame);
    };
    suite.service.fake.script([
      calling('create_tasks(tasks=["Read it.", "Change it."])'),
      calling(`read_file(path="${path}", start_line=399)`),
      calling(`edit_file(path="${path}", old_string="base = 100", new_string="base = 101")`),
      calling('request_input(question="Which currency?", choices=["francs", "euros"])'),
      answering('**Done**, with `base` raised:\n\n- one\n- two\n\n| a | b |\n| - | - |\n| 1 | 2 |'),
    ]);
    await workbench.openFile(path);
    await view.getByRole('button', { name: `Leave out ${path}` }).waitFor();
    expect(await findings()).toEqual([]);
    await send(workbench, 'Raise the base.');
    await view.getByRole('region', { name: 'Approval' }).waitFor();
    expect(await findings()).toEqual([]);
    await view.getByRole('button', { name: 'Accept' }).click();
    await view.getByRole('heading', { name: 'Which currency?' }).waitFor();
    expect(await findings()).toEqual([]);
    await view.getByRole('button', { name: 'euros' }).click();
    await ended(workbench);
    await unfoldAll(workbench);
    expect(await findings()).toEqual([]);
  });

  test('the keyboard alone can make a run in the extension, and status messages announce its approval and its end', async () => {
    const workbench = await suite.open({ files });
    const { view } = workbench;
    suite.service.fake.script([calling(`write_file(path="new.ts", content="1")`), answering('Written.')]);
    const box = view.getByRole('textbox', { name: 'Task' });
    await box.focus();
    await box.pressSequentially('Write a file.');
    await box.press('Enter');
    const status = view.getByRole('status');
    await until(async () => (await status.innerText()) === 'A change of new.ts waits for your approval.');
    await view.getByRole('button', { name: 'Accept' }).focus();
    await view.getByRole('button', { name: 'Accept' }).press('Enter');
    await until(async () => (await status.innerText()) === 'Answered.');
    expect(await workbench.readFile('new.ts')).toBe('1');
  });
});
