import { afterAll, afterEach, beforeAll, beforeEach, expect } from '@jest/globals';
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import type { Script } from '../../src/offline/fake-provider.js';
import { chromiumBrowser, launchChromium } from './chromium.js';
import { needs } from './needs.js';
import { startWholeService, type WholeService } from './whole-service.js';

/** A browser page of one service. It also collects unexpected problems. */
export interface Playground {
  readonly page: Page;
  readonly service: WholeService;
  /** Console errors, violations of the page's policy, and requests to other origins. */
  readonly troubles: string[];
  /** Replaces the offline model by scripted replies. */
  script(script: Script): Promise<void>;
  /** Types the task and presses the button Run. */
  run(task: string): Promise<void>;
  /** Resolves when the run has ended. */
  ended(): Promise<void>;
  button(name: string | RegExp): Locator;
}

/**
 * Runs a suite in Chromium with the real service and a fake provider. Each test gets a fresh page. Each test also
 * fails on console errors, violations of the page's policy and requests to other origins.
 */
export function describePlayground(
  title: string,
  tests: (playground: Playground) => void,
  options: BrowserContextOptions = {},
  settings: Record<string, string> = {},
): void {
  needs(chromiumBrowser).describe(title, () => {
    let browser: Browser;
    let service: WholeService;
    let page: Page;
    const troubles: string[] = [];
    beforeAll(async () => {
      [browser, service] = await Promise.all([
        launchChromium(),
        startWholeService(undefined, { OFFLINE_MODEL: 'on', ...settings }),
      ]);
    }, 60_000);
    afterAll(async () => {
      await browser.close();
      await service.close();
    });
    beforeEach(async () => {
      const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
      page = await context.newPage();
      await watch(page, { origin: service.url, troubles });
      await page.goto(`${service.url}/`);
      await page.getByRole('button', { name: 'Run', exact: true }).waitFor();
    });
    afterEach(async () => {
      await page.context().close();
      expect(troubles.splice(0)).toEqual([]);
    });
    tests({
      get page() {
        return page;
      },
      get service() {
        return service;
      },
      troubles,
      script: async (script) => {
        service.fake.script(script);
        await showPart(page, 'Setup');
        await page.getByLabel('Upstream').selectOption('local');
        await page.getByLabel('Name', { exact: true }).fill('scripted');
        await showPart(page, 'Run');
      },
      run: async (task) => {
        await page.getByRole('textbox', { name: 'Task' }).fill(task);
        await page.getByRole('button', { name: 'Run', exact: true }).click();
      },
      ended: () => page.getByRole('button', { name: 'Run', exact: true }).waitFor(),
      button: (name) => page.getByRole('button', { name, exact: typeof name === 'string' }),
    });
  });
}

/** Opens a part of the page. On narrow windows, the part is behind a tab. */
async function showPart(page: Page, name: string): Promise<void> {
  const tab = page.getByRole('tab', { name, exact: true });
  if (await tab.isVisible()) await tab.click();
}

interface Watched {
  readonly origin: string;
  readonly troubles: string[];
}

async function watch(page: Page, { origin, troubles }: Watched): Promise<void> {
  page.on('pageerror', (error) => troubles.push(`page: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error') troubles.push(`console: ${message.text()}`);
  });
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(`${origin}/`) && !url.startsWith('blob:')) troubles.push(`request: ${url}`);
  });
  await page.addInitScript({
    content: `document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
      console.error('policy: ' + violatedDirective + ' ' + blockedURI));`,
  });
}
