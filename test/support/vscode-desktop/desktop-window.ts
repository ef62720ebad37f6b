import type { FrameLocator, Locator, Page } from 'playwright-core';

/** A window of the editor, whose extensions run in Node on this machine. */
export class DesktopWindow {
  readonly page: Page;
  /** The page in the side view. */
  readonly view: FrameLocator;

  private constructor(page: Page) {
    this.page = page;
    this.view = page.frameLocator('iframe.webview.ready').frameLocator('#active-frame');
  }

  /** Opens a folder of this machine; the side view is in front. */
  static async open(page: Page, url: string, trust: boolean): Promise<DesktopWindow> {
    await page.goto(url);
    const window = new DesktopWindow(page);
    await page.getByRole('button', { name: trust ? /^Yes, I trust/ : /^No, I don't trust/ }).click();
    await window.#showView();
    return window;
  }

  /** As `Developer: Reload Window` does. */
  async reload(): Promise<void> {
    await this.page.reload();
    await this.#showView();
  }

  /** Runs a command by its title in the palette, as a person does. */
  async runCommand(title: string): Promise<void> {
    await this.page.keyboard.press('F1');
    await this.inputBox.fill(`>${title}`);
    await this.page.locator('.quick-input-list').getByText(title, { exact: true }).first().waitFor();
    await this.inputBox.press('Enter');
  }

  /** The box on top, in which the editor asks for a text. */
  get inputBox(): Locator {
    return this.page.locator(
      '.quick-input-widget input[type=text], .quick-input-widget input[type=password]',
    );
  }

  /** The lines of the terminal that is in front. */
  get terminal(): Locator {
    return this.page.locator('.terminal-wrapper.active .xterm-rows');
  }

  async #showView(): Promise<void> {
    await this.page.locator('.activitybar').getByRole('tab', { name: 'Stepwise' }).click();
    await this.view.getByRole('textbox', { name: 'Task' }).waitFor();
  }
}
