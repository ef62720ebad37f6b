import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import type { Request } from 'playwright-core';
import { describePlayground } from '../../support/playground.js';
import { key } from '../../support/whole-service.js';

const everything = `JSON.stringify({
  html: document.documentElement.outerHTML,
  local: { ...localStorage },
  session: { ...sessionStorage },
  url: location.href,
  cookie: document.cookie,
  title: document.title,
  history: history.state,
})`;

describePlayground('a key stays in memory (rule: playground-page)', (playground) => {
  test('the page sends the model key in one header of the calls that need it, and nowhere else', async () => {
    const { page, service } = playground;
    const sent: Request[] = [];
    const said: string[] = [];
    page.on('request', (request) => sent.push(request));
    page.on('console', (message) => said.push(message.text()));
    service.fake.script({ text: 'Thought: I know it.\nFinal Answer: No.' });
    await page.getByLabel('Name', { exact: true }).fill('gpt-4o');
    await page.getByLabel('Model key').fill(key);
    await playground.run('Answer.');
    await playground.ended();
    await page.getByText('Answered', { exact: true }).waitFor();

    const steps = sent.filter((request) => request.url().includes('/react_step'));
    expect(steps.length).toBeGreaterThan(0);
    for (const request of sent) {
      const { 'x-llm-api-key': header, ...others } = request.headers();
      expect([undefined, key]).toContain(header);
      expect(JSON.stringify([request.url(), others, request.postData()])).not.toContain(key);
    }
    expect(await page.evaluate(everything)).not.toContain(key);
    expect(said.join('\n')).not.toContain(key);
    expect(service.log.join('\n')).not.toContain(key);

    const [download] = await Promise.all([
      page.waitForEvent('download'),
      playground.button('Export').click(),
    ]);
    expect(await readFile(await download.path(), 'utf8')).not.toContain(key);
  });

  test('a reload of the page forgets the model key', async () => {
    const { page } = playground;
    await page.getByLabel('Name', { exact: true }).fill('gpt-4o');
    await page.getByLabel('Model key').fill(key);
    await page.reload();
    await page.getByLabel('Name', { exact: true }).fill('gpt-4o');
    expect(await page.getByLabel('Model key').inputValue()).toBe('');
    await page.getByText('This model needs a key: enter it under Model.').waitFor();
  });
});
