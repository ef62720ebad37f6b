import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { until } from '../../support/until.js';
import { allStores } from '../../support/vscode/workbench.js';
import { describeDesktop, type OpenFolder } from '../../support/vscode-desktop/describe-desktop.js';
import type { DesktopWindow } from '../../support/vscode-desktop/desktop-window.js';
import { key } from '../../support/whole-service.js';
import { answering, calling, ended, send, shownToModel, step } from '../vscode/side-view.js';

const files = { 'total.py': 'rate = 7\n' };

describeDesktop('windows of one editor', (suite) => {
  const card = ({ window }: OpenFolder) => window.view.getByRole('region', { name: 'Approval' });
  const rateOf = ({ folder }: OpenFolder) => readFileSync(join(folder, 'total.py'), 'utf8');

  test('two windows of the desktop editor each have a run, and an approval applies only to its own', async () => {
    const first = await suite.open({ files });
    const second = await suite.open({ files }, first);
    for (const [{ window }, rate] of [
      [first, 8],
      [second, 9],
    ] as const) {
      suite.service.fake.script([
        calling(`edit_file(path="total.py", old_string="rate = 7", new_string="rate = ${rate}")`),
        answering(`It is ${rate}.`),
      ]);
      const asked = suite.service.fake.requests.length;
      await send(window, `Make it ${rate}.`);
      await suite.service.fake.request(asked);
    }
    await card(first).waitFor();
    suite.service.fake.script(answering('Made.'));
    await card(second).getByRole('button', { name: 'Accept' }).click();
    expect(await ended(second.window)).toContain('Answered.');
    expect([rateOf(first), rateOf(second)]).toEqual(['rate = 7\n', 'rate = 9\n']);
    expect(shownToModel(suite.service.fake.requests.at(-1))).not.toContain('Make it 8.');
    await second.window.page.close();
    await card(first).getByRole('button', { name: 'Accept' }).click();
    expect(await ended(first.window)).toContain('Answered.');
    expect(rateOf(first)).toBe('rate = 8\n');
  });

  test('Stop in the desktop editor aborts a model call, at the provider too', async () => {
    const { window } = await suite.open({ files });
    const asked = suite.service.fake.requests.length;
    suite.service.fake.script({ fault: 'silence' });
    await send(window, 'Wait for ever.');
    const request = await suite.service.fake.request(asked);
    await window.view.getByRole('button', { name: 'Stop' }).click();
    expect(await ended(window)).toContain('Stopped.');
    expect(await request.ended).toBe('aborted');
  });

  test('the desktop editor restores an ended run after a reload', async () => {
    const { window } = await suite.open({ files });
    suite.service.fake.script([calling('read_file(path="total.py")'), answering('It is 7.')]);
    await send(window, 'What is the rate?');
    await ended(window);
    await window.reload();
    await until(
      async () => await step(window, 2).innerText(),
      (text) => text.includes('It is 7.'),
    );
  });

  test('the desktop extension sends the model key in a header and stores it in no file or state', async () => {
    const model = { 'stepwise.upstream': 'openai', 'stepwise.model': 'gpt-4o' };
    const opened = await suite.open({ files: { ...files, '.vscode/settings.json': JSON.stringify(model) } });
    const { window } = opened;
    await window.runCommand('Stepwise: Set model key');
    await until(async () => (await window.inputBox.getAttribute('type')) === 'password');
    await window.inputBox.fill(key);
    await window.inputBox.press('Enter');
    await window.page.getByText('the model key is set').first().waitFor();
    suite.service.fake.script(answering('No.'));
    await send(window, 'Is the key seen?');
    expect(await ended(window)).toContain('Answered.');
    expect(suite.service.fake.requests.at(-1)?.headers['authorization']).toBe(`Bearer ${key}`);
    expect(await stored(window)).not.toContain(key);
    // This machine has no keychain, so the editor's secret storage is in memory.
    const onDisk = [suite.server.dataFolder, opened.folder].flatMap(textsBelow);
    for (const kept of ['gpt-4o', 'Is the key seen?'])
      expect(onDisk.some(({ text }) => text.includes(kept))).toBe(true);
    expect(onDisk.filter(({ text }) => text.includes(key)).map(({ path }) => path)).toEqual([]);
    expect(suite.service.log.join('\n')).not.toContain(key);
    expect(await window.page.content()).not.toContain(key);
  });
});

const stored = async ({ page }: DesktopWindow): Promise<string> => String(await page.evaluate(allStores));

function textsBelow(folder: string): { readonly path: string; readonly text: string }[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .map((path) => ({ path, text: readFileSync(path, 'latin1') }));
}
