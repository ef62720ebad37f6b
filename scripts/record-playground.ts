/**
 * Takes the pictures for the README and docs/playground.md: `npm run record:playground`. They show the real
 * playground: the README's with the recorded run, the others with a scripted model. Needs Chromium.
 */
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import type { ScriptedReply } from '../src/offline/testing.js';
import { launchChromium } from '../test/support/chromium.js';
import { startWholeService, type WholeService } from '../test/support/whole-service.js';
import { filmStrip, settle } from './pictures/film-strip.js';

const target = join(process.cwd(), 'docs/recordings');
const size = { width: 1440, height: 900 };

const replies: readonly ScriptedReply[] = [
  {
    text: 'Thought: Coupons are priced in `src/pricing`; I read how one is worked out.\nAction: read_file(path="src/pricing/coupons.js")',
  },
  {
    text: 'Thought: A coupon may take more than is left to pay. I keep it below the subtotal.\nAction: edit_file(path="src/pricing/coupons.js", old_string="if (subtotal < (coupon.minimumCents ?? 0)) return 0;", new_string="if (subtotal < (coupon.minimumCents ?? 0)) return 0;\\n  if (subtotal === 0) return 0;")',
  },
  {
    text: "Thought: The change is in place.\nFinal Answer: **A coupon never takes more than the subtotal.** `couponDiscount` returns 0 for:\n\n- a cart below the coupon's minimum,\n- an empty cart, which `src/pricing/coupons.js` now checks.",
  },
];

async function takePictures(browser: Browser, service: WholeService, colorScheme: 'light' | 'dark') {
  service.fake.script(replies);
  const page = await browser.newPage({ viewport: size, colorScheme });
  const shots: Buffer[] = [];
  const shoot = async () => {
    await settle(page);
    shots.push(await page.screenshot());
  };
  await page.goto(`${service.url}/`);
  await prepare(page);
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.getByRole('button', { name: 'Allow', exact: true }).waitFor();
  await shoot();
  await page.getByRole('button', { name: 'Allow', exact: true }).click();
  await page.getByText('Answered', { exact: true }).waitFor();
  await shoot();
  await page.getByRole('tab', { name: 'Prompt' }).click();
  await page.getByText('Exactly what was sent.').waitFor();
  await shoot();
  await page.getByRole('tab', { name: 'Reply' }).click();
  await shoot();
  await page.close();
  await filmStrip(browser, shots, { path: join(target, `playground-steps-${colorScheme}.png`), size });
}

/** Takes the picture of the README: the recorded run that the first screen offers, at the step where the tests fail. */
async function takeHero(browser: Browser, { url }: WholeService, colorScheme: 'light' | 'dark') {
  const page = await browser.newPage({ viewport: size, colorScheme });
  await page.goto(`${url}/`);
  await page.getByRole('button', { name: 'Watch a recorded run' }).click();
  await page.getByRole('button', { name: 'Show all' }).click();
  await page.getByRole('button', { name: 'Show all' }).waitFor({ state: 'detached' });
  const step = page.getByRole('article', { name: 'Step 6', exact: true });
  await step.getByRole('button', { name: /^Step 6/ }).click();
  await step.evaluate('(element) => element.scrollIntoView({ block: "start" })');
  await settle(page);
  await page.screenshot({ path: join(target, `playground-${colorScheme}.png`) });
  await page.close();
}

/** Enters the task, tags files, and sets a token budget that is too small for all of them. */
async function prepare(page: Page): Promise<void> {
  await page.getByLabel('Upstream').selectOption('local');
  await page.getByLabel('Name', { exact: true }).fill('scripted');
  await page.getByRole('tree', { name: 'Files of the project' }).getByRole('treeitem').first().focus();
  for (const [folder, files] of Object.entries({
    docs: ['pricing'],
    src: ['cart', 'checkout', 'server', 'orders'],
  })) {
    await page.keyboard.type(folder);
    await page.keyboard.press('ArrowRight');
    for (const file of files) {
      await page.waitForTimeout(1_100); // the tree joins keys typed within a second into one search
      await page.keyboard.type(file);
      await page.keyboard.press('Space');
    }
    await page.waitForTimeout(1_100);
  }
  await page.getByRole('slider', { name: 'Token limit' }).fill('22');
  await page
    .getByRole('textbox', { name: 'Task' })
    .fill('A coupon must never take more than the subtotal. Check it.');
}

const service = await startWholeService(undefined, { OFFLINE_MODEL: 'on' });
const browser = await launchChromium();
try {
  for (const colorScheme of ['light', 'dark'] as const) {
    await takeHero(browser, service, colorScheme);
    await takePictures(browser, service, colorScheme);
  }
} finally {
  await browser.close();
  await service.close();
}
