import { readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { build } from 'esbuild';
import fc from 'fast-check';
import type { Browser, Page } from 'playwright-core';
import type { ToolArguments } from '../../src/sdk/actions/define-tool.js';
import { chromiumBrowser, launchChromium, servePage } from '../support/chromium.js';
import { inMemory } from '../support/memory-project.js';
import { needs } from '../support/needs.js';
import { call, outcomeOf, project } from '../support/random-project.js';
import { temporaryFolder, writeFiles } from '../support/temporary-folder.js';

const home = temporaryFolder();

const { describe: inChromium } = needs(chromiumBrowser);

/**
 * Script of the test page. It uses the origin private file system (OPFS), whose handles have the same type as
 * those that the browser’s folder picker returns.
 */
const lab = `
  import * as tools from './portable/index.js';
  const searchIn = () => tools.matchLinesInWorker(() => new Worker('/worker.js', { type: 'module' }));
  const outcome = async (work) => Promise.resolve().then(work).catch(({ name: kind, message }) => ({ kind, message }));
  globalThis.lab = {
    async emptyFolder() {
      const root = await navigator.storage.getDirectory();
      for await (const name of root.keys()) await root.removeEntry(name, { recursive: true });
      return root;
    },
    async put(root, path, base64) {
      const parts = path.split('/');
      const name = parts.pop();
      let folder = root;
      for (const part of parts) folder = await folder.getDirectoryHandle(part, { create: true });
      const writable = await (await folder.getFileHandle(name, { create: true })).createWritable();
      await writable.write(Uint8Array.from(atob(base64), (each) => each.charCodeAt(0)));
      await writable.close();
    },
    async textOf(root, path) {
      return (await (await root.getFileHandle(path)).getFile()).text();
    },
    open(handle) {
      this.use(tools.pickedStore(handle));
    },
    /** Opens the files of a folder input. Their paths start with the name of the folder. */
    openFiles(files) {
      this.use(tools.memoryStore([...files].map((file) => [file.webkitRelativePath.replace(/^[^/]*\\//, ''), file])));
    },
    use(store) {
      this.folder = new tools.StoredFolder(store);
      this.tools = tools.createFileTools(this.folder, { matchLines: searchIn() });
    },
    async callTool(name, args) {
      const tool = this.tools.find((each) => each.name === name);
      const context = { signal: new AbortController().signal, callId: 'call_1', earlierCallIds: [] };
      return [await outcome(() => tool.preview?.(args, context)), await outcome(() => tool.execute(args, context))];
    },
  };`;

async function bundle(contents: string): Promise<string> {
  const stdin = { contents, resolveDir: '.build/src/tools' };
  const { outputFiles } = await build({ stdin, bundle: true, format: 'esm', write: false });
  return outputFiles[0]?.text ?? '';
}

let browser: Browser;
let site: Awaited<ReturnType<typeof servePage>>;

inChromium('file tools in a browser', () => {
  beforeAll(async () => {
    site = await servePage({
      '/': '<!doctype html><title>Lab</title><script type="module" src="/lab.js"></script><input type="file" webkitdirectory>',
      '/lab.js': await bundle(lab),
      '/worker.js': await bundle(
        `import { answerSearches } from './portable/index.js'; answerSearches(self);`,
      ),
    });
    browser = await launchChromium();
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    await site?.close();
  });

  test('every file tool returns the same for a picked folder as for a folder in memory (rule: portable-tools)', async () => {
    const page = await openLab();
    await fc.assert(
      fc.asyncProperty(project, fc.array(call, { minLength: 1, maxLength: 8 }), async (files, calls) => {
        await openOpfs(page, Object.fromEntries(files));
        const { tools } = inMemory(Object.fromEntries(files));
        for (const { name, args } of calls)
          expect(await inPage(page, name, args)).toEqual(json(await outcomeOf(tools, name, args)));
      }),
      { numRuns: 25 },
    );
  }, 120_000);

  test('a picked folder writes a new file, and rejects a write if the old text is not as expected (rule: portable-tools)', async () => {
    const page = await openLab();
    await openOpfs(page, { 'a.txt': Buffer.from('one\n') });
    expect(await inPage(page, 'write_file', { path: 'new/deep/b.txt', content: 'b' })).toMatchObject([
      expect.stringContaining('--- /dev/null'),
      'Created new/deep/b.txt: 1 lines.',
    ]);
    expect(await page.evaluate('lab.folder.changes')).toEqual([{ path: 'new/deep/b.txt', after: 'b' }]);
    const ends = await page.evaluate(`(async () => {
      const root = await navigator.storage.getDirectory();
      const end = (name, expected) =>
        lab.folder.write(name, { text: 'never', expected }).then(() => 'written', ({ message }) => message);
      await lab.put(root, 'a.txt', btoa('somebody else'));
      const ends = [await end('a.txt', 'one\\n'), await end('a.txt', undefined), await end('gone.txt', 'one')];
      return [...ends, await lab.textOf(root, 'a.txt'), (await Array.fromAsync(root.keys())).sort()];
    })()`);
    const changed = expect.stringContaining('was changed in the meantime');
    expect(ends).toEqual([changed, changed, changed, 'somebody else', ['a.txt', 'new']]);
  });

  test('refused write permission is a ToolError, and a withdrawn folder is a TerminalToolError (rule: portable-tools)', async () => {
    const page = await openLab();
    await openOpfs(page, { 'a.txt': Buffer.from('one') });
    await page.evaluate(`(async () => {
      const root = await navigator.storage.getDirectory();
      root.queryPermission = async () => 'prompt';
      root.requestPermission = async () => 'denied';
      lab.open(root);
    })()`);
    const edit = { path: 'a.txt', old_string: 'one', new_string: 'two' };
    expect(await inPage(page, 'edit_file', edit)).toMatchObject([
      expect.stringContaining('+two'),
      { kind: 'ToolError', message: 'The browser may not write to this folder, so nothing was changed.' },
    ]);
    await page.evaluate(`(async () => {
      const root = await navigator.storage.getDirectory();
      root.getFileHandle = async () => { throw new DOMException('no', 'NotAllowedError'); };
      lab.open(root);
    })()`);
    expect(await inPage(page, 'read_file', { path: 'a.txt' })).toMatchObject([
      null,
      { kind: 'TerminalToolError', message: 'The browser may no longer use the folder. (a.txt)' },
    ]);
  });

  test('in a browser, a backtracking expression times out without blocking the page (rule: portable-tools)', async () => {
    const page = await openLab();
    await openOpfs(page, { 'a.txt': Buffer.from(`${'a'.repeat(40)}!\nprice`) });
    await page.evaluate('globalThis.turns = 0; setInterval(() => { turns += 1; }, 10);');
    const [evil, next] = await Promise.all([
      inPage(page, 'search_code', { pattern: '(a+)+$' }),
      inPage(page, 'search_code', { pattern: 'price' }),
    ]);
    expect(evil).toMatchObject([null, { message: 'The pattern takes too long; use a simpler one.' }]);
    expect(next).toEqual([null, 'a.txt:2: price\nshowing 1 of 1 matches']);
    expect(await page.evaluate('turns')).toBeGreaterThan(3);
  });

  test('the tools follow no links in a dropped folder and read files with unusual names (rule: containment)', async () => {
    const folder = join(home, 'project');
    writeFiles(folder, {
      'a.txt': 'inside',
      "ä  b%20/[1]'s #.txt": 'odd',
      '.env': 'KEY=1',
      'x\\y.txt': 'no',
    });
    writeFiles(join(home, 'outside'), { 'secret.txt': 'the secret' });
    symlinkSync('../outside', join(folder, 'out'));
    symlinkSync('../outside/secret.txt', join(folder, 'secret.txt'));
    symlinkSync('a.txt', join(folder, 'inner.txt'));
    const page = await openLab();
    await dropFolder(page, folder);
    expect(await inPage(page, 'list_files', {})).toEqual([
      null,
      "a.txt\nä  b%20/[1]'s #.txt\nshowing 2 of 2 files",
    ]);
    expect(await inPage(page, 'read_file', { path: "ä  b%20/[1]'s #.txt" })).toEqual([
      null,
      expect.stringContaining('odd'),
    ]);
    for (const path of ['out/secret.txt', 'secret.txt', 'inner.txt', '.env'])
      expect(await inPage(page, 'read_file', { path })).toMatchObject([
        null,
        { message: expect.stringContaining('no readable file') },
      ]);
    expect(await inPage(page, 'search_code', { pattern: 'secret' })).toEqual([null, 'No matches.']);
  });

  test('the tools read and edit the files of a folder input without changing the disk', async () => {
    const folder = join(home, 'given');
    writeFiles(folder, {
      'src/a.ts': 'const price = 1;',
      '.gitignore': 'dist',
      'dist/b.js': 'x',
      '.env': 'KEY=1',
    });
    const page = await openLab();
    await page.locator('input').setInputFiles(folder);
    await page.evaluate(`lab.openFiles(document.querySelector('input').files)`);
    expect(await inPage(page, 'list_files', {})).toEqual([
      null,
      '.gitignore\nsrc/a.ts\nshowing 2 of 2 files',
    ]);
    await inPage(page, 'edit_file', { path: 'src/a.ts', old_string: '1', new_string: '2' });
    expect(await inPage(page, 'search_code', { pattern: 'price' })).toEqual([
      null,
      expect.stringContaining('const price = 2'),
    ]);
    expect(readFileSync(join(folder, 'src/a.ts'), 'utf8')).toBe('const price = 1;');
    expect(await page.evaluate('lab.folder.changes.length')).toBe(1);
  });
});

const json = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

async function openLab(): Promise<Page> {
  const page = await browser.newPage();
  await page.goto(site.url);
  await page.waitForFunction('globalThis.lab');
  return page;
}

/** Drops a folder on disk on the page, so that the browser creates a real handle for it. */
async function dropFolder(page: Page, folder: string): Promise<void> {
  await page.evaluate(`globalThis.dropped = new Promise((resolve) => {
    document.addEventListener('dragover', (event) => event.preventDefault());
    document.addEventListener('drop', async (event) => {
      event.preventDefault();
      resolve(lab.open(await event.dataTransfer.items[0].getAsFileSystemHandle()));
    });
  }); undefined`);
  const session = await page.context().newCDPSession(page);
  const data = { items: [], files: [folder], dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
    await session.send('Input.dispatchDragEvent', { type, x: 50, y: 50, data });
  await page.evaluate('dropped');
}

async function openOpfs(page: Page, files: Readonly<Record<string, Uint8Array>>): Promise<void> {
  const encoded = Object.entries(files).map(([path, bytes]) => [path, Buffer.from(bytes).toString('base64')]);
  await page.evaluate(`(async (files) => {
    const root = await lab.emptyFolder();
    for (const [path, bytes] of files) await lab.put(root, path, bytes);
    lab.open(root);
  })(${JSON.stringify(encoded)})`);
}

const inPage = async (page: Page, name: string, args: ToolArguments): Promise<unknown> =>
  json(await page.evaluate(`lab.callTool(${JSON.stringify(name)}, ${JSON.stringify(args)})`));
