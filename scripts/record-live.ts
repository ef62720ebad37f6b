/**
 * Takes the pictures of the Live page for docs/playground.md, while Codex works over the service and a scripted model
 * that writes its calls as text: `npm run record:live`. Codex is set up like that of `npm run check:agents`. Needs Chromium.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { launchChromium } from '../test/support/chromium.js';
import { agents } from './agents/agents.js';
import { findIsolation } from './agents/apart.js';
import { install } from './agents/installed.js';
import { answer, scriptFor } from './agents/scripted-model.js';
import { openStage, type Stage } from './agents/stage.js';
import { filmStrip, settle } from './pictures/film-strip.js';

const NAME = 'Codex';
const target = join(process.cwd(), 'docs/recordings');
/** First argument that makes this program take the pictures itself. */
const TAKE = '--take';
/** The model's last reply takes this long, so that the pictures show a running step. */
const LAST_REPLY_DELAY_MS = 20_000;

const wide = { width: 1440, height: 900 };
const narrow = { width: 390, height: 844 };
const schemes = ['light', 'dark'] as const;

const codex = agents.find(({ name }) => name === NAME);
if (!codex) throw new Error(`unknown agent ${NAME}`);

const words = process.argv.slice(2);
if (words[0] === TAKE) {
  const script = scriptFor(codex);
  const stage = await openStage(codex, {
    programs: words.slice(1),
    settings: { WATCH: 'on' },
    script: (request) => {
      const reply = script(request);
      const isLast = 'text' in reply && reply.text?.includes(answer);
      return isLast ? { ...reply, delayMs: LAST_REPLY_DELAY_MS } : reply;
    },
  });
  const browser = await launchChromium();
  try {
    await Promise.all([runAgent(stage), takePictures(browser, stage)]);
  } finally {
    await browser.close();
    await stage.close();
  }
} else {
  // Runs the program in a process of its own; where the machine allows it, that process has no network except
  // loopback.
  const program = [process.execPath, fileURLToPath(import.meta.url), TAKE, ...install(codex)];
  const { status } = spawnSync('env', [...findIsolation(), ...program], { stdio: 'inherit' });
  process.exitCode = status ?? 1;
}

async function runAgent({ scripts, work, env }: Stage): Promise<void> {
  const child = spawn('sh', ['-ec', scripts.join('\n')], { cwd: work, env, stdio: 'ignore' });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${NAME} ended with ${code}`);
}

async function takePictures(browser: Browser, { serviceUrl }: Stage): Promise<void> {
  for (const colorScheme of schemes) {
    const page = await openLive(browser, serviceUrl, { viewport: wide, colorScheme });
    await chooseSecondStep(page);
    await settle(page);
    await page.screenshot({ path: join(target, `playground-live-${colorScheme}.png`) });
    await page.setViewportSize(narrow);
    await page.getByRole('button', { name: 'All steps' }).click();
    const shots = [await shoot(page)];
    await chooseSecondStep(page);
    shots.push(await shoot(page));
    await page.close();
    const path = join(target, `playground-live-narrow-${colorScheme}.png`);
    await filmStrip(browser, shots, { path, size: { width: 2 * narrow.width + 12, height: narrow.height } });
  }
}

/** Opens the Live page, and waits until the agent has made two steps and the third one runs. */
async function openLive(
  browser: Browser,
  url: string,
  options: NonNullable<Parameters<Browser['newPage']>[0]>,
): Promise<Page> {
  const page = await browser.newPage(options);
  await page.goto(`${url}/#/live`);
  await page.locator('.live-step-done').nth(1).waitFor();
  await page.locator('.live-step-running').waitFor();
  return page;
}

async function chooseSecondStep(page: Page): Promise<void> {
  await page.locator('.live-step-done').first().click();
}

async function shoot(page: Page): Promise<Buffer> {
  await settle(page);
  return page.screenshot();
}
