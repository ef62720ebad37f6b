import { expect, test } from '@jest/globals';
import { axeFindings } from '../../support/axe.js';
import { describePlayground, type Playground } from '../../support/playground.js';

const write = { text: 'Thought: I write.\nAction: write_file(path="notes.md", content="hello")' };
const question = { text: 'Thought: I ask.\nAction: request_input(question="Which currency?")' };

for (const [width, height] of [
  [720, 450], // 1440 × 900 at 200 %
  [844, 390], // a phone held sideways
] as const) {
  describePlayground(
    `in a low window, ${width} × ${height} (rule: playground-page)`,
    (playground) => {
      test('approval, question and Stop are visible in a low window', async () => {
        await playground.script([write, question, { text: 'Final Answer: Done.' }]);
        await playground.run('Write a note.');
        await playground.button('Allow').waitFor();
        expect(await hiddenButtons(playground, ['Allow', 'Deny…', 'Stop'])).toEqual([]);
        await playground.button('Allow').click();
        await playground.page.getByLabel('Your answer').waitFor();
        expect(await hiddenButtons(playground, ['Answer', 'Stop'])).toEqual([]);
      });
    },
    { viewport: { width, height } },
  );
}

/** Returns the names of the buttons that are not completely inside the window. */
async function hiddenButtons({ page, button }: Playground, names: readonly string[]): Promise<string[]> {
  const { height } = page.viewportSize() ?? { height: 0 };
  const boxes = await Promise.all(names.map((name) => button(name).boundingBox()));
  return names.filter((_, index) => {
    const box = boxes[index];
    return !box || box.y < 0 || box.y + box.height > height;
  });
}

for (const colorScheme of ['light', 'dark'] as const) {
  for (const width of [1440, 390]) {
    describePlayground(
      `accessibility of the page, ${colorScheme}, ${width} px wide (rule: playground-page)`,
      (playground) => {
        test('the page has no serious axe-core findings before the first run', async () =>
          expect(await axeFindings(playground.page)).toEqual([]));

        test('the page has no serious axe-core findings after a run', async () => {
          await playground.button('Run').click();
          await playground.ended();
          expect(await axeFindings(playground.page)).toEqual([]);
        });

        test('the page has no serious axe-core findings while an approval or a question waits', async () => {
          await playground.script([write, question, { text: 'Final Answer: Done.' }]);
          await playground.run('Write a note.');
          await playground.button('Allow').waitFor();
          expect(await axeFindings(playground.page)).toEqual([]);
          await playground.button('Allow').click();
          await playground.page.getByLabel('Your answer').waitFor();
          expect(await axeFindings(playground.page)).toEqual([]);
        });

        test('each part of the page has no serious axe-core findings', async () => {
          const { page } = playground;
          await playground.button('Run').click();
          await playground.ended();
          const tabs = await page.getByRole('tab').filter({ visible: true }).all();
          expect(tabs.length).toBeGreaterThan(1);
          for (const tab of tabs) {
            await tab.click();
            expect([await tab.innerText(), await axeFindings(page)]).toEqual([await tab.innerText(), []]);
          }
        });

        test('no content overflows the window of the page', async () => {
          await playground.button('Run').click();
          await playground.ended();
          const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
          expect(await playground.page.evaluate(overflow)).toBe(0);
        });
      },
      { colorScheme, viewport: { width, height: 844 } },
    );
  }
}
