import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { chromiumBrowser, launchChromium } from '../../support/chromium.js';
import { needs } from '../../support/needs.js';
import { describePlayground } from '../../support/playground.js';
import { writeTokenFile } from '../../support/token-file.js';
import { startWholeService } from '../../support/whole-service.js';

jest.setTimeout(120_000); // a machine may be busy with other things

const inspector = (page: Page) => page.getByRole('complementary', { name: 'Inspector' });
const read = { text: 'Thought: I look.\nAction: read_file(path="package.json")' };
const answer = { text: 'Thought: I know it.\nFinal Answer: Done.' };

describePlayground('wording of the page (rule: playground-page)', (playground) => {
  test('the page keeps the line breaks of a question and shows its call as waiting', async () => {
    const { page } = playground;
    const question = {
      text: 'Thought: I ask.\nAction: request_input(question="Which?\\n1. francs\\n2. euros")',
    };
    await playground.script([question, answer]);
    await playground.run('Set the currency.');
    const asked = page.locator('#question');
    await asked.waitFor();
    expect((await asked.innerText()).trim().split('\n')).toHaveLength(3);
    expect(await page.getByRole('main').getByText('waits for you').count()).toBe(1);
    await page.getByLabel('Your answer').fill('francs');
    await playground.button('Answer').click();
    await playground.ended();
    expect(await page.getByRole('main').getByText('waits for you').count()).toBe(0);
  });

  test('the token counts of a run have full names for screen readers, not abbreviations', async () => {
    const { page } = playground;
    await playground.script(answer);
    await playground.run('What is this?');
    await playground.ended();
    const counts = await page.locator('.figures').ariaSnapshot();
    expect(counts).toMatch(/term: Tokens in\n/);
    expect(counts).not.toMatch(/\d in\b/);
  });

  test('the comparison names changed parts of two runs and parts that only one run has', async () => {
    const { page } = playground;
    await playground.script([read, answer, answer]);
    await playground.run('What is this?');
    await playground.ended();
    await playground.button(/Try again from here… Step 1/).click();
    await playground.button('Go on from here').click();
    await page
      .getByText('Here the branch begins', { exact: false })
      .or(page.getByText('Answered'))
      .first()
      .waitFor();
    await playground.ended();
    await playground.button('Compare…').click();
    const states = await page.getByRole('dialog').locator('.pair-state').allInnerTexts();
    expect(states).toEqual(['thought changed; call, result only left; answer only right', 'only left']);
  });
});

describePlayground(
  'the page on a narrow screen (rule: playground-page)',
  (playground) => {
    test('the narrow page says that no language model is called and explains the budget bar', async () => {
      const { page } = playground;
      await page.getByText('No language model is called').filter({ visible: true }).first().waitFor();
      await page.getByRole('main').getByText('Reply reserve').waitFor();
    });

    test('choosing a step on the narrow page opens it in the inspector', async () => {
      const { page } = playground;
      await playground.button('Run').click();
      await playground.ended();
      await playground.button('Step 1').click();
      await inspector(page).getByRole('heading', { name: 'Step 1' }).waitFor();
      expect(await page.evaluate('document.activeElement.id')).toBe('tab-inspect');
    });
  },
  { viewport: { width: 390, height: 844 } },
);

needs(chromiumBrowser).describe('a service that says no (rule: playground-page)', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());

  /** Counts visible elements with this text, live regions included. */
  const countVisible = (page: Page, words: RegExp): Promise<number> =>
    page.getByText(words).filter({ visible: true }).count();

  const rendered = (page: Page): Promise<unknown> =>
    page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');

  const run = async (page: Page): Promise<void> => {
    // The page requests a new preview when the run has ended; a refused run may end before the click returns.
    const preview = page.waitForRequest((request) => request.url().includes('context_preview'));
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText('Ended: an error', { exact: true }).waitFor();
    await (await preview).response().catch(() => null);
    await rendered(page);
  };

  test('the page reports a missing token once, with the remedy, before and after a run', async () => {
    const service = await startWholeService(undefined, {
      OFFLINE_MODEL: 'on',
      AUTH_TOKENS_FILE: writeTokenFile({ token: 't'.repeat(40), name: 'page' }),
    });
    const page = await browser.newPage();
    try {
      await page.goto(`${service.url}/`);
      const words = /requires a token: enter yours under Model/;
      await page.getByText(words).first().waitFor();
      await page.waitForLoadState('networkidle');
      await rendered(page);
      expect(await countVisible(page, words)).toBe(1);
      await run(page);
      expect(await countVisible(page, words)).toBe(1);
    } finally {
      await page.close();
      await service.close();
    }
  });

  test('the page reports an unreachable service once, with the remedy', async () => {
    const service = await startWholeService(undefined, { OFFLINE_MODEL: 'on' });
    const page = await browser.newPage();
    await page.goto(`${service.url}/`);
    await inspector(page).getByText('First prompt', { exact: true }).waitFor();
    await service.close();
    await run(page);
    expect(await countVisible(page, /The service does not respond/)).toBe(1);
    await page.close();
  });
});
