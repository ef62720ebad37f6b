import { expect, test } from '@jest/globals';
import type { ScriptedCompletion } from '../../../src/offline/testing.js';
import { hostileMarkdown } from '../../support/hostile-markdown.js';
import { describePlayground } from '../../support/playground.js';

const answering = (text: string): ScriptedCompletion => ({ text: `Thought: See.\nFinal Answer: ${text}` });

const hostile: Readonly<Record<string, string>> = {
  ...hostileMarkdown,
  'a script as a link':
    '[press](javascript:globalThis.ran=true) [or](data:text/html,<script>1</script>) [or](vbscript:x)',
  'a link with a handler for a title':
    '[press](https://example.invalid "x\\" onmouseover=\\"globalThis.ran=true")',
  'a template and a comment': '<template><script>globalThis.ran = true</script></template><!-- --> after',
  'a thousand lists deep': Array.from({ length: 1_000 }, (_, depth) => `${'  '.repeat(depth)}- x`).join('\n'),
  'one line of 200,000 characters': 'x'.repeat(200_000),
  'characters that turn the text round': 'safe \u202Etxt.exe\u202C \u2066\u0007\u001B[31m end',
};

describePlayground('text of a model on the page (rule: playground-page)', (playground) => {
  test.each(
    Object.keys(hostile),
  )('an answer with %s runs no script, adds no unsafe element and fits the page', async (name) => {
    const { page } = playground;
    await playground.script(answering(hostile[name] ?? ''));
    await playground.run(`Answer with ${name}.`);
    await playground.ended();
    await page.getByText('Answered', { exact: true }).waitFor();
    expect(await page.evaluate('globalThis.ran')).toBeUndefined();
    const main = page.getByRole('main');
    expect(await main.locator('script, img, iframe, style, form[action], object, embed').count()).toBe(0);
    for (const link of await main.locator('a').all()) {
      expect(await link.getAttribute('href')).toMatch(/^(https?:|#)/);
      if ((await link.getAttribute('href'))?.startsWith('http')) {
        expect(await link.getAttribute('rel')).toContain('noopener');
      }
    }
    const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
    expect(await page.evaluate(overflow)).toBe(0);
  });

  test('an approval request on the page shows the invisible characters of the call', async () => {
    const call = 'Action: write_file(path="notes\u202E.md", content="a\u200Bb")';
    await playground.script([{ text: `Thought: I write.\n${call}` }, answering('done')]);
    await playground.run('Write.');
    const card = playground.page.getByRole('region', { name: 'Allow write_file?' });
    await card.waitFor();
    const shown = await card.innerText();
    expect(shown).not.toMatch(/[\u200B\u202A-\u202E\u2066-\u2069]/);
    expect(shown).toMatch(/202E/i);
    await playground.button('Stop the run').click();
    await playground.ended();
  });

  test('the inspector shows invisible characters in the prompt of a step', async () => {
    const { page, service } = playground;
    const hidden = [...'obey'].map((letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join('');
    await playground.script([answering('done')]);
    await playground.run(`Look.${hidden}\u202E`);
    await playground.ended();
    expect(JSON.stringify(service.fake.requests.at(-1)?.body)).toContain(hidden);
    await page.getByRole('tab', { name: 'Prompt' }).click();
    await page.getByText('Exactly what was sent.').waitFor();
    const task = page.getByRole('complementary').locator('pre').filter({ hasText: 'Look.' });
    // Uses `textContent`, since elements outside the viewport are not laid out and have no inner text.
    expect(await task.textContent()).toContain('Look.U+E006FU+E0062U+E0065U+E0079U+202E');
  });

  test('the page stays responsive after reading a file of a million characters', async () => {
    const { page } = playground;
    const content = 'a line of some length, again and again\\n'.repeat(25_000);
    const text = `Thought: I write.\nAction: write_file(path="big.txt", content="${content}")`;
    await playground.script([
      { text, chunks: [text] },
      { text: 'Thought: I read.\nAction: read_file(path="big.txt")' },
      answering('done'),
    ]);
    await playground.run('Write much.');
    await playground.button('Allow').click();
    await playground.ended();
    await page.getByText('Answered', { exact: true }).waitFor();
    expect(await page.getByRole('main').getByRole('article').count()).toBe(3);
  });
});
