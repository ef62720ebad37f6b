import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { describePlayground } from '../../support/playground.js';

const focused = 'document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.textContent';
const write = { text: 'Thought: I write.\nAction: write_file(path="notes.md", content="hello")' };
const answer = { text: 'Thought: That is all.\nFinal Answer: Done.' };

/** Presses Tab until the focused element has this name; fails if none has. */
async function tabTo(page: Page, name: RegExp): Promise<void> {
  for (let presses = 0; presses < 200; presses += 1) {
    await page.keyboard.press('Tab');
    if (name.test(String(await page.evaluate(focused)))) return;
  }
  throw new Error(`Tab never reaches ${name}.`);
}

describePlayground('the page with the keyboard alone (rule: playground-page)', (playground) => {
  test('the keyboard alone can start a run and approve; the focus moves visibly to the request', async () => {
    const { page } = playground;
    await playground.script([write, answer]);
    await page.getByRole('textbox', { name: 'Task' }).focus();
    await page.keyboard.type('Write a note.');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('region', { name: 'Allow write_file?' }).waitFor();
    await tabTo(page, /^Allow$/);
    const outline = 'getComputedStyle(document.activeElement).outlineStyle';
    expect(await page.evaluate(outline)).not.toBe('none');
    await page.keyboard.press('Enter');
    await playground.ended();
    await page.getByText('Answered', { exact: true }).waitFor();
  });

  test('Escape first leaves the edited arguments and stops the run only when pressed again', async () => {
    const { page } = playground;
    await playground.script([write, answer]);
    await playground.run('Write a note.');
    await playground.button('Edit…').click();
    await page.getByLabel('Arguments, as JSON').fill('{}');
    await page.keyboard.press('Escape');
    await playground.button('Allow').waitFor();
    await playground.button('Deny…').click();
    await page.keyboard.press('Escape');
    await playground.button('Allow').waitFor();
    await page.keyboard.press('Escape');
    await playground.ended();
  });

  test('arrow keys move between the steps of a run, and the inspector follows', async () => {
    const { page } = playground;
    await playground.button('Run').click();
    await playground.ended();
    await playground.button('Step 1').focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('ArrowDown');
    expect(await page.evaluate(focused)).toMatch(/^Step 2/);
    expect(await page.getByRole('complementary', { name: 'Inspector' }).innerText()).toMatch(/Step \d/);
  });

  test('Tab cycles through the whole page without a focus trap', async () => {
    const { page } = playground;
    await playground.button('Run').click();
    await playground.ended();
    await playground.button('Step 1').focus();
    await page.keyboard.press('Tab');
    await tabTo(page, /^Step 1$/);
  });

  test('a dialog takes the focus and restores it when closed', async () => {
    const { page } = playground;
    await playground.button('Keyboard').focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    expect(await page.evaluate(focused)).toBe('Keyboard');
  });
});

describePlayground('the page for screen readers (rule: playground-page)', (playground) => {
  test('a single live region announces once each step, its call, the pending request, and the end', async () => {
    const { page } = playground;
    await page.evaluate(`
      globalThis.said = [];
      const region = document.querySelector('[role=status]');
      new MutationObserver(() => region.textContent && said.push(region.textContent))
        .observe(region, { childList: true, characterData: true, subtree: true });
    `);
    expect(await page.locator('[aria-live]').count()).toBe(1);
    await playground.script([write, answer]);
    await playground.run('Write a note.');
    await playground.button('Allow').click();
    await playground.ended();
    const said = (await page.evaluate('globalThis.said')) as readonly string[]; // cast: the page pushes only strings
    expect(said).toEqual([...new Set(said)]);
    expect(said.filter((words) => words.includes('waits for your approval'))).toHaveLength(1);
    expect(said.filter((words) => words.includes('begins'))).toHaveLength(2);
    expect(said.at(-1)).toBe('The run has ended: answered.');
  });
});

describePlayground(
  'the page with reduced motion (rule: playground-page)',
  (playground) => {
    test('the page has no animations with reduced motion, even while a question waits', async () => {
      const { page } = playground;
      const running = `document.getAnimations()
        .filter(({ effect }) => effect.getComputedTiming().duration > 1).length`;
      await playground.script([
        { text: 'Thought: I ask.\nAction: request_input(question="Which currency?")' },
        answer,
      ]);
      await playground.run('Ask me.');
      await page.getByLabel('Your answer').waitFor();
      expect(await page.evaluate(running)).toBe(0);
      await playground.button('Stop').click();
      await playground.ended();
    });
  },
  { reducedMotion: 'reduce' },
);
