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

/** Tables that are wider than their place, each by its first heading. Blocks of code may scroll, tables may not. */
const wideTables = `[...document.querySelectorAll('main table')]
  .filter((table) => table.scrollWidth > table.clientWidth)
  .map((table) => table.querySelector('th')?.textContent)`;
const wide = { width: 1440, height: 844 };
const narrow = { width: 390, height: 844 };
const fits = { overflow: 0, wideTables: [] };
const layoutOf = async (page: Page) => ({
  overflow: await page.evaluate(overflow),
  wideTables: await page.evaluate(wideTables),
});

test('each page fits at 1440 and 390 pixels, and has no errors, requests to other origins or serious axe-core findings in either theme', async () => {
  const { page, context, trouble } = await openPage({ colorScheme: 'light', viewport: wide });
  const pages = sitePages().filter((path) => !isFile(path));
  expect(pages.length).toBeGreaterThan(70);
  for (const path of pages) {
    await page.setViewportSize(wide);
    await page.emulateMedia({ colorScheme: 'light' });
    await page.goto(`${site.url}${path}`, { waitUntil: 'load' });
    await page.waitForFunction(`!${isDark}`);
    const atDesk = { ...(await layoutOf(page)), findings: await axeFindings(page) };
    await page.setViewportSize(narrow);
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.waitForFunction(isDark);
    const onPhone = { ...(await layoutOf(page)), findings: await axeFindings(page) };
    const good = { ...fits, findings: [] };
    expect([path, atDesk, onPhone, trouble]).toEqual([path, good, good, []]);
  }
  await context.close();
}, 1_200_000);

test('each page of a repository file opens without errors or requests to other origins, and does not overflow', async () => {
  const { page, context, trouble } = await openPage({ viewport: narrow });
  for (const path of sitePages().filter(isFile)) {
    await page.goto(`${site.url}${path}`, { waitUntil: 'load' });
    expect([path, await page.evaluate(overflow), trouble]).toEqual([path, 0, []]);
  }
  await context.close();
}, 1_200_000);

describe('the search of the site', () => {
  for (const [words, wanted, isFirst = false] of [
    ['Retry-After', 'docs/reference/errors.html#retry-after'],
    ['unreadable_action', 'docs/reference/steps-and-histories.html#unreadable-action'],
    ['left out', 'docs/reference/context-and-budget.html#left-out-manifest'],
    ['getReadiness', 'api/get-readiness.html'],
    ['kubectl', 'docs/operating.html'],
    ['getting started', 'docs/getting-started.html', true],
    ['why was my file cut', 'docs/context-and-budget.html#why-was-my-file-cut', true],
  ] as const) {
    test(`the search finds ${words}, and Enter opens the first result`, async () => {
      const { page, context, trouble } = await openPage({});
      await page.goto(`${site.url}docs/terminal.html`);
      await search(page, words);
      await page.locator('#localsearch-list a.result').first().waitFor();
      const results = await page.locator('#localsearch-list a.result').all();
      const hrefs = await Promise.all(results.map((each) => each.getAttribute('href')));
      expect(hrefs.slice(0, isFirst ? 1 : 5).join('\n')).toContain(wanted);
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

test('on a narrow screen each row of a wide table is a block with the names of its columns', async () => {
  const { page, context } = await openPage({ viewport: narrow });
  await page.goto(`${site.url}docs/errors-and-retries.html`);
  const row = page.locator('main table').first().locator('tbody tr').first();
  const boxes = await Promise.all((await row.getByRole('cell').all()).map((each) => each.boundingBox()));
  expect(boxes.length).toBeGreaterThan(3);
  expect(boxes.filter((box) => (box?.width ?? 0) < 250)).toEqual([]);
  expect(await row.locator('td').nth(2).getAttribute('data-label')).toBe('what you read');
  await context.close();
});

test('the sidebar begins with the page for getting started', async () => {
  const { page, context } = await openPage({ viewport: wide });
  await page.goto(site.url);
  const [first] = await page.locator('.VPSidebar a').allInnerTexts();
  expect(first).toBe('Getting started');
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
