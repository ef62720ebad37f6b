import type { FrameLocator, Locator, Page } from 'playwright-core';

/** Controls an editor window whose extensions run in Node. */
export class DesktopWindow {
  readonly page: Page;
  /** The page in the editor's side view. */
  readonly view: FrameLocator;

  private constructor(page: Page) {
    this.page = page;
    this.view = page.frameLocator('iframe.webview.ready').frameLocator('#active-frame');
  }

  /** Opens a folder on disk, with the side view visible. */
  static async open(page: Page, url: string, trust: boolean): Promise<DesktopWindow> {
    await page.goto(url);
    const window = new DesktopWindow(page);
    await page.getByRole('button', { name: trust ? /^Yes, I trust/ : /^No, I don't trust/ }).click();
    await window.#showView();
    return window;
  }

  /** Reloads the window like `Developer: Reload Window`. */
  async reload(): Promise<void> {
    await this.page.reload();
    await this.#showView();
  }

  /** Runs a command by its title through the command palette. */
  async runCommand(title: string): Promise<void> {
    await this.page.keyboard.press('F1');
    await this.inputBox.fill(`>${title}`);
    await this.page.locator('.quick-input-list').getByText(title, { exact: true }).first().waitFor();
    await this.inputBox.press('Enter');
  }

  /** The input box at the top of the window, in which the editor asks for text. */
  get inputBox(): Locator {
    return this.page.locator(
      '.quick-input-widget input[type=text], .quick-input-widget input[type=password]',
    );
  }

  /** The lines of the terminal that is visible. */
  get terminal(): Locator {
    return this.page.locator('.terminal-wrapper.active .xterm-rows');
  }

  async #showView(): Promise<void> {
    await this.page.locator('.activitybar').getByRole('tab', { name: 'Stepwise' }).click();
    await this.view.getByRole('textbox', { name: 'Task' }).waitFor();
  }
}
