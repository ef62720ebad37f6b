import { mkdtempSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Exchange } from '../../scripts/agents/recorder.js';
import { judgeByTypeScript } from '../../scripts/sdks/judge-answers.js';
import { type ChatService, readFile, startChatService, textModel, user } from '../support/compat.js';

const compiler = resolve('node_modules/typescript/bin/tsc');
let folder: string;
let service: ChatService;
beforeAll(async () => {
  // The folder is inside the checkout, where the compiler finds the packages.
  folder = mkdtempSync(join(resolve('.build'), 'judge-'));
  service = await startChatService();
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await service.close();
});

async function record(stream: boolean): Promise<Exchange> {
  service.fake.script({ text: 'Thought: I look.\nAction: read_file(path="a")' });
  const path = '/v1/chat/completions';
  const response = await fetch(service.url + path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ model: textModel, messages: [user('Look.')], tools: [readFile], stream }),
  });
  const contentType = response.headers.get('content-type') ?? '';
  return { path, status: response.status, contentType, promptTokens: 0, answer: await response.text() };
}

test('the TypeScript judge accepts answers of the service and rejects answers with a wrongly typed field, plain and streamed', async () => {
  const good = [await record(false), await record(true)];
  const bad = good.map((exchange) => ({
    ...exchange,
    answer: exchange.answer.replaceAll('"index":0', '"index":"0"'),
  }));
  const [plain, streamed, ...problems] = judgeByTypeScript([...good, ...bad], compiler, folder);
  expect([plain, streamed]).toEqual([null, null]);
  for (const problem of problems) expect(problem).toMatch(/index|number/);
}, 60_000);
