import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { startLocalService } from '../../src/cli/session/local-service.js';
import { type FakeProvider, startFakeProvider } from '../../src/offline/fake-provider.js';
import type { Service } from '../../src/service/start.js';
import { act, answer, ended } from '../support/cli-harness.js';
import { copyFiles } from '../support/document-snippets.js';
import { program } from '../support/need.js';
import { needs } from '../support/needs.js';

/** Runs both loops of the page unchanged against the service. */
const page = readFileSync('docs/your-own-loop.md', 'utf8');

let service: Service;
let provider: FakeProvider;

beforeAll(async () => {
  provider = await startFakeProvider();
  service = await startLocalService({
    UPSTREAMS: JSON.stringify({ fake: { url: `${provider.url}/v1`, keyRequired: true } }),
  });
}, 60_000);
afterAll(() => Promise.all([service.close(), provider.close()]));

const key = 'sk-0123456789';
const languages = [
  {
    command: process.execPath,
    needed: [],
    file: 'loop.mjs',
    offline: `modelName: 'offline'`,
    scripted: `modelName: 'scripted', provider: 'fake'`,
  },
  {
    command: 'python3',
    needed: [program('python3')],
    file: 'loop.py',
    offline: `"modelName": "offline"`,
    scripted: `"modelName": "scripted", "provider": "fake"`,
  },
];

const started: ChildProcessWithoutNullStreams[] = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
});

describe.each(languages)('the documented loop in $file', ({ command, needed, file, offline, scripted }) => {
  const { test } = needs(...needed);
  const start = (task?: string, model = scripted): ChildProcessWithoutNullStreams => {
    const fileAt = copyFiles(page, `your-own-loop-${file}`, {
      'http://127.0.0.1:8080': service.url,
      [offline]: model,
    });
    const words = [fileAt(file), ...(task === undefined ? [] : [task])];
    const child = spawn(command, words, { env: { PATH: process.env['PATH'], STEPWISE_LLM_KEY: key } });
    started.push(child);
    return child;
  };
  const latest = (): string => JSON.stringify(provider.requests.at(-1)?.body);

  test('the documented loop answers from its example notes with the model `offline`', async () => {
    const { code, stdout } = await ended(start(undefined, offline));
    expect(stdout).toContain('The largest discount is 40 %.');
    expect(code).toBe(0);
  });

  test('the documented loop passes on the key, runs a tool, and prints the answer', async () => {
    provider.script([act('search_notes(query="largest")'), answer('It is 40 %.')]);
    expect(await ended(start())).toMatchObject({ code: 0, stdout: 'It is 40 %.\n', stderr: '' });
    expect(latest()).toContain('discounts.md:1: The largest discount is 40 %.');
    expect(provider.requests.at(-1)?.headers['authorization']).toBe(`Bearer ${key}`);
  });

  test('the documented loop deletes a note only after a yes', async () => {
    provider.script([
      act('delete_note(path="old.md")'),
      act('search_notes(query="was")'),
      answer('Deleted.'),
    ]);
    const { stdout } = await ended(start('Delete the old note'), 'y\n');
    expect(stdout).toContain('Action: delete_note(path="old.md") [y/N]');
    expect(stdout).toContain('Deleted.');
    expect(latest()).toContain('Deleted old.md.');
    expect(latest()).not.toContain('old.md:1:');
  });

  test.each([
    'n\n',
    '',
  ])('the documented loop treats the input %j as a refusal and keeps the note', async (typed) => {
    provider.script([act('delete_note(path="old.md")'), act('search_notes(query="was")'), answer('Kept.')]);
    expect((await ended(start('Delete the old note'), typed)).stdout).toContain('Kept.');
    expect(latest()).toContain('old.md:1:');
    if (typed !== '') expect(latest()).toContain('The person refused.');
  });

  test('the documented loop returns a failed tool as an observation', async () => {
    provider.script([act('delete_note(path="none.md")'), answer('There is none.')]);
    expect((await ended(start('Delete it'), 'y\n')).code).toBe(0);
    expect(latest()).toMatch(/Error: .*none\.md/);
  });

  test('the documented loop corrects an unreadable action at most twice in a row', async () => {
    const unreadable = { text: 'Thought: I look.\nAction: search_notes(query=' };
    provider.script([unreadable, unreadable, answer('At last.')]);
    expect((await ended(start())).stdout).toBe('At last.\n');
    const before = provider.requests.length;
    provider.script(unreadable);
    expect((await ended(start())).stdout).toContain('search_notes(query=');
    expect(provider.requests).toHaveLength(before + 3);
  });

  test('the documented loop retries a transient failure with the same history', async () => {
    let asked = 0;
    provider.script(() => {
      asked += 1;
      // The service makes one retry of its own for each step.
      if (asked === 1) return act('search_notes(query="largest")');
      return asked < 4 ? { fault: 'overloaded', retryAfter: '1' } : answer('It is 40 %.');
    });
    expect((await ended(start())).stdout).toBe('It is 40 %.\n');
    expect(latest()).toContain('The largest discount is 40 %.');
  });

  test('the documented loop exits with the code and message of a permanent failure', async () => {
    provider.script({ fault: 'unauthorized' });
    const { code, stderr } = await ended(start());
    expect(code).toBe(1);
    expect(stderr).toBe('upstream_authentication_failed: The provider did not accept the model key.\n');
  });

  test('the documented loop makes eight steps, and the last one asks for an answer', async () => {
    const before = provider.requests.length;
    provider.script(act('search_notes(query="largest")', 'I look once more.'));
    expect((await ended(start())).stdout).toContain('I look once more.');
    expect(provider.requests).toHaveLength(before + 8);
    expect(latest()).toContain('This is the last step');
  });

  test('Ctrl-C in the documented loop ends the model call', async () => {
    const before = provider.requests.length;
    provider.script({ text: 'never', delayMs: 60_000 });
    const child = start();
    const end = ended(child);
    const request = await provider.request(before);
    child.kill('SIGINT');
    expect(await end).toMatchObject({ code: 1, stderr: 'Stopped.\n' });
    expect(await request.ended).toBe('aborted');
  });
});

test('a step without iterations left returns iterations_exhausted and makes no call', async () => {
  const before = provider.requests.length;
  const response = await fetch(`${service.url}/api/agent/react_step`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      ...{
        project_id: crypto.randomUUID(),
        session_id: crypto.randomUUID(),
        user_query: 'Hello',
        conversation_history: [],
      },
      llm_config: { modelName: 'scripted', provider: 'fake', tokenLimit: 8_000, reservedOutputTokens: 1_000 },
      max_iterations_left: 0,
    }),
  });
  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({ status: 'error', error: { code: 'iterations_exhausted' } });
  expect(provider.requests).toHaveLength(before);
});
