import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startLocalService } from '../../src/cli/session/local-service.js';
import { type FakeProvider, startFakeProvider } from '../../src/offline/fake-provider.js';
import type { Service } from '../../src/service/start.js';
import { chromiumBrowser, launchChromium } from '../support/chromium.js';
import { program } from '../support/need.js';
import { needs } from '../support/needs.js';
import { packageCopyFor, preparePackageCopy } from '../support/package-copy.js';

let provider: FakeProvider;
let service: Service;
const question = 'What is the maximum discount in percent?';
const tsc = 'node_modules/typescript/bin/tsc';
const packageCopy = packageCopyFor('agent-typescript');
const agentTypescript = join(packageCopy, '.build/examples/agent-typescript/agent.js');

beforeAll(async () => {
  provider = await startFakeProvider();
  service = await startLocalService({ UPSTREAMS: JSON.stringify({ fake: `${provider.url}/v1` }) });
});
afterAll(async () => {
  await service.close();
  await provider.close();
});

const environment = (more: NodeJS.ProcessEnv = {}) => ({
  PATH: process.env['PATH'],
  STEPWISE_URL: service.url,
  ...more,
});

interface Ended {
  readonly code: number | null;
  readonly shown: string;
  readonly trouble: string;
}

async function runExample(
  command: string,
  args: readonly string[],
  more: NodeJS.ProcessEnv = {},
): Promise<Ended> {
  const child = spawn(command, args, { env: environment(more), stdio: ['ignore', 'pipe', 'pipe'] });
  const [shown, trouble] = await Promise.all([text(child.stdout), text(child.stderr)]);
  if (child.exitCode === null) await once(child, 'exit');
  return { code: child.exitCode, shown, trouble };
}

async function output(command: string, args: readonly string[]): Promise<string> {
  const { code, shown, trouble } = await runExample(command, args);
  expect({ code, trouble }).toEqual({ code: 0, trouble: '' });
  return shown;
}

test('the TypeScript agent has 30 lines, type-checks against the built package, and answers', async () => {
  await preparePackageCopy('agent-typescript');
  for (const project of ['tsconfig.build.json', 'examples/agent-typescript']) {
    const args = [tsc, '-p', join(packageCopy, project)];
    const { status, stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    expect({ project, status, stdout }).toEqual({ project, status: 0, stdout: '' });
  }
  const shown = await output(process.execPath, [agentTypescript, 'examples/shop', question]);
  expect(shown).toContain('🔧 search_code {"pattern"');
  expect(shown).toContain('No order is discounted by more than 30 % in all.');
}, 60_000);

test('the TypeScript agent exits with the error message of the service if its run fails', async () => {
  const agent = [agentTypescript, 'examples/shop', question];
  const failures = [
    [{ MODEL: 'gpt-4o' }, /^This model needs a key/],
    [{ MODEL: 'no-such-model' }, /^No provider is known for this model/],
    [{ STEPWISE_URL: 'http://127.0.0.1:1' }, /^The service at http:\/\/127\.0\.0\.1:1 could not be reached/],
  ] as const;
  for (const [more, message] of failures) {
    const { code, trouble } = await runExample(process.execPath, agent, more);
    expect({ code, trouble }).toEqual({ code: 1, trouble: expect.stringMatching(message) });
  }
}, 60_000);

const { test: testWithPython } = needs(program('python3'));
const { test: testInChromium } = needs(chromiumBrowser);

testWithPython(
  'the Python agent answers over plain HTTP',
  async () => {
    const shown = await output('python3', ['examples/agent-python/agent.py', 'examples/shop', question]);
    expect(shown).toContain('Action: search_code(');
    expect(shown).toContain('No order is discounted by more than 30 % in all.');
  },
  30_000,
);

testWithPython(
  'the Python agent exits with the error message of the service if a step fails',
  async () => {
    const agent = ['examples/agent-python/agent.py', 'examples/shop', question];
    const failures = [
      [{ MODEL: 'gpt-4o' }, 'missing_api_key: This model needs a key'],
      [{ MODEL: 'no-such-model' }, 'unsupported_model: '],
      [{ STEPWISE_URL: 'http://127.0.0.1:1' }, 'No service answers at http://127.0.0.1:1'],
    ] as const;
    for (const [more, message] of failures) {
      const { code, trouble } = await runExample('python3', agent, more);
      expect({ code, trouble }).toEqual({ code: 1, trouble: expect.stringMatching(`^${message}`) });
    }
  },
  30_000,
);

test('the back end with its own loop waits for approval before it opens an order, then answers', async () => {
  const { url, child } = await startBackEnd();
  try {
    const asked = await post(`${url}/questions`, { question: 'Where does the order of Ada go?' });
    expect(asked).toEqual({
      approval: { id: expect.any(String), tool: 'open_order', arguments: { path: 'orders/A-17' } },
    });
    const id = /"id":"([^"]+)"/.exec(JSON.stringify(asked))?.[1];
    expect(await post(`${url}/approvals/${id}`, { allow: true })).toEqual({
      answer: expect.stringContaining('12 Hill Road'),
    });
  } finally {
    child.kill();
  }
}, 30_000);

