import { expect, test } from '@jest/globals';
import { until } from '../../../support/until.js';
import { describeWorkbench } from '../../../support/vscode/describe-workbench.js';
import type { Workbench } from '../../../support/vscode/workbench.js';
import { answering, calling, ended, send, shownToModel, step } from '../side-view.js';

const numbered = (count: number) =>
  Array.from({ length: count }, (_, index) => `export const line${index + 1} = ${index + 1};`).join('\n');

const files = {
  'big.ts': `${numbered(66_000)}\n`,
  'wide.js': `${'const a=1;'.repeat(50_000)}const needle=7;\n`,
  'data.bin': 'a\u0000b',
  'crlf.txt': 'one\r\ntwo\r\nthree\r\n',
  'mixed.txt': 'one\r\ntwo\nthree\r\n',
  'focus.ts': `${numbered(25_000)}\n`,
};

describeWorkbench('unusual files in the extension', (suite) => {
  const shown = () => shownToModel(suite.service.fake.requests.at(-1));
  const accept = async ({ view }: Workbench, change: string) =>
    view
      .getByRole('region', { name: 'Approval' })
      .filter({ hasText: `+${change}` })
      .getByRole('button', { name: 'Accept' })
      .click();

  test('tools read 2 MB texts, 500 KB lines and CRLF files in parts and report binary files', async () => {
    expect(files['big.ts'].length).toBeGreaterThan(2_000_000);
    const workbench = await suite.open({ files });
    suite.service.fake.script([
      calling('read_file(path="big.ts", start_line=65999)'),
      calling('search_code(pattern="line59998\\\\b", path="big.ts")'),
      calling('read_file(path="wide.js")'),
      calling('search_code(pattern="needle", path="wide.js")'),
      calling('read_file(path="data.bin")'),
      calling('read_file(path="crlf.txt")'),
      answering('Read.'),
    ]);
    await send(workbench, 'Read them.');
    expect(await ended(workbench)).toContain('Answered.');
    expect(shown()).toContain('big.ts (lines 65999-66000 of 66000)');
    expect(shown()).toContain('big.ts:59998: export const line59998 = 59998;');
    expect(shown()).toContain('showing 2000 of 500015 characters');
    expect(shown()).toMatch(/wide\.js:1: (?:const a=1;)+ …/);
    expect(shown()).toContain('"data.bin" is a binary file.');
    expect(shown()).toContain('1: one\n2: two\n3: three');
  });

  test('edits of huge files, long lines and CRLF files change only the intended place, and an edit of a binary file fails', async () => {
    const workbench = await suite.open({ files });
    suite.service.fake.script([
      calling('edit_file(path="big.ts", old_string="line59998 = 59998", new_string="line59998 = 0")'),
      calling('edit_file(path="wide.js", old_string="needle=7", new_string="needle=8")'),
      calling('edit_file(path="data.bin", old_string="a", new_string="b")'),
      calling('edit_file(path="crlf.txt", old_string="two", new_string="TWO")'),
      answering('Changed.'),
    ]);
    await send(workbench, 'Change them.');
    await accept(workbench, 'export const line59998 = 0;');
    await accept(workbench, 'const a=1;');
    await accept(workbench, 'TWO');
    expect(await ended(workbench)).toContain('Answered.');
    const isAs = async (path: keyof typeof files, wanted: string) =>
      (await workbench.readFile(path)) === wanted;
    expect(await isAs('big.ts', files['big.ts'].replace('= 59998', '= 0'))).toBe(true);
    expect(await isAs('wide.js', files['wide.js'].replace('needle=7', 'needle=8'))).toBe(true);
    expect(await isAs('data.bin', files['data.bin'])).toBe(true);
    expect(await workbench.readFile('crlf.txt')).toBe('one\r\nTWO\r\nthree\r\n');
    expect(await step(workbench, 3).innerText()).toContain('failed');
  });

  test('a file changed on disk after the proposal, even only in its line endings, is not overwritten', async () => {
    const workbench = await suite.open({ files });
    suite.service.fake.script([
      calling('edit_file(path="mixed.txt", old_string="two", new_string="TWO")'),
      answering('Done.'),
    ]);
    await workbench.openFile('mixed.txt');
    await send(workbench, 'Shout.');
    await workbench.view.getByRole('region', { name: 'Approval' }).waitFor();
    await workbench.probe('setFiles', { ...files, 'mixed.txt': 'one\ntwo\nthree\n' });
    await accept(workbench, 'TWO');
    await ended(workbench);
    expect(await workbench.readFile('mixed.txt')).toBe('one\ntwo\nthree\n');
    expect(shown()).toContain('was changed in the meantime');
  });

  test('a focused file of 25,000 selected lines is cut to the budget, and one of 2 MB is refused', async () => {
    const workbench = await suite.open({ files, settings: { 'stepwise.tokenLimit': 8_000 } });
    const { view } = workbench;
    suite.service.fake.script(answering('Seen.'));
    await workbench.openFile('focus.ts', files['focus.ts']);
    const chips = view.getByRole('list', { name: 'Files of the task' });
    await until(
      async () => await chips.innerText(),
      (text) => text.includes('focus.ts:1-25000'),
    );
    await send(workbench, 'What do you see?');
    expect(await ended(workbench)).toContain('Answered.');
    expect(shown()).toContain('focus.ts');
    expect(shown().length).toBeLessThan(100_000);
    const budget = view.getByRole('region', { name: 'Token budget' });
    await budget.getByText(/Left out or cut/).click();
    expect(await budget.getByRole('list', { name: 'Left out' }).innerText()).toContain('focus.ts');
    await workbench.openFile('big.ts');
    suite.service.fake.script(answering('Seen.'));
    await send(workbench, 'And now?');
    await view.getByText('big.ts is larger than 1 MiB, so it is not sent').waitFor();
  });
});
