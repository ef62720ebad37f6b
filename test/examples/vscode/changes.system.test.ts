import { expect, test } from '@jest/globals';
import type { ScriptedCompletion } from '../../../src/offline/testing.js';
import { until } from '../../support/until.js';
import { describeWorkbench } from '../../support/vscode/describe-workbench.js';
import type { Workbench } from '../../support/vscode/workbench.js';
import { answering, calling, ended, send, shownToModel, step } from './side-view.js';

const path = 'src/total.ts';
const files = { [path]: 'export const rate = 7;\nexport const base = 100;\n' };
const changed = 'export const rate = 8;\nexport const base = 100;\n';
const edit = calling(
  `edit_file(path="${path}", old_string="rate = 7", new_string="rate = 8")`,
  'I raise it.',
);
const editAgain = calling(`edit_file(path="${path}", old_string="rate = 8", new_string="rate = 9")`);
const done = answering('Done.');

describeWorkbench('a change proposed by the model', (suite) => {
  const shown = () => shownToModel(suite.service.fake.requests.at(-1));

  async function begin(...script: ScriptedCompletion[]): Promise<Workbench> {
    const workbench = await suite.open({ files });
    suite.service.fake.script(script);
    await send(workbench, 'Raise the rate.');
    await card(workbench).waitFor();
    return workbench;
  }
  const card = ({ view }: Workbench) => view.getByRole('region', { name: 'Approval' });

  test('a proposed change is shown as a diff; accepting writes it, and undo reverts it', async () => {
    const workbench = await begin(edit, done);
    expect(await card(workbench).innerText()).toMatch(
      /Change src\/total\.ts\?[\s\S]*-export const rate = 7;[\s\S]*\+export const rate = 8;/,
    );
    await workbench.page.locator('.monaco-diff-editor').waitFor();
    expect((await workbench.editors()).tabs).toContain('src/total.ts (change by Stepwise)');
    expect(await workbench.readFile(path)).toBe(files[path]);
    await card(workbench).getByRole('button', { name: 'Accept' }).click();
    expect(await ended(workbench)).toContain('Answered.');
    expect(await workbench.readFile(path)).toBe(changed);
    expect((await workbench.editors()).tabs).not.toContain('src/total.ts (change by Stepwise)');
    await workbench.openFile(path);
    await workbench.runCommand('undo');
    await until(async () => (await workbench.editors()).active?.text === files[path]);
  });

  test('the approval card shows every line of a change, even those that look like diff headers', async () => {
    const text = '-- a remark\nselect 1;\n';
    const workbench = await suite.open({ files: { 'total.sql': text } });
    const write = 'write_file(path="total.sql", content="++ total\\nselect 1;\\n")';
    suite.service.fake.script([calling(write), done]);
    await send(workbench, 'Total it.');
    const shownLines = (await card(workbench).innerText()).split('\n');
    expect(shownLines).toEqual(expect.arrayContaining(['--- a remark', '+++ total', ' select 1;']));
    expect(shownLines.filter((line) => line.includes('total.sql'))).toHaveLength(2); // the title, and "Always"
  });

  test('a rejected change leaves the file unchanged, and the model reads the reason', async () => {
    const workbench = await begin(edit, done);
    await card(workbench).getByRole('button', { name: 'Reject…' }).click();
    await workbench.view.getByLabel('Why not?').fill('The rate is set by law.');
    await workbench.view.getByRole('button', { name: 'Reject', exact: true }).click();
    await ended(workbench);
    expect(await workbench.readFile(path)).toBe(files[path]);
    expect(shown()).toContain('The rate is set by law.');
    expect(await step(workbench, 1).innerText()).toContain('denied');
  });

  test('the commands behind the buttons above the diff accept and reject a change', async () => {
    const workbench = await begin(edit, editAgain, done);
    await workbench.page.locator('.monaco-diff-editor').waitFor();
    await workbench.page.getByRole('button', { name: 'Accept the change' }).click();
    await until(
      async () => await card(workbench).innerText(),
      (text) => text.includes('+export const rate = 9;'),
    );
    const rejecting = workbench.runCommand('stepwise.rejectChange');
    await workbench.inputBox.fill('Once is enough.');
    await workbench.inputBox.press('Enter');
    await rejecting;
    await ended(workbench);
    expect(await workbench.readFile(path)).toBe(changed);
    expect(shown()).toContain('Once is enough.');
  });

  test('a change of a file that was modified meanwhile is refused, and the model reads that', async () => {
    const workbench = await begin(edit, done);
    await workbench.probe('setFiles', { [path]: 'export const rate = 7; // mine\n' });
    await card(workbench).getByRole('button', { name: 'Accept' }).click();
    await ended(workbench);
    expect(await workbench.readFile(path)).toBe('export const rate = 7; // mine\n');
    expect(await step(workbench, 1).innerText()).toContain('failed');
    expect(shown()).toMatch(/changed/i);
  });

  test('a change is refused if the person types in the file at that moment, and their text stays', async () => {
    const workbench = await suite.open({ files });
    await workbench.openFile(path);
    suite.service.fake.script([edit, done]);
    await send(workbench, 'Raise the rate.');
    await card(workbench).waitFor();
    await workbench.openFile(path);
    await workbench.probe('holdReads');
    await card(workbench).getByRole('button', { name: 'Accept' }).click();
    await workbench.view.getByText('Running edit_file').waitFor();
    await workbench.probe('replaceText', `// mine\n${files[path]}`);
    await workbench.probe('releaseReads');
    expect(await ended(workbench)).toContain('Answered.');
    expect(await step(workbench, 1).innerText()).toContain('failed');
    expect(await workbench.readFile(path)).toBe(files[path]);
    expect((await workbench.editors()).active?.text).toBe(`// mine\n${files[path]}`);
  });

  test('a change of a file with unsaved text edits that text without saving it', async () => {
    const workbench = await suite.open({ files });
    await workbench.openFile(path);
    await workbench.probe('replaceText', `// mine\n${files[path]}`);
    suite.service.fake.script([edit, done]);
    await send(workbench, 'Raise the rate.');
    await card(workbench).getByRole('button', { name: 'Accept' }).click();
    await ended(workbench);
    expect(await workbench.readFile(path)).toBe(files[path]);
    expect((await workbench.editors()).tabs).toContain('total.ts');
    await workbench.openFile(path);
    expect((await workbench.editors()).active).toMatchObject({ text: `// mine\n${changed}`, isDirty: true });
  });

  test('a change of a deleted file is refused and does not recreate it', async () => {
    const workbench = await begin(edit, done);
    await workbench.probe('deleteFile', path);
    await card(workbench).getByRole('button', { name: 'Accept' }).click();
    await ended(workbench);
    expect(await step(workbench, 1).innerText()).toContain('failed');
    await expect(workbench.readFile(path)).rejects.toThrow();
  });

  test('always allowing a file skips approval of its next change until the rules are forgotten', async () => {
    const workbench = await begin(edit, editAgain, done);
    await card(workbench)
      .getByRole('button', { name: 'Always in this session: changes of src/total.ts' })
      .click();
    expect(await ended(workbench)).toContain('Answered.');
    expect(await workbench.readFile(path)).toContain('rate = 9');
    await workbench.runCommand('stepwise.forgetApprovals');
    await workbench.probe('setFiles', files);
    suite.service.fake.script([edit, done]);
    await send(workbench, 'Raise it once more.');
    await card(workbench).waitFor();
    await workbench.view.getByRole('button', { name: 'Stop', exact: true }).click();
    expect(await ended(workbench)).toContain('Stopped.');
    expect(await workbench.readFile(path)).toBe(files[path]);
  });

  test('a new file is shown as new and created when accepted', async () => {
    const write = calling('write_file(path="src/new.ts", content="export const fresh = 1;\\n")');
    const workbench = await begin(write, done);
    await workbench.page.locator('.monaco-diff-editor').waitFor();
    expect((await workbench.editors()).tabs).toContain('src/new.ts (new file by Stepwise)');
    await card(workbench).getByRole('button', { name: 'Accept' }).click();
    await ended(workbench);
    expect(await workbench.readFile('src/new.ts')).toBe('export const fresh = 1;\n');
  });
});
