import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type FakeProvider, startFakeProvider } from '../../src/offline/fake-provider.js';
import * as sdk from '../../src/sdk/index.js';
import { answer } from '../support/cli-harness.js';
import { blocks, compileSnippet, copyFiles } from '../support/document-snippets.js';
import { patientEnvironment } from '../support/patience.js';
import { type ServiceProcess, startServiceProcess, upstreamsAt } from '../support/service-process.js';

/** Runs the loop before and the loop after the migration with the same scripted model, and proves the stated gains. */
const page = readFileSync('docs/migrating.md', 'utf8');
const inNode = promisify(execFile);
const key = 'sk-0123456789';

let service: ServiceProcess;
let provider: FakeProvider;
let addresses: Readonly<Record<string, string>>;
let fileOf: (name: string) => string;

beforeAll(async () => {
  provider = await startFakeProvider();
  service = await startServiceProcess({ ...patientEnvironment, ...upstreamsAt(provider.url) });
  addresses = { 'https://api.openai.com': provider.url, 'http://127.0.0.1:8080': service.url };
  fileOf = copyFiles(page, 'migrating', addresses);
}, 60_000);
afterAll(() => Promise.all([service.stop(), provider.close()]));

const run = (file: string) =>
  inNode(process.execPath, [file], { env: { ...process.env, OPENAI_API_KEY: key } });
const latest = (): string => JSON.stringify(provider.requests.at(-1)?.body);
const call = 'Action: read_file(path="src/limits.ts")';

test.each([
  'before.mjs',
  'after.mjs',
])('the loop %s of the migration page reads the file and prints the answer', async (name) => {
  provider.script([{ text: `Thought: I read.\n${call}` }, answer('At most 40.')]);
  expect((await run(fileOf(name))).stdout).toBe('At most 40.\n');
  expect(latest()).toContain('MAX_DISCOUNT = 40');
  expect(provider.requests.at(-1)?.headers['authorization']).toBe(`Bearer ${key}`);
});

test('the old loop reads only the first of the five spellings of a call on the page, the new loop reads all', async () => {
  const replies = (blocks(page, 'text')[0] ?? '').trim().split('\n');
  expect(replies).toHaveLength(5);
  expect(replies[0]).toBe(call);
  const readBy = async (name: string, reply: string) => {
    provider.script([{ text: `Thought: I read.\n${reply}` }, answer('At most 40.')]);
    await run(fileOf(name));
    return latest().includes('MAX_DISCOUNT = 40');
  };
  for (const [index, reply] of replies.entries()) {
    expect({ reply, before: await readBy('before.mjs', reply) }).toEqual({ reply, before: index === 0 });
    expect({ reply, after: await readBy('after.mjs', reply) }).toEqual({ reply, after: true });
  }
}, 120_000);

test('after an unreadable action the new loop asks the model to write its reply again', async () => {
  provider.script([{ text: 'Thought: I read.\nAction: read_file(path=' }, answer('At most 40.')]);
  expect((await run(fileOf('after.mjs'))).stdout).toBe('At most 40.\n');
  expect(latest()).toContain('Write the whole reply again');
});

test('the migrated run compiles and answers with the old history', async () => {
  provider.script([{ text: `Thought: I read.\n${call}` }, answer('At most 40.')]);
  const agent = await compileSnippet(fileOf('agent.ts'), addresses);
  expect((await run(agent)).stdout).toBe('At most 40.\n');
  for (const said of ['MAX_DISCOUNT = 40', 'Be brief.']) expect(latest()).toContain(said);
  provider.script({ fault: 'unauthorized' });
  expect((await run(agent)).stdout).toBe('The provider did not accept the model key.\n');
  provider.script(answer('There is none.'));
  const brought = await compileSnippet(fileOf('bring-along.ts'), addresses);
  expect((await run(brought)).stdout).toBe('There is none.\n');
  for (const said of ['It is 40 %.', 'And the smallest?', 'Be brief.']) expect(latest()).toContain(said);
}, 120_000);

test('after a failed run another model continues from its history', async () => {
  const client = new sdk.StepwiseClient({ baseUrl: service.url, llmKey: key });
  provider.script({ fault: 'unauthorized' });
  const { history, stopReason } = await client
    .run('The task', { llmConfig: { modelName: 'gpt-4o' } })
    .result();
  expect(stopReason).toBe('error');
  provider.script(answer('Done.'));
  const next = client.run('Go on', { history, llmConfig: { modelName: 'gpt-4.1' } });
  expect((await next.result()).answer).toBe('Done.');
  expect(latest()).toContain('The task');
});

test('every Stepwise name in the table of the migration page exists', () => {
  const options = readFileSync('src/sdk/run/run-options.ts', 'utf8');
  const named = [
    'llmConfig',
    'tools',
    'instructions',
    'maxSteps',
    'approve',
    'history',
    'compaction',
    'retries',
  ];
  for (const name of named) {
    expect(page).toContain(name);
    expect(options).toMatch(new RegExp(`readonly ${name}\\??:`));
  }
  expect(Object.keys(sdk)).toEqual(
    expect.arrayContaining(['defineTool', 'fromOpenAiMessages', 'StepwiseClient']),
  );
});
