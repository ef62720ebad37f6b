import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startLocalService } from '../../src/cli/session/local-service.js';
import { type FakeProvider, startFakeProvider } from '../../src/service/offline/fake-provider.js';
import type { Service } from '../../src/service/start.js';

let provider: FakeProvider;
let service: Service;
const question = 'What is the maximum discount in percent?';
const tsc = 'node_modules/typescript/bin/tsc';

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

async function output(command: string, args: readonly string[]): Promise<string> {
  const child = spawn(command, args, { env: environment(), stdio: ['ignore', 'pipe', 'pipe'] });
  const [shown, trouble] = await Promise.all([text(child.stdout), text(child.stderr)]);
  expect(trouble).toBe('');
  return shown;
}

test('the agent in TypeScript has 30 lines, type-checks against the built package, and answers', async () => {
  for (const project of ['tsconfig.build.json', 'examples/agent-typescript']) {
    const { status, stdout } = spawnSync(process.execPath, [tsc, '-p', project], { encoding: 'utf8' });
    expect({ project, status, stdout }).toEqual({ project, status: 0, stdout: '' });
  }
  const built = '.build/examples/agent-typescript/agent.js';
  const shown = await output(process.execPath, [built, 'examples/shop', question]);
  expect(shown).toContain('🔧 search_code {"pattern"');
  expect(shown).toContain('maxDiscountPercent: 30');
}, 60_000);

/** The product needs nothing but Node; this example needs Python. */
const withPython = spawnSync('python3', ['--version']).status === 0 ? test : test.skip;

withPython(
  'the agent in Python answers over plain HTTP',
  async () => {
    const shown = await output('python3', ['examples/agent-python/agent.py', 'examples/shop', question]);
    expect(shown).toContain('Action: search_code(');
    expect(shown).toContain('maxDiscountPercent: 30');
  },
  30_000,
);

test('the back end with its own loop answers, and waits for a person before it pays back', async () => {
  const { url, child } = await startBackEnd();
  try {
    const found = await post(`${url}/questions`, { question: 'What is the status of the order of Ada?' });
    expect(found).toEqual({ answer: expect.stringContaining('shipped') });
  } finally {
    child.kill();
  }
}, 30_000);

test('its approvals: asked once, then carried out or told to the model', async () => {
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

async function startBackEnd(more: NodeJS.ProcessEnv = {}): Promise<{ url: string; child: ChildProcess }> {
  const child = spawn(process.execPath, ['examples/own-loop-express/server.js'], {
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
