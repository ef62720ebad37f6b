import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { pdfBytes, pngBytes } from '../../support/attachments.js';
import { describePlayground } from '../../support/playground.js';
import { until } from '../../support/until.js';

const write = {
  text: 'Thought: I write it down.\nAction: write_file(path="notes.md", content="hello")',
};
const answer = { text: 'Thought: That is all.\nFinal Answer: **Done**, as asked.' };

interface DraggedFile {
  readonly name: string;
  readonly type: string;
  readonly bytes: Buffer;
}

const image: DraggedFile = { name: 'cat.png', type: 'image/png', bytes: pngBytes(640, 480) };
const document: DraggedFile = { name: 'plan.pdf', type: 'application/pdf', bytes: pdfBytes(1) };

/** Returns an expression that creates in the page the data that a person drags or copies. */
const transfer = (files: readonly DraggedFile[], text = ''): string => `(() => {
  const transfer = new DataTransfer();
  for (const [name, type, base64] of ${JSON.stringify(files.map(({ name, type, bytes }) => [name, type, bytes.toString('base64')]))})
    transfer.items.add(new File([Uint8Array.from(atob(base64), (each) => each.charCodeAt(0))], name, { type }));
  const text = ${JSON.stringify(text)};
  if (text !== '') transfer.setData('text/plain', text);
  return transfer;
})()`;

async function drop(page: Page, files: readonly DraggedFile[]): Promise<void> {
  const dataTransfer = await page.evaluateHandle(transfer(files));
  await page.dispatchEvent('main', 'dragover', { dataTransfer });
  await page.getByText('Drop images or PDF files for the task').waitFor();
  await page.dispatchEvent('main', 'drop', { dataTransfer });
}

describePlayground('images and PDF files on the page (rule: playground-page)', (playground) => {
  const attached = () => playground.page.getByRole('list', { name: 'Attached files' }).getByRole('listitem');

  test('dropped files count in the budget, go with the task to the model, and the timeline names them', async () => {
    const { page, service } = playground;
    await playground.script(answer);
    const budget = page.getByRole('region', { name: 'Task' }).locator('.budget-line');
    const before = await budget.innerText();
    await drop(page, [image, document]);
    await until(async () => (await attached().count()) === 2);
    expect(await attached().first().innerText()).toContain('cat.png');
    await until(async () => (await budget.innerText()) !== before);
    await playground.run('What is on it?');
    await playground.ended();
    const sent = service.fake.requests.at(-1)?.rawBody ?? '';
    expect(sent).toContain(image.bytes.toString('base64'));
    expect(sent).toContain(document.bytes.toString('base64'));
    expect(await page.getByText('Attached: image/png, application/pdf').count()).toBe(1);
  });

  test('a pasted image is attached, and pasted text with a picture of it stays text', async () => {
    const { page } = playground;
    const paste = (text: string) =>
      page.evaluate(`document.getElementById('task').dispatchEvent(new ClipboardEvent('paste', {
        clipboardData: ${transfer([image], text)}, bubbles: true, cancelable: true }))`);
    expect([await paste('a table'), await paste('')]).toEqual([true, false]);
    await until(async () => (await attached().count()) === 1);
  });

  test('a picked file can be removed again, and is then not sent', async () => {
    const { page, service } = playground;
    await playground.script(answer);
    const choosing = page.waitForEvent('filechooser');
    await playground.button('Attach').click();
    const chooser = await choosing;
    await chooser.setFiles([{ name: image.name, mimeType: image.type, buffer: image.bytes }]);
    await playground.button('Remove cat.png').click();
    expect(await attached().count()).toBe(0);
    await playground.run('What is on it?');
    await playground.ended();
    expect(service.fake.requests.at(-1)?.rawBody).not.toContain(image.bytes.toString('base64'));
  });

  test('dropped files that no model takes are refused in one sentence each, and the others are attached', async () => {
    const { page } = playground;
    const file = (name: string, type: string, content: Buffer | string): DraggedFile => ({
      name,
      type,
      bytes: Buffer.from(content),
    });
    await drop(page, [
      file('a.svg', 'image/svg+xml', '<svg/>'),
      file('b.png', 'image/png', '<html>'),
      file('big.png', 'image/png', Buffer.concat([image.bytes, Buffer.alloc(3_000_000)])),
      file('notes.txt', 'text/plain', 'Notes.'),
      image,
    ]);
    const alert = page.getByRole('alert');
    await alert.waitFor();
    const text = await alert.innerText();
    for (const name of ['a.svg is not attached: models take', 'b.png is not attached: models take'])
      expect(text).toContain(name);
    expect(text).toMatch(/big\.png is not attached: .* 3 MB/);
    expect(text).toContain('notes.txt');
    expect(await attached().allInnerTexts()).toEqual([expect.stringContaining('cat.png')]);
  });
});

