import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { chromiumBrowser, launchChromium } from '../support/chromium.js';
import { needs } from '../support/needs.js';
import { temporaryFolder, writeFiles } from '../support/temporary-folder.js';
import { startWholeService, type WholeService } from '../support/whole-service.js';

const home = temporaryFolder();
const { describe: inChromium } = needs(chromiumBrowser);

jest.setTimeout(120_000); // a machine may be busy with other things

let service: WholeService;
let browser: Browser;
let page: Page;

inChromium('the folder of the playground (rule: playground-project)', () => {
  beforeAll(async () => {
    service = await startWholeService(undefined, { OFFLINE_MODEL: 'on' });
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });

  test('the keyboard alone can walk the file tree and tag, pin and focus files', async () => {
    await openPage();
    const tree = page.getByRole('tree', { name: 'Files of the project' });
    expect(await tree.getByRole('treeitem').first().getAttribute('tabindex')).toBe('0');
    await tree.getByRole('treeitem').first().focus();
    await page.keyboard.type('src');
    expect(await focused()).toMatchObject({ name: 'src', expanded: 'false', level: '1' });
    await page.keyboard.press('ArrowRight');
    expect(await focused()).toMatchObject({ name: 'src', expanded: 'true' });
    await page.keyboard.type('cart');
    await page.keyboard.press('Space');
    expect(await focused()).toMatchObject({ name: 'cart.js, tagged', selected: 'true', level: '2' });
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    expect(await focused()).toMatchObject({
      pressed: 'true',
      name: expect.stringMatching(/^Pin src\/cart\.js/),
    });
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Shift+Tab');
    expect(await focused()).toMatchObject({ name: 'cart.js, tagged, pinned' });
    await page.keyboard.press('ArrowLeft');
    expect(await focused()).toMatchObject({ name: 'src' });
    await page.getByText('1 tagged · 1 pinned').waitFor();
  });

  test('a run writes to a picked folder after approval, and the page shows and exports the change', async () => {
    await openPage();
    await pickOpfs({ 'a.txt': 'one\n', '.env': 'KEY=1' });
    await page.getByText('On your disk.').waitFor();
    await runScript([
      { text: 'Thought: Change it.\nAction: edit_file(path="a.txt", old_string="one", new_string="two")' },
      { text: 'Final Answer: Done.' },
    ]);
    await page.getByRole('button', { name: 'Allow', exact: true }).click();
    const changes = page.locator('.changes');
    await changes.getByTitle('a.txt').click();
    expect(await changes.textContent()).toContain('+two');
    expect(await textInOpfs('a.txt')).toBe('two\n');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      changes.getByRole('button', { name: 'Patch' }).click(),
    ]);
    expect(readFileSync(await download.path(), 'utf8')).toBe(
      'diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1,1 +1,1 @@\n-one\n+two\n',
    );
  });

  test('changes to a copied folder stay in the page and are not written to disk', async () => {
    await openPage();
    const folder = join(home, 'given');
    writeFiles(folder, { 'src/a.ts': 'const price = 1;', '.gitignore': 'dist', 'dist/b.js': 'x' });
    await page.locator('input[type=file][webkitdirectory]').setInputFiles(folder);
    await page.getByText('2 files').waitFor();
    await runScript([
      { text: 'Thought: New.\nAction: write_file(path="src/new.ts", content="x")' },
      { text: 'Final Answer: Done.' },
    ]);
    await page.getByRole('button', { name: 'Allow', exact: true }).click();
    await page.locator('.changes').getByTitle('src/new.ts').waitFor();
    await page.getByText('3 files').waitFor();
    expect(existsSync(join(folder, 'src/new.ts'))).toBe(false);
  });

  test('a binary file is left out with its reason, and invisible characters of a file name are shown', async () => {
    await openPage();
    const folder = join(home, 'odd');
    writeFiles(folder, { 'logo.png': 'PNG\0\0\0', 'safe\u202Egpj.txt': 'x\n' });
    await page.locator('input[type=file][webkitdirectory]').setInputFiles(folder);
    await page.getByText('2 files').waitFor();
    await page.getByRole('treeitem').first().focus();
    await page.keyboard.press('Space');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Space');
    expect(await focused()).toMatchObject({ name: 'safeU+202Egpj.txt, tagged' });
    const inspector = page.getByRole('complementary', { name: 'Inspector' });
    await inspector.getByText('It was not sent because it is not a text file.').waitFor();
    await inspector.getByText('safeU+202Egpj.txt').waitFor();
    expect(await page.locator('body').innerText()).not.toContain('\u202E');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText('Answered', { exact: true }).waitFor();
    await inspector.getByText('It was not sent because it is not a text file.').waitFor();
  });

  test('closing the folder picker changes nothing, and a refused picker is reported', async () => {
    await openPage();
    await pickerFails('AbortError');
    await page.getByRole('button', { name: 'Work in a folder…' }).click();
    await pickerFails('NotAllowedError');
    await page.getByRole('button', { name: 'Work in a folder…' }).click();
    expect(await page.getByRole('alert').allTextContents()).toEqual([
      'The browser denied access to this folder.',
    ]);
    await page.getByText('An example.').waitFor();
  });

  test('a folder of 10,000 files renders only the visible rows, and End reaches the last file', async () => {
    await openPage();
    await page.evaluate(`window.showDirectoryPicker = async () => ({
      name: 'huge',
      async *values() {
        for (let index = 0; index < 10_000; index += 1) yield { kind: 'file', name: 'file-' + index + '.txt' };
      },
      getFileHandle: async () => { throw new DOMException('no', 'NotFoundError'); },
    })`);
    await page.getByRole('button', { name: 'Work in a folder…' }).click();
    await page.getByText('10,000 files').waitFor();
    await page.getByRole('treeitem').first().focus();
    await page.keyboard.press('End');
    expect(await focused()).toMatchObject({ name: 'file-9999.txt', position: '10000' });
    expect(await page.getByRole('treeitem').count()).toBeLessThan(100);
    await page.getByRole('tree').evaluate((box) => {
      box.scrollTop = 0;
    });
    await page.getByText('file-3.txt').waitFor();
    expect(await focused()).toMatchObject({ name: 'file-9999.txt' }); // scrolling does not move the focus
  });
});

