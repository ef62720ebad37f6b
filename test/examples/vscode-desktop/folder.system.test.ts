import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { describeDesktop, type OpenFolder } from '../../support/vscode-desktop/describe-desktop.js';
import { answering, calling, ended, send, shownToModel, step } from '../vscode/side-view.js';

const canary = 'canary-of-the-disk';
const files = {
  'src/total.py': 'rate = 7\nbase = 100\n',
  'notes.md': '# Notes\n',
  '.env': `PASSWORD=${canary}\n`,
};
const edit = calling('edit_file(path="src/total.py", old_string="rate = 7", new_string="rate = 8")');
const done = answering('Done.');

describeDesktop('a folder in the desktop editor', (suite) => {
  const shown = () => shownToModel(suite.service.fake.requests.at(-1));
  const card = ({ window }: OpenFolder) => window.view.getByRole('region', { name: 'Approval' });
  const onDisk = ({ folder }: OpenFolder, path = 'src/total.py') => readFileSync(join(folder, path), 'utf8');

  test('a folder in the desktop editor is read, and changed on disk after approval', async () => {
    const opened = await suite.open({ files });
    const { window } = opened;
    suite.service.fake.script([calling('search_code(pattern="rate")'), edit, done]);
    await send(window, 'Raise the rate.');
    expect(await card(opened).innerText()).toMatch(
      /Change src\/total\.py\?[\s\S]*-rate = 7[\s\S]*\+rate = 8/,
    );
    await window.page.locator('.monaco-diff-editor').waitFor();
    expect(onDisk(opened)).toBe(files['src/total.py']);
    await card(opened).getByRole('button', { name: 'Accept' }).click();
    expect(await ended(window)).toContain('Answered.');
    expect(onDisk(opened)).toBe('rate = 8\nbase = 100\n');
    expect(shown()).toContain('src/total.py:1: rate = 7');
  });

  test('an approved change is refused if another program changed the file meanwhile, and the model reads that', async () => {
    const opened = await suite.open({ files });
    suite.service.fake.script([edit, done]);
    await send(opened.window, 'Raise the rate.');
    await card(opened).waitFor();
    writeFileSync(join(opened.folder, 'src/total.py'), 'rate = 7  # mine\n');
    await card(opened).getByRole('button', { name: 'Accept' }).click();
    await ended(opened.window);
    expect(onDisk(opened)).toBe('rate = 7  # mine\n');
    expect(await step(opened.window, 1).innerText()).toContain('failed');
    expect(shown()).toMatch(/changed/i);
  });

  test('a change on disk keeps byte order mark and line endings; new files get their folders', async () => {
    const text = '\uFEFFone\r\ntwo\r\n';
    const opened = await suite.open({ files: { ...files, 'windows.txt': text } });
    suite.service.fake.script([
      calling('edit_file(path="windows.txt", old_string="two", new_string="TWO")'),
      calling('write_file(path="docs/new/first.md", content="# First\\n")'),
      done,
    ]);
    await send(opened.window, 'Shout, then write.');
    await card(opened).getByText('+TWO').waitFor();
    await card(opened).getByRole('button', { name: 'Accept' }).click();
    await card(opened).getByText('first.md').first().waitFor();
    await card(opened).getByRole('button', { name: 'Accept' }).click();
    expect(await ended(opened.window)).toContain('Answered.');
    expect(onDisk(opened, 'windows.txt')).toBe(text.replace('two', 'TWO'));
    expect(onDisk(opened, 'docs/new/first.md')).toBe('# First\n');
  });

  test('tools read no secrets and nothing outside the folder, not even through links', async () => {
    const outside = mkdtempSync(join(tmpdir(), 'stepwise-outside-'));
    writeFileSync(join(outside, 'private.txt'), canary);
    const opened = await suite.open({ files });
    symlinkSync(outside, join(opened.folder, 'linked'));
    symlinkSync(join(outside, 'private.txt'), join(opened.folder, 'linked.txt'));
    suite.service.fake.script([
      calling('list_files(path=".")'),
      calling('search_code(pattern="canary")'),
      calling('read_file(path=".env")'),
      calling('read_file(path="linked.txt")'),
      calling('read_file(path="linked/private.txt")'),
      done,
    ]);
    await send(opened.window, 'Look at @.env and @linked.txt');
    expect(await ended(opened.window)).toContain('Answered.');
    rmSync(outside, { recursive: true });
    expect(JSON.stringify(suite.service.fake.requests.map(({ body }) => body))).not.toContain(canary);
    for (const number of [3, 4, 5]) {
      expect(await step(opened.window, number).innerText()).toContain('failed');
    }
    await opened.window.view.getByText('.env is a file of secrets by its name').waitFor();
  });

  test('a workspace folder that links to a secrets folder is not read, and no command runs there', async () => {
    const home = mkdtempSync(join(tmpdir(), 'stepwise-home-'));
    mkdirSync(join(home, '.ssh'));
    writeFileSync(join(home, '.ssh/work_key'), canary);
    symlinkSync(join(home, '.ssh'), join(home, 'docs'));
    const opened = await suite.open({ files: {}, at: join(home, 'docs') });
    suite.service.fake.script([calling('read_file(path="work_key")'), done]);
    await send(opened.window, 'Look at @work_key');
    expect(await ended(opened.window)).toContain('Answered.');
    rmSync(home, { recursive: true });
    expect(JSON.stringify(suite.service.fake.requests.map(({ body }) => body))).not.toContain(canary);
    expect(shown()).not.toMatch(/- (?:read_file|run_command)\(/);
    await opened.window.view.getByText('The folder docs contains secrets').waitFor();
  });

  test('a folder is usable although a parent folder’s name looks like a secrets file', async () => {
    const above = mkdtempSync(join(tmpdir(), '.env-tools-'));
    const folder = join(above, 'project');
    mkdirSync(folder);
    const opened = await suite.open({ files, at: folder });
    suite.service.fake.script([
      calling('read_file(path="notes.md")'),
      calling('read_file(path=".env")'),
      done,
    ]);
    await send(opened.window, 'Look.');
    expect(await ended(opened.window)).toContain('Answered.');
    rmSync(above, { recursive: true });
    expect(shown()).toContain('# Notes');
    expect(shown()).not.toContain(canary);
  });

  test('a search is aborted if the regular expression of the model takes too long', async () => {
    const opened = await suite.open({ files: { ...files, 'long.txt': `${'a'.repeat(60)}!\n` } });
    suite.service.fake.script([calling('search_code(pattern="^(a+)+$")'), done]);
    await send(opened.window, 'Search.');
    expect(await ended(opened.window)).toContain('Answered.');
    expect(shown()).toContain('The pattern takes too long');
  });

  test('the task box completes paths of the folder after @', async () => {
    const { window } = await suite.open({ files });
    const box = window.view.getByRole('textbox', { name: 'Task' });
    await box.pressSequentially('Look at @tot');
    await window.view.getByRole('option', { name: 'src/total.py' }).waitFor();
    await box.press('Tab');
    expect(await box.inputValue()).toBe('Look at @src/total.py ');
  });

  test('an untrusted folder is only read: no changing tools, no workspace settings', async () => {
    const settings = {
      'stepwise.model': 'theirs',
      'stepwise.serviceUrl': 'http://127.0.0.1:9',
      'stepwise.protocol': 'json',
    };
    const opened = await suite.open({
      files: { ...files, '.vscode/settings.json': JSON.stringify(settings) },
      isTrusted: false,
    });
    const { window } = opened;
    suite.service.fake.script([
      calling('read_file(path="notes.md")'),
      calling('run_command(command="touch made")'),
      done,
    ]);
    await send(window, 'Look.');
    expect(await ended(window)).toContain('Answered.');
    expect(shown()).toContain('# Notes');
    expect(shown()).toContain('read_file(');
    expect(shown()).not.toMatch(/- (?:edit_file|write_file|run_command)\(/);
    expect(shown()).toContain('Action: tool_name(');
    expect(suite.service.fake.requests.at(-1)?.body).toMatchObject({ model: 'scripted' });
    expect(() => onDisk(opened, 'made')).toThrow();
  });
});
