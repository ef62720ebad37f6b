import { execFileSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, jest } from '@jest/globals';
import type { Browser, BrowserContext } from 'playwright-core';
import { chromiumBrowser, launchChromium } from '../chromium.js';
import { exampleNamed } from '../example.js';
import { needs } from '../needs.js';
import { onceForAllSuites } from '../once-for-all-suites.js';
import { writeFiles } from '../temporary-folder.js';
import { startWholeService, type WholeService } from '../whole-service.js';
import { DesktopWindow } from './desktop-window.js';
import { EditorServer, installEditorServer } from './editor-server.js';

interface OpenOptions {
  /** Texts by path, which are written to a folder on disk. */
  readonly files: Readonly<Record<string, string>>;
  /** Path of the folder. Default: a new folder. */
  readonly at?: string;
  /** True if the person trusts the authors of the folder. */
  readonly isTrusted?: boolean;
}

/** A folder that is open in an editor window. */
export interface OpenFolder {
  /** Path of the folder on disk. */
  readonly folder: string;
  readonly window: DesktopWindow;
}

const example = exampleNamed('vscode');

/** Editor, service and browser that the tests of a suite share; each test has its own windows and folders. */
export class DesktopSuite {
  #parts: { service: WholeService; server: EditorServer; browser: Browser } | undefined;
  readonly #closing: (() => unknown)[] = [];
  readonly #afterTest: (() => unknown)[] = [];

  get service(): WholeService {
    return this.#started.service;
  }

  get server(): EditorServer {
    return this.#started.server;
  }

  async start(): Promise<void> {
    installEditorServer();
    const service = await startWholeService();
    this.#closing.push(() => service.close());
    const server = new EditorServer();
    this.#closing.push(() => server.close());
    await server.start(join(example.folder, 'dist/stepwise.vsix'), {
      ...quietSettings,
      'stepwise.serviceUrl': service.url,
      'stepwise.upstream': 'local',
      'stepwise.model': 'scripted',
    });
    const browser = await launchChromium();
    this.#closing.push(() => browser.close());
    this.#parts = { service, server, browser };
  }

  /** Opens a folder in a window of its own, or in the same browser as the window of `beside`. */
  async open({ files, at, isTrusted = true }: OpenOptions, beside?: OpenFolder): Promise<OpenFolder> {
    const folder = at ?? this.#newFolder();
    writeFiles(folder, files);
    const context = beside?.window.page.context() ?? (await this.#newContext());
    const page = await context.newPage();
    const url = `${this.server.origin}/?folder=${encodeURIComponent(folder)}`;
    return { folder, window: await DesktopWindow.open(page, url, isTrusted) };
  }

  /** Closes what the test opened, in reverse order. */
  async endTest(): Promise<void> {
    for (const end of this.#afterTest.splice(0).reverse()) await end();
  }

  async close(): Promise<void> {
    for (const close of this.#closing.splice(0).reverse()) await close();
  }

  #newFolder(): string {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'stepwise-folder-')));
    this.#afterTest.push(() => rmSync(folder, { recursive: true, force: true }));
    return folder;
  }

  async #newContext(): Promise<BrowserContext> {
    const context = await this.#started.browser.newContext({ viewport: { width: 1280, height: 860 } });
    context.setDefaultTimeout(MAX_WAIT_MS);
    this.#afterTest.push(() => context.close());
    return context;
  }

  get #started() {
    if (!this.#parts) throw new Error('Not started yet.');
    return this.#parts;
  }
}

const TEST_TIMEOUT_MS = 600_000;
/** Maximum wait for a window to open, which takes three seconds on an idle machine. */
const MAX_WAIT_MS = 120_000;

/** Runs a suite in the desktop editor, with our packaged extension in a Node process. */
export function describeDesktop(title: string, tests: (suite: DesktopSuite) => void): void {
  needs(chromiumBrowser, example.dependencies).describe(title, () => {
    jest.setTimeout(TEST_TIMEOUT_MS);
    const suite = new DesktopSuite();
    beforeAll(async () => {
      await example.prepare();
      await onceForAllSuites('vscode-package', () => {
        execFileSync('npm', ['run', '-s', 'package'], { cwd: example.folder, stdio: 'pipe' });
      });
      await suite.start();
    }, 600_000);
    afterAll(() => suite.close());
    afterEach(() => suite.endTest());
    tests(suite);
  });
}

/** Settings that prevent requests to other servers, and dialogs that interrupt a test. */
const quietSettings = {
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
  'telemetry.telemetryLevel': 'off',
  'extensions.autoCheckUpdates': false,
  'extensions.ignoreRecommendations': true,
  'git.enabled': false,
  // With the default setting, clicking the icon of an open view would hide it.
  'workbench.activityBar.iconClickBehavior': 'focus',
  // With the default setting, newer editors show only a banner instead of a dialog.
  'security.workspace.trust.startupPrompt': 'always',
  // Renders terminal lines as elements, so that a test can read them.
  'terminal.integrated.gpuAcceleration': 'off',
};
