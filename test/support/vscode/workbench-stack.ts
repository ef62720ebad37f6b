import type { Browser, Page } from 'playwright-core';
import { launchChromium } from '../chromium.js';
import { startWholeService, type WholeService } from '../whole-service.js';
import { Workbench } from './workbench.js';
import { domain, startWorkbenchServer, type WorkbenchServer } from './workbench-server.js';

export interface OpenOptions {
  /** Texts by path; null if no folder is open. */
  readonly files?: Readonly<Record<string, string>> | null;
  /** Folders of a multi-root workspace. */
  readonly folders?: readonly { readonly path: string; readonly name?: string }[];
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly isTrusted?: boolean;
  readonly theme?: 'light' | 'dark';
}

/** A workbench with the service and a browser, for a suite or a recording. */
export class WorkbenchStack {
  readonly troubles: string[] = [];
  #started: { server: WorkbenchServer; browser: Browser; service: WholeService } | undefined;
  readonly #pages: Page[] = [];
  readonly #closing: (() => Promise<void>)[] = [];

  get service(): WholeService {
    return this.#parts.service;
  }

  get origin(): string {
    return this.#parts.server.origin;
  }

  async start(): Promise<void> {
    const server = await startWorkbenchServer();
    this.#closing.push(() => server.close());
    const browser = await launchChromium();
    this.#closing.push(() => browser.close());
    const service = await startWholeService(undefined, { CORS_ORIGINS: server.origin });
    this.#closing.push(() => service.close());
    this.#started = { server, browser, service };
  }

  readonly open = async ({
    files = {},
    folders,
    settings = {},
    isTrusted = true,
    theme = 'light',
  }: OpenOptions = {}): Promise<Workbench> => {
    const { server, browser, service } = this.#parts;
    server.offer({
      files,
      folders,
      isTrusted,
      settings: {
        'workbench.colorTheme': themes[theme],
        'stepwise.serviceUrl': service.url,
        'stepwise.upstream': 'local',
        'stepwise.model': 'scripted',
        ...settings,
      },
    });
    const page = await browser.newPage({ viewport: { width: 1280, height: 860 }, colorScheme: theme });
    page.setDefaultTimeout(MAX_WAIT_MS);
    this.#pages.push(page);
    await watch(page, {
      origins: [server.origin, String(settings['stepwise.serviceUrl'] ?? service.url)],
      troubles: this.troubles,
    });
    return Workbench.open(page, server.origin);
  };

  async closePages(): Promise<void> {
    await Promise.all(this.#pages.splice(0).map((page) => page.close()));
  }

  /** Closes everything in reverse order of starting. */
  async close(): Promise<void> {
    for (const close of this.#closing.splice(0).reverse()) await close();
  }

  get #parts() {
    if (!this.#started) throw new Error('Not started yet.');
    return this.#started;
  }
}

/** Maximum wait for an element. It is generous, so that a busy machine is fast enough. */
const MAX_WAIT_MS = 60_000;

const themes = { light: 'Default Light Modern', dark: 'Default Dark Modern' };

interface Watched {
  readonly origins: readonly string[];
  readonly troubles: string[];
}

async function watch(page: Page, { origins, troubles }: Watched): Promise<void> {
  page.on('pageerror', (error) => troubles.push(`page: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error' && !isNotFound(message.text()))
      troubles.push(`console: ${message.text()}`);
  });
  page.on('request', (request) => {
    const { origin, protocol, hostname } = new URL(request.url());
    const isOurs = origins.includes(origin) || hostname.endsWith(`.${domain}`) || local.has(protocol);
    if (!isOurs) troubles.push(`request: ${request.url()}`);
  });
  await page.addInitScript({
    content: `document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
      console.error('policy: ' + violatedDirective + ' ' + blockedURI));`,
  });
}

const local = new Set(['blob:', 'data:']);

/** Returns whether a message reports a failed request of the workbench for an optional translation. */
const isNotFound = (text: string): boolean =>
  text.startsWith('Failed to load resource') && text.includes('404');
