import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { describePlayground } from '../../support/playground.js';

const inspector = (page: Page) => page.getByRole('complementary', { name: 'Inspector' });
const answer = (text: string) => ({ text: `Thought: I know it.\nFinal Answer: ${text}` });

/** Tags each file in the example's `src/pricing`, more than a small budget can hold. */
async function tagPricing(page: Page): Promise<void> {
  await page.getByRole('tree', { name: 'Files of the project' }).getByRole('treeitem').first().focus();
  for (const folder of ['src', 'pricing']) {
    await page.keyboard.type(folder);
    await page.keyboard.press('ArrowRight');
  }
  for (const file of ['coupons', 'discounts', 'price-cart', 'shipping']) {
    // The tree finds a row by the letters typed. Home clears the letters typed before.
    await page.keyboard.press('Home');
    await page.keyboard.type(file);
    await page.keyboard.press('Space');
  }
  await page.getByText('4 tagged').waitFor();
}

const setSlider = (page: Page, name: string, position: number) =>
  page.getByRole('slider', { name }).fill(String(position));

describePlayground('the inspector of a step (rule: playground-inspector)', (playground) => {
  test('the inspector names files that a small budget left out and why; pinning one includes it in a branch', async () => {
    const { page, service } = playground;
    await tagPricing(page);
    await inspector(page).getByText('Nothing was left out.').waitFor();
    await setSlider(page, 'Token limit', 6);
    const drawer = inspector(page).getByRole('group').filter({ hasText: 'Left out or cut' });
    await drawer.waitFor();
    await playground.script([answer('One.'), answer('Other.')]);
    await playground.run('What is a coupon?');
    await playground.ended();
    const pin = drawer.getByRole('button', { name: /^Pin and re-run/ }).last();
    const path = (await pin.innerText()).split(' ').at(-1) ?? '';
    expect(path).toMatch(/^src\/pricing\/\w/);
    expect(await drawer.innerText()).toMatch(/room|budget|fit/i);
    await pin.click();
    await page.getByText('Other.').waitFor();
    expect(JSON.stringify(service.fake.requests.at(-1)?.body)).toContain(path);
    const context = inspector(page).getByRole('group').filter({ hasText: 'Included whole' });
    expect(await context.innerText()).toContain(path);
    expect(await page.getByRole('navigation', { name: 'Runs' }).innerText()).toContain('pinned');
  });

  test('the budget slider shows which files a smaller budget would leave out', async () => {
    const { page } = playground;
    await tagPricing(page);
    await playground.script(answer('One.'));
    await playground.run('What is a coupon?');
    await playground.ended();
    await inspector(page).getByText('With another budget').click();
    await setSlider(page, 'Budget to compare with', 0);
    await inspector(page)
      .getByText(/^left out · /)
      .first()
      .waitFor();
    await setSlider(page, 'Budget to compare with', 100);
    await inspector(page)
      .getByText(/^left out · /)
      .first()
      .waitFor({ state: 'hidden' });
  });

  test('the inspector labels the prompt as exactly what was sent, and shows its last line', async () => {
    const { page, service } = playground;
    await playground.script([
      { text: 'Thought: I look.\nAction: read_file(path="package.json")' },
      answer('Done.'),
    ]);
    await playground.run('What is this?');
    await playground.ended();
    await inspector(page).getByRole('tab', { name: 'Prompt' }).click();
    await inspector(page).getByText('Exactly what was sent.').waitFor();
    const sent = service.fake.requests.at(-1)?.body['messages'] as readonly { content: string }[]; // cast: the format of OpenAI's messages
    const shown = await inspector(page).locator('pre').allInnerTexts();
    const last = sent.at(-1)?.content.trimEnd().split('\n').at(-1) ?? '';
    expect(shown.join('\n')).toContain(last);
  });

  test('the inspector shows all prompt messages in one text size with their roles, including the worked example', async () => {
    const { page } = playground;
    await playground.script(answer('Done.'));
    await playground.run('What is this?');
    await playground.ended();
    await inspector(page).getByRole('tab', { name: 'Prompt' }).click();
    await inspector(page).getByText('Exactly what was sent.').waitFor();
    const names = inspector(page).locator('.message summary b');
    expect(await names.allTextContents()).toEqual([
      'system',
      'user, in an example of the form',
      'assistant, in an example of the form',
      'user',
    ]);
    const sizes = await page.evaluate(
      `[...document.querySelectorAll('.message summary b')].map((name) => getComputedStyle(name).fontSize)`,
    );
    expect(new Set(sizes as string[]).size).toBe(1);
  });

  test('the inspector marks every character of a reply as thought, call or discarded', async () => {
    const { page } = playground;
    const text =
      'Thought: I look.\nAction: read_file(path="package.json")\nObservation: {"name": "made up"}\nFinal Answer: no';
    await playground.script([{ text }, answer('Done.')]);
    await playground.run('What is this?');
    await playground.ended();
    await playground.button('Step 1').click();
    await inspector(page).getByRole('tab', { name: 'Reply' }).click();
    const reply = inspector(page);
    await reply.getByText(/Call/).first().waitFor(); // the parser is loaded by now
    const said = await reply.innerText();
    expect(said).toMatch(/Call/);
    expect(said).toMatch(/Discarded|Not read|Left aside/i);
    expect(said).toContain('made up');
  });

  test('the inspector copies the request as a shell command without the key', async () => {
    const { page } = playground;
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await playground.script(answer('Done.'));
    await playground.run("It's $HOME `date`");
    await playground.ended();
    await inspector(page).getByRole('tab', { name: 'Request' }).click();
    await inspector(page).getByRole('button', { name: /curl/i }).click();
    const copied = String(await page.evaluate('navigator.clipboard.readText()'));
    expect(copied).toMatch(/^curl /);
    expect(copied).toContain("It's $HOME `date`");
  });
});
