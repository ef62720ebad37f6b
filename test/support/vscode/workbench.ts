import type { Frame, FrameLocator, Locator, Page } from 'playwright-core';
import { until } from '../until.js';

/** The state of the editors that a person can see. */
export interface Editors {
  readonly active?: {
    readonly path: string;
    readonly text: string;
    readonly isDirty: boolean;
    readonly selected: string;
  };
  readonly tabs: readonly string[];
}

/** Controls a workbench that is open in a browser page. */
export class Workbench {
  readonly page: Page;
  /** The page in the workbench's side view. */
  readonly view: FrameLocator;

  private constructor(page: Page) {
    this.page = page;
    this.view = page.frameLocator('iframe.webview.ready').frameLocator('#active-frame');
  }

  /** Resolves when extensions run and the side view is visible. */
  static async open(page: Page, url: string): Promise<Workbench> {
    await page.goto(url);
    const workbench = new Workbench(page);
    await workbench.#isUp();
    return workbench;
  }

  /** Reloads the window like `Developer: Reload Window`. */
  async reload(): Promise<void> {
    await this.page.reload();
    await this.#isUp();
  }

  /** Runs a command of the editor or an extension; its result must be serializable as JSON. */
  async runCommand<Result>(command: string, ...args: unknown[]): Promise<Result> {
    const given = JSON.stringify([command, ...args]);
    // Cast: the caller knows the type of the command's result. JSON is a subset of JavaScript, so the arguments
    // can be inserted as they are.
    return (await this.page.evaluate(`self.workbench.commands.executeCommand(...${given})`)) as Result;
  }

  /** Runs a command of the tests' own extension. */
  readonly probe = <Result>(command: string, ...args: unknown[]): Promise<Result> =>
    this.runCommand(`probe.${command}`, ...args);

  readonly editors = (): Promise<Editors> => this.probe('editors');

  /** Opens a file, optionally with a text in it selected. */
  readonly openFile = (path: string, select?: string): Promise<void> => this.probe('open', path, select);

  /** Returns the content of a file that has been saved. */
  readonly readFile = (path: string): Promise<string> => this.probe('readFile', path);

  /** Returns the frame of the side view, for evaluating scripts in it. */
  async viewFrame(): Promise<Frame> {
    const frame = await (await this.view.locator(':root').elementHandle())?.ownerFrame();
    if (!frame) throw new Error('The side view has no page.');
    return frame;
  }

  /** Returns everything that the workbench or the side view has stored in the browser, as text. */
  async stored(place: Page | Frame = this.page): Promise<string> {
    return String(await place.evaluate(allStores));
  }

  get statusBar(): Locator {
    return this.page.locator('.statusbar');
  }

  /** The input box at the top of the page, in which the editor asks for text. */
  get inputBox(): Locator {
    return this.page.locator(
      '.quick-input-widget input[type=text], .quick-input-widget input[type=password]',
    );
  }

  /** Waits for the commands of the extension, which exist once the extension is active. */
  async #isUp(): Promise<void> {
    await this.page.locator('.monaco-workbench').waitFor();
    await until(() => this.editors(), Boolean, MAX_START_MS);
    await this.runCommand('workbench.view.extension.stepwise');
  }
}

/** Script that collects all browser storage of a page as text. */
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

/** Maximum wait for the workbench to start, which takes three seconds on an idle machine. */
const MAX_START_MS = 120_000;
