import type { Browser, Page } from 'playwright-core';

/** Waits until animations have ended, with the pointer out of the way. */
export async function settle(page: Page): Promise<void> {
  await page.mouse.move(0, 0);
  await page.waitForTimeout(400);
}

/** Writes one picture that contains all screenshots in two columns. The browser computes the layout. */
export async function filmStrip(
  browser: Browser,
  shots: readonly Buffer[],
  { path, size }: { readonly path: string; readonly size: { width: number; height: number } },
): Promise<void> {
  const page = await browser.newPage({ viewport: size });
  const images = shots.map((shot) => `<img src="data:image/png;base64,${shot.toString('base64')}">`);
  await page.setContent(
    `<style>body { margin: 0; display: grid; grid-template-columns: 1fr 1fr; gap: 12px; background: #8883 }
      img { width: 100%; display: block }</style>${images.join('')}`,
  );
  await page.screenshot({ path, fullPage: true });
  await page.close();
}
