import { expect, test } from '@jest/globals';
import { describePlayground } from '../../support/playground.js';
import { until } from '../../support/until.js';

const write = {
  text: 'Thought: I write it down.\nAction: write_file(path="notes.md", content="hello")',
};
const answer = { text: 'Thought: That is all.\nFinal Answer: **Done**, as asked.' };

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