test('the back end passes on the error message of a failed step', async () => {
  const { url, child } = await startBackEnd({ MODEL: 'gpt-4o' });
  try {
    expect(await post(`${url}/questions`, { question: 'Where does it go?' })).toEqual({
      error: expect.stringContaining('This model needs a key'),
      details: [],
    });
  } finally {
    child.kill();
  }
}, 30_000);

test('the back end corrects an unreadable action at most twice (rule: unreadable-action)', async () => {
  provider.script([
    { text: 'Action: refund_order(id="A-17' },
    { text: 'Action: no_such_tool(id="A-17")' },
    { text: 'Action: refund_order(id="A-17' },
  ]);
  const { url, child } = await startBackEnd({ MODEL: 'scripted', UPSTREAM: 'fake' });
  try {
    const ended = await post(`${url}/questions`, { question: 'Refund A-17.' });
    expect(ended).toEqual({ answer: expect.stringContaining('refund_order') });
  } finally {
    child.kill();
  }
}, 30_000);

test('the back end accepts each approval once, and runs the tool or reports the denial to the model', async () => {
  for (const allow of [true, false]) {
    provider.script([
      { text: 'Action: refund_order(id="A-17")' },
      { text: `Final Answer: ${allow ? 'Paid back.' : 'Not paid back.'}` },
    ]);
    const { url, child } = await startBackEnd({ MODEL: 'scripted', UPSTREAM: 'fake' });
    try {
      const asked = await post(`${url}/questions`, { question: 'Refund A-17.' });
      expect(asked).toMatchObject({ approval: { tool: 'refund_order', arguments: { id: 'A-17' } } });
      const id = /"id":"([^"]+)"/.exec(JSON.stringify(asked))?.[1];
      expect(await post(`${url}/approvals/${id}`, { allow })).toEqual({
        answer: allow ? 'Paid back.' : 'Not paid back.',
      });
      expect(await post(`${url}/approvals/${id}`, { allow })).toEqual({
        error: 'Nothing waits under this id.',
      });
      const told = JSON.stringify(provider.requests.at(-1)?.body);
      expect(told).toContain(allow ? 'Order A-17 is paid back.' : 'A person said no.');
    } finally {
      child.kill();
    }
  }
}, 30_000);

testInChromium(
  'the chat shows an answer in the browser while the model writes it, and remembers the conversation',
  async () => {
    provider.script([
      { text: 'It takes two days.' },
      { fault: 'drip', completion: { text: 'Then by Friday, I am sure.' }, intervalMs: 5 },
    ]);
    const page30 = readFileSync('examples/chat/index.html', 'utf8').trimEnd().split('\n');
    const server30 = readFileSync('examples/chat/server.js', 'utf8').trimEnd().split('\n');
    expect([page30.length, server30.length].filter((lines) => lines > 30)).toEqual([]);
    await preparePackageCopy('agent-typescript');
    await output(process.execPath, [tsc, '-p', join(packageCopy, 'tsconfig.build.json')]);
    const server = join(packageCopy, 'examples/chat/server.js');
    const { url, child } = await startServer(server, { MODEL: 'scripted', PROVIDER: 'fake' });
    const browser = await launchChromium();
    try {
      const page = await browser.newPage();
      await page.goto(url);
      const send = async (text: string) => {
        await page.getByRole('textbox').fill(text);
        await page.getByRole('button').click();
      };
      await send('How long does it take?');
      await page.getByText('It takes two days.', { exact: true }).waitFor();
      await send('And from Wednesday?');
      await page.getByText('Then', { exact: false }).waitFor();
      await page.getByText('Then by Friday, I am sure.', { exact: true }).waitFor();
      expect(await page.locator('p').allTextContents()).toEqual([
        'You: How long does it take?',
        'It takes two days.',
        'You: And from Wednesday?',
        'Then by Friday, I am sure.',
      ]);
      expect(JSON.stringify(provider.requests.at(-1)?.body)).toContain('It takes two days.');
    } finally {
      await browser.close();
      child.kill();
    }
  },
  180_000,
);

const startBackEnd = (more: NodeJS.ProcessEnv = {}) =>
  startServer('examples/own-loop-express/server.js', more);

async function startServer(
  script: string,
  more: NodeJS.ProcessEnv,
): Promise<{ url: string; child: ChildProcess }> {
  const child = spawn(process.execPath, [script], {
    env: environment({ PORT: '0', ...more }),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(child.stdout, 'data');
  return { url: String(line).trim().split(' ').at(-1) ?? '', child };
}

async function post(url: string, body: unknown): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return response.json();
}
