import { expect, test } from '@jest/globals';
import { axeFindings } from '../../support/axe.js';
import { describePlayground } from '../../support/playground.js';

describePlayground('the recorded run that the first screen offers', (playground) => {
  test('the recorded run plays step by step, is marked as recorded, and shows its end at once on request', async () => {
    const { page, button } = playground;
    await button('Watch a recorded run').click();
    await page.getByText('Recorded run.', { exact: true }).waitFor();
    const steps = page.getByRole('article', { name: /^Step \d+$/ });
    await steps.first().waitFor();
    expect(await steps.count()).toBeLessThan(11);
    await page.getByText('on its way').waitFor();
    await button('Show all').click();
    await page.getByText('Nothing is committed, as you asked.').waitFor();
    expect(await steps.count()).toBe(11);
    expect(await button('Show all').count()).toBe(0);
    expect(await axeFindings(page)).toEqual([]);
  });

  test('the recorded run has its exact prompt, and the recorded follow-up can be opened', async () => {
    const { page, button } = playground;
    await button('Watch a recorded run').click();
    await button('Show all').click();
    await page.getByText('src/server.js').first().waitFor();
    await page.getByRole('tab', { name: 'Prompt' }).click();
    await page.getByText('Exactly what was sent.').waitFor();
    await button(/^Recorded follow-up: Does a coupon count/).click();
    await page.getByText('subtracts all discounts, coupons included').first().waitFor();
  });

  test('a branch of the recorded run works without a key, with the model offline', async () => {
    const { page, button } = playground;
    await button('Watch a recorded run').click();
    await button('Show all').click();
    await button('Step 1').click();
    await button(/^Pin and re-run with src\/server/).click();
    await button(/^Raise the limit to/).click();
    await page.getByText('I cannot write or change anything').waitFor();
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('offline');
    expect(await page.getByText('Nothing was left out.').count()).toBe(1);
  });

  test('a person who wants less motion sees the whole recorded run at once', async () => {
    const { page, button } = playground;
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await button('Watch a recorded run').click();
    await page.getByText('Nothing is committed, as you asked.').waitFor({ timeout: 5_000 });
  });
});
