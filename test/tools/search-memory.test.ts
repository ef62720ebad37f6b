import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { openWorkshop } from '../support/workshop.js';

const saved = (task: string, answer: string) =>
  JSON.stringify({
    format: 'stepwise-run',
    version: 1,
    task,
    project_id: 'p',
    session_id: 's',
    options: { llmConfig: { modelName: 'offline' } },
    tools: [],
    beganWith: [],
    responses: [],
    observations: [],
    history: [],
    tasks: [],
    result: { answer, stopReason: 'answered', error: null },
  });

const runs = {
  '.stepwise/runs/1.json': saved('How are coupons checked?', 'In src/coupons.ts.'),
  '.stepwise/runs/2.json': saved('Where is shipping?', 'Near the coupons code. '.repeat(100)),
  '.stepwise/runs/3.json': saved('Unrelated', 'Nothing.'),
  '.stepwise/runs/broken.json': '{"task":',
  '.stepwise/runs/notes.txt': 'coupons',
};

test('search_memory finds saved runs by the words of task and answer, best match first (rule: tool-pack)', async () => {
  const { call } = await openWorkshop(runs);
  const text = await call('search_memory', { query: 'Coupons, please' });
  expect(text).toMatch(
    /^\.stepwise\/runs\/1\.json\nTask: How are coupons checked\?\nAnswer: In src\/coupons\.ts\.\n\n/,
  );
  expect(text).toMatch(/showing 2 of 2 runs$/);
  expect(text.length).toBeLessThan(1_000);
});

test('search_memory applies its limit and says how many runs match', async () => {
  const { call } = await openWorkshop(runs);
  expect(await call('search_memory', { query: 'coupons', limit: 1 })).toMatch(
    /showing 1 of 2 runs; use other words or a higher limit$/,
  );
});

test('search_memory reads only the 200 most recently changed runs', async () => {
  const names = Array.from({ length: 201 }, (_, index) => `.stepwise/runs/${index}.json`);
  const { call, folder } = await openWorkshop(
    Object.fromEntries(names.map((name) => [name, saved(`Coupon of ${name}`, 'Done.')])),
  );
  for (const [index, name] of names.entries()) utimesSync(join(folder, name), 0, 1_000_000_000 - index);
  const found = await call('search_memory', { query: 'coupon', limit: 300 });
  expect(found).toMatch(/showing 200 of 200 runs$/);
  expect(found).toContain('.stepwise/runs/0.json');
  expect(found).not.toContain('.stepwise/runs/200.json');
});

test('search_memory reports that no run matches, and rejects a query without words', async () => {
  const { call } = await openWorkshop();
  expect(await call('search_memory', { query: 'coupons' })).toBe('No earlier run matches the query.');
  await expect(call('search_memory', { query: '!?' })).rejects.toThrow('no words');
});

test('search_memory reads a saved run with 16 MiB of images (rule: saved-attachments)', async () => {
  const shot = { media_type: 'image/png', data: 'A'.repeat(4 * 2 ** 20) };
  const turn = { role: 'user', content: 'Look.', attachments: [shot] };
  const run = JSON.parse(saved('How does the coupon page look?', 'Fine.')) as object;
  const large = JSON.stringify({ ...run, began_with: [turn], observations: [turn], history: [turn, turn] });
  const { call } = await openWorkshop({ '.stepwise/runs/1.json': large });
  expect(await call('search_memory', { query: 'coupon' })).toContain('Answer: Fine.');
});
