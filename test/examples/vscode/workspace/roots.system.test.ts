import { expect, test } from '@jest/globals';
import { describeWorkbench } from '../../../support/vscode/describe-workbench.js';
import { answering, calling, ended, send, shownToModel, step } from '../side-view.js';

const files = {
  'web/index.ts': 'export const place = "web";\n',
  'api/index.ts': 'export const place = "api";\n',
  'home/me/.ssh/config': 'Host canary-of-the-home\n',
  'home/me/.ssh/work_key': 'canary-of-the-home\n',
};

describeWorkbench('kinds of workspaces in the extension', (suite) => {
  const shown = () => shownToModel(suite.service.fake.requests.at(-1));

  test('without a folder the model gets no file tools and still answers', async () => {
    const workbench = await suite.open({ files: null });
    suite.service.fake.script(answering('Nothing is open.'));
    await send(workbench, 'What is open?');
    expect(await ended(workbench)).toContain('Answered.');
    expect(shown()).not.toContain('read_file');
    expect(await step(workbench, 1).innerText()).toContain('Nothing is open.');
  });

  test('several workspace folders form one tree with their names on top, and a change is made in the folder that its path names', async () => {
    const workbench = await suite.open({ files, folders: [{ path: 'web' }, { path: 'api' }] });
    suite.service.fake.script([
      calling('list_files()'),
      calling('search_code(pattern="place")'),
      calling('edit_file(path="api/index.ts", old_string="api", new_string="API")'),
      answering('Done.'),
    ]);
    await workbench.openFile('web/index.ts');
    await send(workbench, 'Shout, see @api/index.ts');
    await workbench.view
      .getByRole('region', { name: 'Approval' })
      .getByRole('button', { name: 'Accept' })
      .click();
    expect(await ended(workbench)).toContain('Answered.');
    expect(shown()).toContain('api/index.ts\nweb/index.ts\nshowing 2 of 2 files');
    expect(shown()).toContain('api/index.ts:1: export const place = "api";\nweb/index.ts:1: export');
    expect(await workbench.readFile('api/index.ts')).toBe('export const place = "API";\n');
    expect(await workbench.readFile('web/index.ts')).toBe(files['web/index.ts']);
  });

  test('a secrets folder under another workspace name is not listed, read, searched or sent', async () => {
    const folders = [{ path: 'web' }, { path: 'home/me/.ssh', name: 'docs' }];
    const workbench = await suite.open({ files, folders });
    suite.service.fake.script([
      calling('list_files()'),
      calling('search_code(pattern="canary|place")'),
      calling('read_file(path="docs/config")'),
      calling('edit_file(path="docs/config", old_string="Host", new_string="Guest")'),
      answering('Done.'),
    ]);
    await workbench.openFile('home/me/.ssh/work_key');
    await send(workbench, 'Read @docs/config');
    expect(await ended(workbench)).toContain('Answered.');
    expect(shown()).toContain('web/index.ts\nshowing 1 of 1 files');
    expect(shown()).not.toContain('canary-of-the-home');
    expect(await step(workbench, 4).innerText()).toContain('failed');
    const refusals = await workbench.view.getByRole('list', { name: 'Not sent' }).innerText();
    expect(refusals).toContain('The folder docs contains secrets');
    expect(refusals).toContain('work_key is a file of secrets');
  });

  test('in an untrusted workspace the model can read but gets no tools that change files', async () => {
    const workbench = await suite.open({ files, isTrusted: false });
    suite.service.fake.script([
      calling('read_file(path="web/index.ts")'),
      calling('edit_file(path="web/index.ts", old_string="web", new_string="WEB")'),
      answering('Read.'),
    ]);
    await send(workbench, 'Read it.');
    expect(await ended(workbench)).toContain('Answered.');
    expect(shown()).toContain('1: export const place = "web";');
    expect(shown()).not.toContain('write_file');
    expect(await step(workbench, 2).innerText()).toContain('The model’s call could not be read');
    expect(await workbench.statusBar.innerText()).toContain('Restricted Mode');
    expect(await workbench.readFile('web/index.ts')).toBe(files['web/index.ts']);
  });
});