describePlayground('a run on the page (rule: playground-page)', (playground) => {
  test('on a first visit Run starts the example without a key, and the page says that no model is called', async () => {
    const { page } = playground;
    expect(await page.getByText('No language model is called').count()).toBeGreaterThan(0);
    await playground.button('Run').click();
    await playground.ended();
    const steps = page.getByRole('main').getByRole('article');
    expect(await steps.count()).toBeGreaterThan(2);
    expect(await steps.last().innerText()).toMatch(/src\/pricing\/\w+\.js:\d+/);
    expect(await page.getByText('Answered', { exact: true }).count()).toBe(1);
  });

  test('the Step button takes one step and pauses; Go on takes the rest', async () => {
    const { page } = playground;
    await playground.button('Step').click();
    await playground.button('Go on').waitFor();
    expect(await page.getByRole('main').getByRole('article').count()).toBe(1);
    await playground.button('Go on').click();
    await playground.ended();
    expect(await page.getByText('Answered', { exact: true }).count()).toBe(1);
  });

  test.each(['Stop', 'Escape'])('%s aborts a model call in flight, at the provider too', async (way) => {
    const { page, service } = playground;
    await playground.script({ fault: 'silence' });
    const asked = service.fake.requests.length;
    await playground.run('Wait for ever.');
    await service.fake.request(asked);
    if (way === 'Stop') await playground.button('Stop').click();
    else await page.keyboard.press('Escape');
    await playground.ended();
    expect(await page.getByText('Ended: stopped', { exact: true }).count()).toBe(1);
    await until(() => service.fake.openSockets() === 0);
  });

  test('the page shows a change before its approval and lists it afterwards', async () => {
    const { page } = playground;
    await playground.script([write, answer]);
    await playground.run('Write a note.');
    const card = page.getByRole('region', { name: 'Allow write_file?' });
    expect(await card.innerText()).toContain('+hello');
    await card.getByRole('button', { name: 'Allow', exact: true }).click();
    await playground.ended();
    expect(await page.getByRole('main').locator('strong').innerText()).toBe('Done');
  });

  test('a person can edit the arguments of a call, and the model learns of the edit', async () => {
    const { page, service } = playground;
    await playground.script([write, answer]);
    await playground.run('Write a note.');
    await playground.button('Edit…').click();
    await page.getByLabel('Arguments, as JSON').fill('{"path": "other.md", "content": "changed"}');
    await playground.button('Run with these').click();
    await playground.ended();
    expect(JSON.stringify(service.fake.requests.at(-1)?.body)).toContain('other.md');
  });

  test('two starts in the same moment begin one run', async () => {
    const { page } = playground;
    await playground.script([answer, answer]);
    await page.getByRole('textbox', { name: 'Task' }).fill('Answer.');
    await page.evaluate(`{
      const task = document.getElementById('task');
      const start = () => task.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', ctrlKey: true, bubbles: true }));
      const change = () => {
        task.value = 'Answer again.';
        task.dispatchEvent(new Event('input', { bubbles: true }));
      };
      start();
      change();
      start();
    }`);
    await playground.ended();
    expect(await page.getByRole('navigation', { name: 'Runs' }).count()).toBe(0);
  });

  test('a person can deny a call with a reason that the model reads', async () => {
    const { page, service } = playground;
    await playground.script([write, answer]);
    await playground.run('Write a note.');
    await playground.button('Deny…').click();
    await page.getByLabel('Why not?').fill('Not in this folder.');
    await playground.button('Deny').click();
    await playground.ended();
    expect(JSON.stringify(service.fake.requests.at(-1)?.body)).toContain('Not in this folder.');
    expect(await page.getByText(/denied/i).count()).toBeGreaterThan(0);
  });

  test('a question waits for the person’s answer, which the model reads', async () => {
    const { page, service } = playground;
    const question = { text: 'Thought: I ask.\nAction: request_input(question="Which currency?")' };
    await playground.script([question, answer]);
    await playground.run('Set the currency.');
    await page.getByText('Which currency?').first().waitFor();
    await page.getByLabel('Your answer').fill('Swiss francs');
    await playground.button('Answer').click();
    await playground.ended();
    expect(JSON.stringify(service.fake.requests.at(-1)?.body)).toContain('Swiss francs');
  });
});