async function openPage(): Promise<void> {
  await page?.close();
  page = await browser.newPage();
  page.setDefaultTimeout(60_000);
  await page.goto(service.url);
  await page.getByRole('treeitem').first().waitFor();
}

const focused = () =>
  page.evaluate(`(() => {
    const { activeElement: at } = document;
    const [name, level, expanded, selected, pressed, position] = ['label', 'level', 'expanded', 'selected', 'pressed', 'posinset']
      .map((attribute) => at.getAttribute('aria-' + attribute));
    return { name, level, expanded, selected, pressed, position };
  })()`);

/** Opens a folder in browser storage (OPFS) as if the person had picked it. */
async function pickOpfs(files: Readonly<Record<string, string>>): Promise<void> {
  await page.evaluate(`(async (files) => {
    const root = await navigator.storage.getDirectory();
    for await (const name of root.keys()) await root.removeEntry(name, { recursive: true });
    for (const [name, text] of Object.entries(files)) {
      const writable = await (await root.getFileHandle(name, { create: true })).createWritable();
      await writable.write(text);
      await writable.close();
    }
    window.showDirectoryPicker = async () => root;
  })(${JSON.stringify(files)})`);
  await page.getByRole('button', { name: 'Work in a folder…' }).click();
}

const textInOpfs = (name: string) =>
  page.evaluate(
    `navigator.storage.getDirectory().then((root) => root.getFileHandle('${name}')).then((file) => file.getFile()).then((file) => file.text())`,
  );

const pickerFails = (name: string) =>
  page.evaluate(
    `window.showDirectoryPicker = async () => { throw new DOMException('no', '${name}'); }; undefined`,
  );

/** Runs a task with these model replies. */
async function runScript(replies: readonly { text: string }[]): Promise<void> {
  service.fake.script(replies);
  await page.locator('input[list=model-names]').fill('gpt-4o');
  await page.getByLabel('Upstream').selectOption('local');
  await page.getByRole('button', { name: 'Run', exact: true }).click();
}
