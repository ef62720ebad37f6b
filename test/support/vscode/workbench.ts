import type { Frame, FrameLocator, Locator, Page } from 'playwright-core';
import { until } from '../until.js';

/** What a person sees of the editors. */
export interface Editors {
  readonly active?: {
    readonly path: string;
    readonly text: string;
    readonly isDirty: boolean;
    readonly selected: string;
  };
  /** The labels of all tabs. */
  readonly tabs: readonly string[];
}

/** A workbench that is open in a page, as a person and an extension see it. */
export class Workbench {
  readonly page: Page;
  /** The page in the side view. */
  readonly view: FrameLocator;

  private constructor(page: Page) {
    this.page = page;
    this.view = page.frameLocator('iframe.webview.ready').frameLocator('#active-frame');
  }

  /** Resolves when extensions run in it; the side view is in front. */
  static async open(page: Page, url: string): Promise<Workbench> {
    await page.goto(url);
    const workbench = new Workbench(page);
    await workbench.#isUp();
    return workbench;
  }

  /** As `Developer: Reload Window` does. */
  async reload(): Promise<void> {
    await this.page.reload();
    await this.#isUp();
  }

  /** Runs any command of the editor or of an extension; what it returns must be JSON. */
  async runCommand<Result>(command: string, ...args: unknown[]): Promise<Result> {
    const given = JSON.stringify([command, ...args]);
    // JSON is a subset of JavaScript.
    return (await this.page.evaluate(`self.workbench.commands.executeCommand(...${given})`)) as Result;
  }

  /** Runs a command of the tests' own extension. */
  readonly probe = <Result>(command: string, ...args: unknown[]): Promise<Result> =>
    this.runCommand(`probe.${command}`, ...args);

  readonly editors = (): Promise<Editors> => this.probe('editors');

  /** Opens a file, with a text of it selected. */
  readonly openFile = (path: string, select?: string): Promise<void> => this.probe('open', path, select);

  /** The file as it is saved. */
  readonly readFile = (path: string): Promise<string> => this.probe('readFile', path);

  /** The page in the side view, to evaluate in. */
  async viewFrame(): Promise<Frame> {
    const frame = await (await this.view.locator(':root').elementHandle())?.ownerFrame();
    if (!frame) throw new Error('The side view has no page.');
    return frame;
  }

  /** All that the workbench has kept in the browser, or the side view, as text. */
  async stored(place: Page | Frame = this.page): Promise<string> {
    return String(await place.evaluate(allStores));
  }

  get statusBar(): Locator {
    return this.page.locator('.statusbar');
  }

  /** The box on top, in which the editor asks for a text. */
  get inputBox(): Locator {
    return this.page.locator(
      '.quick-input-widget input[type=text], .quick-input-widget input[type=password]',
    );
  }

  /** Commands are there once the extensions that bring them have been started. */
  async #isUp(): Promise<void> {
    await this.page.locator('.monaco-workbench').waitFor();
    await until(() => this.editors(), Boolean, LONGEST_START_MS);
    await this.runCommand('workbench.view.extension.stepwise');
  }
}

/** To be evaluated in a page: all that it keeps in the browser, as text. */
export const allStores = `(async () => {
  const settled = (request) => new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  const stores = [];
  for (const { name } of await indexedDB.databases()) {
    const base = await settled(indexedDB.open(name));
    for (const store of base.objectStoreNames) {
      stores.push(await settled(base.transaction(store).objectStore(store).getAll()));
    }
    base.close();
  }
  const decoder = new TextDecoder();
  const readable = (_, value) => (value instanceof Uint8Array ? decoder.decode(value) : value);
  return JSON.stringify([stores, { ...localStorage }, { ...sessionStorage }, document.cookie], readable);
})()`;

/** Three seconds on a machine that does nothing else. */
const LONGEST_START_MS = 120_000;
