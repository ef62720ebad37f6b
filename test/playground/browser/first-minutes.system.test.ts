import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { describePlayground } from '../../support/playground.js';
import { temporaryFolder, writeFiles } from '../../support/temporary-folder.js';
import { until } from '../../support/until.js';

const answer = (text: string) => ({ text: `Thought: I know it.\nFinal Answer: ${text}` });
const task = (page: Page) => page.getByRole('textbox', { name: 'Task' });
const inspector = (page: Page) => page.getByRole('complementary', { name: 'Inspector' });
const home = temporaryFolder();

/** Tags the folder `src` of the example with the keyboard. */
async function tagSources(page: Page): Promise<void> {
  await page.getByRole('tree', { name: 'Files of the project' }).getByRole('treeitem').first().focus();
  await page.keyboard.type('src');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Space');
  await page.getByText('1 tagged').waitFor();
}

async function openCopy(page: Page, files: Readonly<Record<string, string>>): Promise<void> {
  writeFiles(home, files);
  await page.locator('input[type=file][webkitdirectory]').setInputFiles(home);
  await page.getByText('A copy of your folder.').waitFor();
}

describePlayground('the first minutes on the page (rule: playground-page)', (playground) => {
  test('the task field has the focus at once, and typing replaces the proposed task', async () => {
    const { page } = playground;
    await until(async () => (await task(page).inputValue()) !== '');
    await until(() => page.evaluate('getSelection().toString() !== ""'));
    await page.keyboard.type('When does a session end?');
    expect(await task(page).inputValue()).toBe('When does a session end?');
  });

  test.each(['Control', 'Meta'])('%s+Enter runs the task, even outside of the task field', async (key) => {
    const { page } = playground;
    await playground.script(answer('Done.'));
    await page.getByRole('slider', { name: 'Token limit' }).focus();
    await page.keyboard.press(`${key}+Enter`);
    await page.getByText('Answered', { exact: true }).waitFor();
  });

  test('the page has the same default limits as the terminal and says that no key is needed', async () => {
    const { page } = playground;
    await page.getByText('No key needed.').first().waitFor();
    const limit = page.getByRole('slider', { name: 'Token limit' });
    expect(await limit.getAttribute('aria-valuetext')).toBe('32k');
    expect(await page.getByRole('slider', { name: 'Reply reserve' }).getAttribute('aria-valuetext')).toBe(
      '4.0k',
    );
  });

  test('the reply reserve keeps its share when the token limit changes', async () => {
    const { page } = playground;
    const limit = page.getByRole('slider', { name: 'Token limit' });
    const reserve = page.getByRole('slider', { name: 'Reply reserve' });
    await limit.fill('0');
    expect(await limit.getAttribute('aria-valuetext')).toBe('2.0k');
    expect(await reserve.getAttribute('aria-valuetext')).toBe('250');
    await limit.fill('120');
    expect(await reserve.getAttribute('aria-valuetext')).toBe('4.0k');
    await reserve.fill('8');
    expect(await reserve.getAttribute('aria-valuetext')).toBe('640');
    await limit.fill('0');
    expect(await reserve.getAttribute('aria-valuetext')).toBe('100');
    await limit.fill('120');
    expect(await reserve.getAttribute('aria-valuetext')).toBe('640');
    await reserve.fill('50');
    expect(await reserve.getAttribute('aria-valuetext')).toBe('4.0k');
  });

  test('a sent task leaves the field empty, and the next one follows up on the answer', async () => {
    const { page, service } = playground;
    await playground.script([answer('First.'), answer('Second.'), answer('Third.')]);
    await playground.run('Who are you?');
    await playground.ended();
    expect(await task(page).inputValue()).toBe('');
    expect(await page.getByLabel('Follow up on this run').isChecked()).toBe(true);
    await playground.run('And then?');
    await page.getByText('Second.').waitFor();
    expect(JSON.stringify(service.fake.requests.at(-1)?.body)).toContain('Who are you?');
    await playground.ended();
    await page.getByLabel('Follow up on this run').uncheck();
    await playground.run('Something else.');
    await page.getByText('Third.').waitFor();
    expect(JSON.stringify(service.fake.requests.at(-1)?.body)).not.toContain('Who are you?');
  });

  test('a run that fails gives the task back and is not followed up', async () => {
    const { page } = playground;
    await playground.script({ fault: 'unauthorized' });
    await playground.run('Who are you?');
    await playground.ended();
    await until(async () => (await task(page).inputValue()) === 'Who are you?');
    expect(await page.getByLabel('Follow up on this run').isChecked()).toBe(false);
  });

  test('the proposed tasks fit the folder that is open, and never replace a written task', async () => {
    const { page } = playground;
    await openCopy(page, { 'README.md': '# Tides\n', 'src/tide.py': 'x = 1\n' });
    const starters = page.getByRole('list', { name: 'Example tasks' });
    await starters.getByText('What does src/tide.py do?').waitFor();
    expect(await task(page).inputValue()).toBe('What is this project for? Begin with README.md.');
    await task(page).fill('My own task');
    await page.getByRole('button', { name: 'Example', exact: true }).click();
    await starters.getByText('When does a session end?').waitFor();
    expect(await task(page).inputValue()).toBe('My own task');
  });

  test('an imported run opens at its first step, which stays selected when it is clicked', async () => {
    const { page } = playground;
    await playground.button('Run').click();
    await playground.ended();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      playground.button('Export').click(),
    ]);
    await page.locator('input[accept^=".json"]').setInputFiles(await download.path());
    await page.getByRole('navigation', { name: 'Runs' }).waitFor();
    const step = page.getByRole('button', { name: 'Step 1', exact: true });
    expect(await step.getAttribute('aria-pressed')).toBe('true');
    await inspector(page).getByRole('heading', { name: 'Step 1' }).waitFor();
    const isVisible =
      '(() => { const { top } = document.getElementById("step-1").getBoundingClientRect(); return top > 0 && top < innerHeight; })()';
    expect(await page.evaluate(isVisible)).toBe(true);
    await step.click();
    expect(await step.getAttribute('aria-pressed')).toBe('true');
    await inspector(page).getByRole('heading', { name: 'Step 1' }).waitFor();
  });
});

