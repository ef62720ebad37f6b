import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { startFakeProvider } from '../../src/offline/fake-provider.js';
import { type OfflineModel, startOfflineModel } from '../../src/offline/offline-model.js';
import { anthropicAt, collect, openaiAt } from '../support/clients.js';

let offline: OfflineModel;
beforeEach(async () => {
  offline = await startOfflineModel();
});
afterEach(() => offline.close());

const system = 'Tools:\n- search_code(pattern, path)\n- read_file(path)';
const task = { role: 'user' as const, content: 'Where is the discount?' };
const openaiRequest = { model: 'offline', messages: [{ role: 'system' as const, content: system }, task] };
const expected =
  'Thought: The most telling term is "discount"; I search for it.\nAction: search_code(pattern="discount")';

test("the offline model answers in OpenAI's protocol, plain and streamed, and names itself", async () => {
  const { completions } = openaiAt(offline.url).chat;
  const plain = await completions.create(openaiRequest);
  expect(plain).toMatchObject({ model: 'offline', choices: [{ message: { content: expected } }] });
  const chunks = await collect(await completions.create({ ...openaiRequest, stream: true }));
  expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toBe(expected);
});

test("the offline model answers in Anthropic's protocol, plain and streamed", async () => {
  const { messages } = anthropicAt(offline.url);
  const request = { model: 'offline', max_tokens: 1000, system, messages: [task] };
  expect((await messages.create(request)).content).toMatchObject([{ type: 'text', text: expected }]);
  expect(await messages.stream(request).finalText()).toBe(expected);
});

test("the offline model stops at the request's output limit and reports it as the finish reason", async () => {
  const limited = { ...openaiRequest, max_completion_tokens: 5 };
  const { choices } = await openaiAt(offline.url).chat.completions.create(limited);
  expect(choices[0]).toMatchObject({ finish_reason: 'length', message: { content: expected.slice(0, 20) } });
});

test('the offline model answers "not found" to requests for another model (rule: offline-model)', async () => {
  const other = openaiAt(offline.url).chat.completions.create({ ...openaiRequest, model: 'gpt-test' });
  await expect(other).rejects.toMatchObject({ status: 404, code: 'model_not_found' });
});

test('an unscripted fake provider answers as the offline model, and a script overrides that', async () => {
  const provider = await startFakeProvider();
  const ask = async () =>
    (await openaiAt(provider.url).chat.completions.create(openaiRequest)).choices[0]?.message.content;
  expect(await ask()).toBe(expected);
  provider.script({ text: 'scripted' });
  expect(await ask()).toBe('scripted');
  await provider.close();
});

test('the offline model reads prompts in its own thread, so that the event loop keeps turning (rule: loop-share)', async () => {
  const urges = `${'must answer '.repeat(150)}\n\n`.repeat(600);
  let turns = 0;
  let asking = true;
  const turn = (): void => {
    turns += 1;
    if (asking) setImmediate(turn);
  };
  const asked = openaiAt(offline.url).chat.completions.create({
    ...openaiRequest,
    messages: [{ role: 'user', content: urges }],
  });
  setImmediate(turn);
  await asked;
  asking = false;
  expect(turns).toBeGreaterThan(1_000);
});

test('a process that used the offline model exits without closing it', async () => {
  const module = new URL('../../src/offline/offline-model.js', import.meta.url).href;
  const program = `
    const { startOfflineModel } = await import(${JSON.stringify(module)});
    const { url } = await startOfflineModel();
    const response = await fetch(url + '/v1/chat/completions', {
      method: 'POST',
      body: JSON.stringify({ model: 'offline', messages: [{ role: 'user', content: 'Hello' }] }),
    });
    console.log((await response.json()).model);`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program]);
  expect(stdout).toBe('offline\n');
});
