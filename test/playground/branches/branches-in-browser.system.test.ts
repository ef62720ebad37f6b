import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { readTrajectory } from '../../../src/sdk/saved/read-trajectory.js';
import { replayRun } from '../../../src/sdk/saved/replay-run.js';
import { describePlayground } from '../../support/playground.js';
import { done, finish, lookUpCall } from '../../support/run-harness.js';

const folder = mkdtempSync(join(tmpdir(), 'stepwise-branches-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const read = { text: 'Thought: I look.\nAction: read_file(path="README.md")' };
const write = { text: 'Thought: I write.\nAction: write_file(path="notes.md", content="hello")' };
const answer = (text: string) => ({ text: `Thought: I know.\nFinal Answer: ${text}` });

/** Makes a run and saves it to a file, as a program with the SDK would. */
async function savedFile(name: string, change: (json: string) => string = (json) => json): Promise<string> {
  // A model that the page's service supports, since the page requests previews of its prompts.
  const llmConfig = { modelName: 'offline', tokenLimit: 8_000, reservedOutputTokens: 1_000 };
  const { run } = await finish([lookUpCall(), done], { llmConfig });
  const file = join(folder, name);
  writeFileSync(file, change(JSON.stringify(run.save())));
  return file;
}

const stepButton = (page: Page, step: number, name: RegExp) =>
  page.getByRole('article', { name: `Step ${step}`, exact: true }).getByRole('button', { name });

const importFile = async (page: Page, file: string): Promise<void> => {
  const choosing = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Import' }).click();
  await (await choosing).setFiles(file);
};

async function exported(page: Page): Promise<string> {
  const downloading = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export' }).click();
  return readFileSync(await (await downloading).path(), 'utf8');
}

describePlayground('branches on the page (rule: playground-branches)', (playground) => {
  test('in a branch the model reads the edited result, and the parent run stays unchanged', async () => {
    const { page, service } = playground;
    await playground.script([read, answer('One.'), answer('Other.')]);
    await playground.run('What is it?');
    await playground.ended();
    await stepButton(page, 1, /Change the result/).click();
    await page
      .getByRole('dialog')
      .getByLabel(/read_file/)
      .fill('It says 7.');
    await page.getByLabel('Instructions').last().fill('Be brief.');
    await playground.button('Go on from here').click();
    await page.getByText('Other.').waitFor();
    const prompt = JSON.stringify(service.fake.requests.at(-1)?.body);
    expect(prompt).toContain('It says 7.');
    expect(prompt).toContain('Be brief.');
    const runs = page.getByRole('navigation', { name: 'Runs' });
    expect(await runs.innerText()).toContain('after step 1, other result of read_file, other instructions');
    await runs.getByRole('button', { name: /^What is it/ }).click();
    expect(await page.getByRole('main').innerText()).not.toContain('It says 7.');
  });

  test('redoing a step keeps the edited arguments of the step before, and the exported branch replays to the same answer', async () => {
    const { page, service } = playground;
    await playground.script([write, answer('One.'), answer('Other.')]);
    await playground.run('Write a note.');
    await playground.button('Edit…').click();
    await page.getByLabel('Arguments, as JSON').fill('{"path": "other.md", "content": "changed"}');
    await playground.button('Run with these').click();
    await playground.ended();
    await stepButton(page, 2, /Try again/).click();
    await playground.button('Go on from here').click();
    await page.getByText('Other.', { exact: true }).waitFor();
    expect(await page.getByText('Write a note.', { exact: true }).count()).toBeGreaterThan(0);
    expect(JSON.stringify(service.fake.requests.at(-1)?.body)).toContain('The user changed the arguments');
    const file = join(folder, 'edited.json');
    writeFileSync(file, await exported(page));
    expect((await replayRun(readTrajectory(readFileSync(file, 'utf8'))).result()).answer).toBe('Other.');
    await importFile(page, file);
    expect(await page.getByRole('main').innerText()).toContain(
      'write_file(path="other.md", content="changed")',
    );
  });

  test('the keyboard alone can compare two branches', async () => {
    const { page } = playground;
    await playground.script([read, answer('The limit is 5 EUR.'), answer('The limit is 7 EUR.')]);
    await playground.run('What is the limit?');
    await playground.ended();
    await stepButton(page, 2, /Try again/).click();
    await page.getByRole('dialog').locator(':focus').waitFor();
    await page.keyboard.press('Control+Enter');
    await page.getByText('The limit is 7 EUR.').waitFor();
    await playground.ended();
    await playground.button('Compare…').press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Compare' });
    const [first, second] = [
      dialog.getByRole('button', { name: 'Step 1 same' }),
      dialog.getByRole('button', { name: 'Step 2 answer changed' }),
    ];
    await first.focus();
    expect(await first.getAttribute('aria-expanded')).toBe('false');
    await page.keyboard.press('ArrowDown');
    expect(await second.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);
    expect(await dialog.locator('mark').allInnerTexts()).toEqual(['5', '7']);
    await page.keyboard.press('Escape');
    expect(await dialog.count()).toBe(0);
  });

  test('Enter renames a run, and Escape keeps its name', async () => {
    const { page } = playground;
    await playground.script([read, answer('One.'), answer('Other.')]);
    await playground.run('What is it?');
    await playground.ended();
    await stepButton(page, 2, /Try again/).click();
    await playground.button('Go on from here').click();
    await page.getByText('Other.', { exact: true }).waitFor();
    await playground.ended();
    const field = page.getByLabel('Name of the run');
    const labels = page.locator('.run-label');
    for (const [name, press] of [
      ['second try', 'Enter'],
      ['cancelled', 'Escape'],
    ] as const) {
      await playground.button('Rename').click();
      await field.fill(name);
      await field.press(press);
      await field.waitFor({ state: 'detached' });
      expect((await labels.allInnerTexts()).at(-1)).toBe('second try');
    }
  });

  test('the Export button removes key and token from a run whose task contains them', async () => {
    const { page, service } = playground;
    const canaries = ['sk-canary-key-0123456789', 'swt-canary-token-0123456789'];
    service.fake.script(answer('Done.'));
    await page.getByLabel('Name', { exact: true }).fill('gpt-4o');
    await page.getByLabel('Service token').fill(canaries[1] ?? '');
    await page.getByLabel('Model key').fill(canaries[0] ?? '');
    await playground.run(`Use ${canaries.join(' and ')}.`);
    await playground.ended();
    const json = await exported(page);
    expect(json).not.toContain('canary');
    expect(readTrajectory(json).task).toBe('Use [key] and [key].');
  });
});

describePlayground('importing run files on the page (rule: playground-branches)', (playground) => {
  test('a run file dropped on the page shows its run, which can be branched with the page’s tools', async () => {
    const { page, service } = playground;
    const json = readFileSync(await savedFile('dropped.json'), 'utf8');
    const brought = await page.evaluateHandle(`(() => {
      const brought = new DataTransfer();
      brought.items.add(new File([${JSON.stringify(json)}], 'dropped.json'));
      return brought;
    })()`);
    await page.dispatchEvent('header', 'dragover', { dataTransfer: brought });
    await page.getByText('a saved run to walk through it').waitFor();
    await page.dispatchEvent('header', 'drop', { dataTransfer: brought });
    await page.getByText('It is 42.').waitFor();
    await playground.script([answer('Again.')]);
    await stepButton(page, 2, /Try again/).click();
    await page.getByRole('dialog').getByRole('combobox', { name: 'Model', exact: true }).fill('scripted');
    await page.getByRole('dialog').getByLabel('Upstream').selectOption('local');
    await playground.button('Go on from here').click();
    await page.getByText('Again.').waitFor();
    const prompt = JSON.stringify(service.fake.requests.at(-1)?.body);
    expect(prompt).toContain('price is 42');
    expect(prompt).toContain('search_code');
  });

  const refused: readonly [string, () => string | Promise<string>, RegExp][] = [
    ['broken', () => savedFile('broken.json', (json) => json.slice(0, 300)), /^broken\.json: .*JSON/],
    [
      'foreign',
      () => savedFile('foreign.json', () => '{"lockfileVersion":3}'),
      /^foreign\.json: .*not a saved run/,
    ],
    [
      'hostile',
      () => savedFile('hostile.json', (json) => json.replace('"new_turns":[', '"new_turns":[7,')),
      /not a saved run/,
    ],
    [
      'huge',
      () => {
        const file = join(folder, 'huge.json');
        writeFileSync(file, '');
        truncateSync(file, 100 * 1024 * 1024);
        return file;
      },
      /100 MB/,
    ],
  ];
  test.each(refused)('a dropped run file that is %s is refused in one sentence', async (_, file, words) => {
    const { page } = playground;
    await importFile(page, await file());
    const said = page.getByRole('alert');
    expect(await said.innerText()).toMatch(words);
    await said.getByRole('button', { name: 'Dismiss' }).click();
    expect(await said.count()).toBe(0);
  });

  test('an imported run with hostile text in every field is shown as plain text', async () => {
    const { page } = playground;
    const evil =
      '<img src=x onerror=alert(1)>\u202Egnp.exe [x](javascript:alert(1)) ![y](http://evil.example/y.png)';
    const file = await savedFile('evil.json', (json) =>
      json
        .replaceAll('Look it up.', JSON.stringify(evil).slice(1, -1))
        .replaceAll('How much is it?', JSON.stringify(evil).slice(1, -1)),
    );
    await importFile(page, file);
    await importFile(page, file);
    await page.getByRole('navigation', { name: 'Runs' }).waitFor();
    await playground.button('Compare…').click();
    expect(await page.locator('img[src], a[href^="javascript"]').count()).toBe(0);
    await page.keyboard.press('Escape');
    await stepButton(page, 1, /Change the result/).click();
    expect(await page.getByRole('dialog').getByRole('heading').innerText()).toBe('Branch from step 1');
  });
});

describePlayground('addresses of steps (rule: playground-branches)', (playground) => {
  test('the address of a step opens it, and so do the browser’s back and forward buttons', async () => {
    const { page } = playground;
    await importFile(page, await savedFile('linked.json'));
    await page.getByText('It is 42.').waitFor();
    const [first, second] = [1, 2].map((step) =>
      page.getByRole('button', { name: `Step ${step}`, exact: true }),
    );
    await second?.click();
    expect(page.url()).toMatch(/#\/run-1\/step\/2$/);
    await page.goBack();
    expect(await first?.getAttribute('aria-pressed')).toBe('true');
    await page.goForward();
    expect(await second?.getAttribute('aria-pressed')).toBe('true');
  });

  test.each([
    ['#/run-1/step/9', 'This run has no step 9: it has 2.'],
    ['#/run-7/step/1', 'The run of this link is not on this page'],
    ['#/view-gone/step/1', 'The command that opened this run has ended'],
    ['#<script>', 'This link names no run or step of this page.'],
  ])('the page reports that the address %s leads nowhere', async (hash, words) => {
    const { page, troubles } = playground;
    await importFile(page, await savedFile('linked.json'));
    await page.getByText('It is 42.').waitFor();
    await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
    await page.getByRole('alert').getByText(words).waitFor();
    // Chromium itself logs the 404 response as an error.
    if (hash.includes('view-')) expect(troubles.splice(0).join()).toContain('404');
  });
});

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Finding {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string }[];
}

async function seriousFindings(page: Page): Promise<readonly string[]> {
  // The page's policy blocks scripts made from text; the debugger's evaluation bypasses it.
  await page.evaluate(axe);
  const found = await page.evaluate('axe.run({ resultTypes: ["violations"] })');
  const { violations } = found as { violations: readonly Finding[] }; // as axe-core documents it
  return violations
    .filter(({ impact }) => ['serious', 'critical'].includes(impact))
    .map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
}

for (const [colorScheme, width] of [
  ['light', 1440],
  ['dark', 400],
] as const) {
  describePlayground(
    `accessibility of branches and comparisons, ${colorScheme}, ${width} px wide (rule: playground-branches)`,
    (playground) => {
      test('the tree of runs, the branch dialog and the comparison have no serious axe-core findings', async () => {
        const { page } = playground;
        await importFile(page, await savedFile('one.json'));
        await importFile(page, await savedFile('other.json', (json) => json.replaceAll('price', 'weight')));
        await page.getByRole('navigation', { name: 'Runs' }).waitFor();
        expect(await seriousFindings(page)).toEqual([]);
        await stepButton(page, 1, /Change the result/).click();
        expect(await seriousFindings(page)).toEqual([]);
        await page.keyboard.press('Escape');
        const [runs] = await page.getByRole('navigation', { name: 'Runs' }).getByText('Runs').all();
        if (!(await playground.button('Compare…').isVisible())) await runs?.click();
        await playground.button('Compare…').click();
        expect(await page.locator('mark').count()).toBeGreaterThan(0);
        expect(await seriousFindings(page)).toEqual([]);
      });
    },
    { colorScheme, viewport: { width, height: 844 } },
  );
}
