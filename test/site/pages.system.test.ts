import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, jest } from '@jest/globals';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { axeFindings } from '../support/axe.js';
import { chromiumBrowser, launchChromium } from '../support/chromium.js';
import { needs } from '../support/needs.js';
import { buildSite, builtSite, serveSite, siteGenerator, sitePages } from './built-site.js';

const { test, describe } = needs(chromiumBrowser, siteGenerator);
jest.setTimeout(600_000);

let site: Awaited<ReturnType<typeof serveSite>>;
let browser: Browser;

beforeAll(async () => {
  await buildSite();
  site = await serveSite();
  browser = await launchChromium();
}, 900_000);
afterAll(async () => {
  await browser.close();
  await site.close();
});

/** Opens a page and collects errors and requests that leave the site. */
async function openPage(options: BrowserContextOptions) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const trouble: string[] = [];
  page.on('pageerror', ({ message }) => trouble.push(message));
  page.on('console', (said) => {
    if (['error', 'warning'].includes(said.type())) trouble.push(`${said.type()}: ${said.text()}`);
  });
  page.on('request', (request) => {
    if (!/^data:/.test(request.url()) && !request.url().startsWith(site.url)) trouble.push(request.url());
  });
  page.on('response', (response) => {
    if (response.status() >= 400) trouble.push(`${response.status()} ${response.url()}`);
  });
  return { page, context, trouble };
}

const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
const isFile = (path: string): boolean => path.startsWith('source/');
const isDark = 'document.documentElement.classList.contains("dark")';

for (const [colorScheme, width] of [
  ['light', 1440],
  ['dark', 390],
] as const) {
  test(`each page opens without errors, requests to other origins or serious axe-core findings, ${colorScheme}, ${width} wide`, async () => {
    const { page, context, trouble } = await openPage({ colorScheme, viewport: { width, height: 844 } });
    const pages = sitePages();
    expect(pages.length).toBeGreaterThan(70);
    // Pages that show files of the repository look alike, so they are opened in one variant only.
    for (const path of pages.filter((each) => colorScheme === 'light' || !isFile(each))) {
      await page.goto(`${site.url}${path}`, { waitUntil: isFile(path) ? 'load' : 'networkidle' });
      const found = { dark: await page.evaluate(isDark), overflow: await page.evaluate(overflow), trouble };
      expect([path, found]).toEqual([path, { dark: colorScheme === 'dark', overflow: 0, trouble: [] }]);
      if (!isFile(path)) expect([path, await axeFindings(page)]).toEqual([path, []]);
    }
    expect(trouble).toEqual([]);
    await context.close();
  }, 1_200_000);
}

describe('the search of the site', () => {
  for (const [words, wanted] of [
    ['Retry-After', 'docs/reference/errors.html#retry-after'],
    ['unreadable_action', 'docs/reference/steps-and-histories.html#unreadable-action'],
    ['left out', 'docs/reference/context-and-budget.html#left-out-manifest'],
    ['getReadiness', 'api/get-readiness.html'],
    ['kubectl', 'docs/operating.html'],
  ] as const) {
    test(`the search finds ${words}, and Enter opens the first result`, async () => {
      const { page, context, trouble } = await openPage({});
      await page.goto(`${site.url}docs/terminal.html`);
      await search(page, words);
      await page.locator('#localsearch-list a.result').first().waitFor();
      const results = await page.locator('#localsearch-list a.result').all();
      const hrefs = await Promise.all(results.map((each) => each.getAttribute('href')));
      expect(hrefs.slice(0, 5).join('\n')).toContain(wanted);
      expect(await axeFindings(page)).toEqual([]);
      await page.emulateMedia({ colorScheme: 'dark' });
      await page.waitForFunction(isDark);
      expect(await axeFindings(page)).toEqual([]);
      await page.keyboard.press('Enter');
      await page.waitForURL(`${new URL(hrefs[0] ?? '', site.url)}*`);
      expect(trouble).toEqual([]);
      await context.close();
    });
  }

  test('the search ignores repository files and says when it finds nothing', async () => {
    const { page, context } = await openPage({});
    await page.goto(site.url);
    await search(page, 'kustomize.config.k8s.io');
    await page.locator('.no-results').waitFor();
    await context.close();
  });
});

async function search(page: Page, words: string): Promise<void> {
  await page
    .getByRole('button', { name: /search/i })
    .first()
    .click();
  await page.locator('input.search-input').fill(words);
}

test('the selected theme survives a reload, and the picture changes with it', async () => {
  const { page, context } = await openPage({ colorScheme: 'light' });
  await page.goto(site.url);
  const picture = page.locator('main img').filter({ visible: true });
  expect(await picture.getAttribute('src')).toContain('playground-light');
  await page.getByRole('switch').filter({ visible: true }).click();
  await page.locator('main img.in-dark').filter({ visible: true }).waitFor();
  await page.reload();
  expect(await page.evaluate(isDark)).toBe(true);
  expect(await picture.getAttribute('src')).toContain('playground-dark');
  await context.close();
});

test('on a narrow screen, a wide table does not make the whole page scroll sideways', async () => {
  const { page, context } = await openPage({ viewport: { width: 390, height: 844 } });
  await page.goto(`${site.url}docs/errors-and-retries.html`);
  const cells = page.locator('main table').first().locator('tbody tr').first().locator('td');
  const [, , , what] = await Promise.all((await cells.all()).map((each) => each.boundingBox()));
  expect(what?.width).toBeGreaterThan(180);
  expect(await page.evaluate(overflow)).toBe(0);
  await context.close();
});

test('the page for an unknown address links to the start page and mentions the search', async () => {
  const { page, context } = await openPage({});
  await page.goto(`${site.url}404.html`);
  await page.getByText('There is no page at this address. The search finds pages').waitFor();
  await page.getByRole('link', { name: 'Go to the start' }).click();
  await page.getByRole('heading', { level: 1, name: 'Stepwise' }).waitFor();
  await context.close();
});

test('the copy button of a code block copies exactly the code', async () => {
  const { page, context } = await openPage({ permissions: ['clipboard-read', 'clipboard-write'] });
  await page.goto(site.url);
  const block = page.locator('main div[class*=language-]').filter({ hasText: 'npm run demo' }).first();
  await block.hover();
  await block.getByRole('button').click();
  await block.locator('button.copied').waitFor();
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(
    (await block.locator('code').innerText()).trimEnd(),
  );
  await context.close();
});

test('a page opened from disk without a server is readable, and its links work', async () => {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(pathToFileURL(`${builtSite}/docs/reference/errors.html`).href);
  expect(await page.getByRole('heading', { level: 1 }).innerText()).toContain('Errors');
  expect(await page.evaluate('getComputedStyle(document.body).margin')).toBe('0px');
  await page.locator('main').getByRole('link', { name: 'the table' }).first().click();
  await page.locator('.VPSidebar').getByRole('link', { name: 'Streaming' }).click();
  await page.waitForURL(/docs\/reference\/streaming\.html$/);
  expect(await page.getByRole('heading', { level: 1 }).innerText()).toContain('Streaming');
  await context.close();
});