describePlayground('files that do not fit (rule: playground-inspector)', (playground) => {
  test('the files of a tagged folder are sent as far as the budget allows, and the inspector counts them', async () => {
    const { page, service } = playground;
    await tagSources(page);
    await page.getByRole('slider', { name: 'Token limit' }).fill('36');
    await inspector(page).getByText('kept for later steps').waitFor();
    await inspector(page)
      .getByText(/^\d+ of 19 files$/)
      .waitFor();
    await playground.script(answer('One.'));
    await playground.run('What is a coupon?');
    await playground.ended();
    const sent = JSON.stringify(service.fake.requests.at(-1)?.body);
    expect(sent).toContain('src/cart.js');
    expect(sent).not.toContain('README.md');
  });

  test('if a pinned file does not fit, one click raises the token limit, reruns, and includes the whole file', async () => {
    const { page } = playground;
    await tagSources(page);
    await page.getByRole('slider', { name: 'Token limit' }).fill('11');
    await playground.script([answer('One.'), answer('Other.'), answer('Last.')]);
    await playground.run('What is a coupon?');
    await playground.ended();
    const row = inspector(page).getByRole('listitem').filter({ hasText: 'src/server.js' });
    await row.getByRole('button', { name: /^Pin and re-run/ }).click();
    await page.getByText('Other.').waitFor();
    await playground.ended();
    await row.getByRole('button', { name: /^Pin and re-run/ }).click();
    await row.getByText('no more of it fits').waitFor();
    await row.getByRole('button', { name: /^Raise the limit to [\d.]+k and re-run$/ }).click();
    await page.getByText('Last.').waitFor();
    const whole = inspector(page).getByRole('group').filter({ hasText: 'Included whole' });
    await whole.getByText('src/server.js').waitFor();
  });
});
