import type { Page } from 'playwright-core';
import type { ScriptedCompletion } from '../../src/offline/testing.js';
import { hasChromium, launchChromium } from '../../test/support/chromium.js';
import { startWholeService } from '../../test/support/whole-service.js';
import { atMost, type Figure } from '../figures.js';
import type { BenchOptions } from '../measure/rounds.js';

const STEPS = 40;

/** The playground in Chromium: from a key or a click to what it paints, with a run of forty steps on the page. */
export async function run({ quick }: BenchOptions): Promise<readonly Figure[]> {
  if (!hasChromium) {
    console.log('The playground was not measured: there is no Chromium here.');
    return [];
  }
  const service = await startWholeService(longRun(), { OFFLINE_MODEL: 'on' });
  const browser = await launchChromium();
  try {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    await page.goto(`${service.url}/`);
    await takeLongRun(page);
    await page.evaluate(watch);
    for (let round = 0; round < (quick ? 1 : 10); round += 1) await interact(page, round);
    const paints = await page.evaluate('paints()');
    const milliseconds = paints as readonly number[]; // see `watch`
    const what = `interaction to paint, ${STEPS} steps on the page`;
    return [
      atMost({ what: `${what}, the median`, unit: 'ms', digits: 0 }, 100, milliseconds),
      atMost({ what: `${what}, the longest`, unit: 'ms', digits: 0 }, 100, [Math.max(...milliseconds)]),
    ];
  } finally {
    await browser.close();
    await service.close();
  }
}

/** Reads of the example's files, each thought about at some length. */
function longRun(): readonly ScriptedCompletion[] {
  const files = ['src/cart.js', 'src/checkout.js', 'src/server.js', 'src/pricing/discounts.js'];
  const steps = Array.from({ length: STEPS - 1 }, (_, index): ScriptedCompletion => {
    const thought = `Thought: Step ${index + 1}. ${'I look at what the next file says of it. '.repeat(8)}`;
    return { text: `${thought}\nAction: read_file(path="${files[index % files.length]}")` };
  });
  return [...steps, { text: `Thought: Enough.\nFinal Answer: ${'- **One** more `point`.\n'.repeat(40)}` }];
}

async function takeLongRun(page: Page): Promise<void> {
  await page.getByLabel('Upstream').selectOption('local');
  await page.getByLabel('Name', { exact: true }).fill('scripted');
  await page.getByLabel('Steps at most').fill(String(STEPS));
  await page.getByRole('textbox', { name: 'Task' }).fill('Read everything, again and again.');
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.getByText('Answered', { exact: true }).waitFor();
}

/**
 * Of each interaction the time to the next paint, by the Event Timing API, which leaves out what took under 16 ms. A dot changes
 * with every frame: without a screen, Chromium tells that a frame was painted only when a later one is, and eight keys into a
 * page with nothing but a text field seem to take 0.7 s.
 */
const watch = `
  const longest = new Map();
  new PerformanceObserver((list) => {
    for (const { interactionId, duration } of list.getEntries()) {
      if (interactionId) longest.set(interactionId, Math.max(duration, longest.get(interactionId) ?? 0));
    }
  }).observe({ type: 'event', durationThreshold: 16 });
  globalThis.paints = () => [...longest.values()];

  const dot = document.createElement('div');
  dot.style.cssText = 'position: fixed; top: 0; left: 0; width: 1px; height: 1px';
  document.body.append(dot);
  const paint = (time) => {
    dot.style.background = Math.round(time) % 2 ? '#000' : '#fff';
    requestAnimationFrame(paint);
  };
  requestAnimationFrame(paint);
`;

/** What a person does with a long run: picks steps with mouse and keys, goes through the inspector, writes. */
async function interact(page: Page, round: number): Promise<void> {
  const step = page.getByRole('button', { name: `Step ${((round * 7) % STEPS) + 1}`, exact: true });
  await step.click();
  for (let times = 0; times < 3; times += 1) await page.keyboard.press('ArrowDown');
  for (const tab of await page.getByRole('complementary', { name: 'Inspector' }).getByRole('tab').all()) {
    await tab.click();
  }
  await page.getByRole('textbox', { name: 'Task' }).pressSequentially('one more');
}
