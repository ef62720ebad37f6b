import { expect, test } from '@jest/globals';
import { describePlayground } from '../../support/playground.js';
import { until } from '../../support/until.js';

const write = {
  text: 'Thought: I write it down.\nAction: write_file(path="notes.md", content="hello")',
};
const answer = { text: 'Thought: That is all.\nFinal Answer: **Done**, as asked.' };

describePlayground('a run on the page (rule: playground-page)', (playground) => {
  test('a first visit needs no key: one press runs the example, and the page says that no model is called', async () => {
    const { page } = playground;
    expect(await page.getByText('No language model is called').count()).toBeGreaterThan(0);
    await playground.button('Run').click();
    await playground.ended();
    const steps = page.getByRole('main').getByRole('article');
    expect(await steps.count()).toBeGreaterThan(2);
    expect(await steps.last().innerText()).toMatch(/src\/pricing\/\w+\.js:\d+/);
    expect(await page.getByText('Answered', { exact: true }).count()).toBe(1);
  });

  test('Step takes one step and waits; Go on takes the rest', async () => {
    const { page } = playground;
    await playground.button('Step').click();
    await playground.button('Go on').waitFor();
    expect(await page.getByRole('main').getByRole('article').count()).toBe(1);
    await playground.button('Go on').click();
    await playground.ended();
    expect(await page.getByText('Answered', { exact: true }).count()).toBe(1);
  });

  test.each(['Stop', 'Escape'])('%s ends a model call on its way, at the provider too', async (way) => {
    const { page, service } = playground;
    await playground.script({ fault: 'silence' });
    const asked = service.fake.requests.length;
    await playground.run('Wait for ever.');
    await service.fake.request(asked);
    if (way === 'Stop') await playground.button('Stop').click();
    else await page.keyboard.press('Escape');
    await playground.ended();
    expect(await page.getByText('Ended: stopped', { exact: true }).count()).toBe(1);
    await expectSoon(() => service.fake.openSockets(), 0);
  });

  test('a change is shown before it is allowed, and stays on the page', async () => {
    const { page } = playground;
    await playground.script([write, answer]);
    await playground.run('Write a note.');
    const card = page.getByRole('region', { name: 'Allow write_file?' });
    expect(await card.innerText()).toContain('+hello');
    await card.getByRole('button', { name: 'Allow', exact: true }).click();
    await playground.ended();
    expect(await page.getByRole('main').locator('strong').innerText()).toBe('Done');
  });

  test('arguments can be edited before they run, and the model is told', async () => {
    const { page, service } = playground;
    await playground.script([write, answer]);
    await playground.run('Write a note.');
    await playground.button('Edit…').click();
    await page.getByLabel('Arguments, as JSON').fill('{"path": "other.md", "content": "changed"}');
    await playground.button('Run with these').click();
    await playground.ended();
    expect(JSON.stringify(service.fake.requests.at(-1)?.body)).toContain('other.md');
  });

  test('a refusal takes a reason, and the model reads it', async () => {
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

  test('a question waits for its answer, which the model reads', async () => {
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

async function expectSoon<Value>(look: () => Value, wanted: Value): Promise<void> {
  await until(look, (value) => value === wanted);
}
