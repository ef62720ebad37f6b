import { expect, test } from '@jest/globals';
import { describeWorkbench } from '../../support/vscode/describe-workbench.js';
import { answering, calling, ended, send, step } from './side-view.js';

const files = {
  'src/total.ts': 'export const total = (a: number, b: number) => a + b;\n',
  'notes.md': '# Notes\n',
};

describeWorkbench('a run in the side view', (suite) => {
  test('the idle view explains what to do, and its controls have accessible names', async () => {
    const { view, page } = await suite.open({ files });
    await view.getByRole('heading', { name: 'Stepwise' }).waitFor({ state: 'attached' });
    await view.getByText('Give the agent a task.').waitFor();
    expect(await view.getByRole('textbox', { name: 'Task' }).count()).toBe(1);
    expect(await view.getByRole('button', { name: 'Send' }).isDisabled()).toBe(true);
    expect(await page.getByRole('tab', { name: 'Stepwise' }).count()).toBe(1);
  });

  test('the view streams a task to its answer with steps, thought, call and result', async () => {
    const workbench = await suite.open({ files });
    suite.service.fake.script([
      calling('read_file(path="src/total.ts")', 'I read how **totals** are made.'),
      { ...answering('It adds *two* numbers.'), chunkDelayMs: 20 },
    ]);
    await send(workbench, 'How are totals made?');
    expect(await ended(workbench)).toContain('Answered.');
    const first = step(workbench, 1);
    expect(await first.locator('strong').innerText()).toBe('totals');
    await first.locator('summary').click();
    expect(await first.innerText()).toMatch(
      /read_file[\s\S]*done[\s\S]*src\/total\.ts[\s\S]*export const total/,
    );
    expect(await step(workbench, 2).locator('em').innerText()).toBe('two');
    expect(await step(workbench, 2).innerText()).toContain('It adds two numbers.');
    expect(await workbench.statusBar.innerText()).toMatch(/[\d.]+k? in \/ \d+ out/);
  });
});
