import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startLocalService } from '../../src/cli/session/local-service.js';
import { errorCodes } from '../../src/contract/error-codes.js';
import { type RunEvent, StepwiseClient, StepwiseError } from '../../src/sdk/index.js';
import type { Service } from '../../src/service/start.js';
import { compileSnippet, copyFiles } from '../support/document-snippets.js';
import { freePort } from '../support/free-port.js';
import { listen } from '../support/listen.js';
import { startScriptedService } from '../support/scripted-service.js';

/** Compares the page with the error table of the code and tries what it states about the SDK. */
const page = readFileSync('docs/errors-and-retries.md', 'utf8');
const inNode = promisify(execFile);

let service: Service;
beforeAll(async () => {
  service = await startLocalService();
}, 60_000);
afterAll(() => service.close());

/** Returns the rows of the table of a section as cells without code quotes. */
function rowsOf(section: string): string[][] {
  const [, text = ''] = new RegExp(`^## ${section}\\n(.*?)(?=^## |(?![^]))`, 'ms').exec(page) ?? [];
  return text
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.slice(2, -2).replaceAll('`', '').split(' | '));
}

test.each([
  ['Try again', true],
  ['Change something first', false],
])('the section "%s" lists exactly its error codes, with status and message', (section, retryable) => {
  const told = rowsOf(section).map(([code, status, message]) => [code, Number(status), message]);
  const meant = Object.entries(errorCodes)
    .filter(([, row]) => row.retryable === retryable)
    .map(([code, { status, message }]) => [code, status, message]);
  expect(told.sort()).toEqual(meant.sort());
  for (const [, , , what = ''] of rowsOf(section)) expect(what).not.toBe('');
});

test('if no service answers, the client reports the documented codes and retry advice', async () => {
  const other = createServer(({ url }, response) => {
    if (url?.startsWith('/foreign')) response.writeHead(Number(url.split('/')[2])).end('<h1>Log in</h1>');
  });
  const address = await listen(other);
  const clients = [
    new StepwiseClient({ baseUrl: `http://127.0.0.1:${await freePort()}` }),
    new StepwiseClient({ baseUrl: address, timeoutMs: 50 }),
    new StepwiseClient({ baseUrl: `${address}/foreign/200` }),
  ];
  const failureOf = async (client: StepwiseClient) => {
    const error = await client.models().catch((thrown: unknown) => thrown);
    return error instanceof StepwiseError ? [error.code, error.retryable ? 'yes' : 'no'] : [String(error)];
  };
  const told = rowsOf('Before the service').map(([code, again = '']) => [code, again.split(',')[0]]);
  expect(told).toEqual(await Promise.all(clients.map(failureOf)));
  for (const status of [408, 429, 502]) {
    const busy = new StepwiseClient({ baseUrl: `${address}/foreign/${status}` });
    expect(await failureOf(busy)).toEqual(['invalid_answer', 'yes']);
  }
  other.closeAllConnections();
  other.close();
});

const options = { llmConfig: { modelName: 'scripted' } } as const;

test('a call of the client is made once and throws on failure', async () => {
  const scripted = await startScriptedService({ error: 'upstream_overloaded', retryAfterMs: 10 });
  const client = new StepwiseClient({ baseUrl: scripted.url });
  const run = client.run('Hello', { ...options, retries: 0 });
  expect((await run.result()).stopReason).toBe('error');
  const [request] = scripted.requests;
  await expect(client.step(request as Parameters<typeof client.step>[0])).rejects.toMatchObject({
    name: 'StepwiseError',
    code: 'upstream_overloaded',
    retryAfterMs: 10,
  });
  expect(scripted.requests).toHaveLength(2);
  await scripted.close();
});

test('a run retries each step twice, after the time that the error names or after 1 s and 2 s, and reports each retry', async () => {
  for (const [retryAfterMs, waits] of [
    [10, [10, 10]],
    [undefined, [1_000, 2_000]],
  ] as const) {
    const scripted = await startScriptedService({
      error: 'upstream_error',
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    });
    const told: RunEvent[] = [];
    for await (const event of new StepwiseClient({ baseUrl: scripted.url }).run('Hello', options))
      told.push(event);
    const errors = told.flatMap((event) => (event.type === 'agent_error' ? [event.retryInMs] : []));
    expect(errors).toEqual([...waits, null]);
    expect(scripted.requests).toHaveLength(3);
    await scripted.close();
  }
}, 60_000);

test('a run does not retry a permanent failure and can be continued from its history', async () => {
  const scripted = await startScriptedService({ error: 'upstream_billing' }, { answer: 'At last.' });
  const client = new StepwiseClient({ baseUrl: scripted.url });
  const failed = await client.run('Hello', options).result();
  expect(failed).toMatchObject({ stopReason: 'error', error: { code: 'upstream_billing' } });
  expect(scripted.requests).toHaveLength(1);
  const result = await client.run('Go on', { ...options, history: failed.history }).result();
  expect(result.answer).toBe('At last.');
  expect(JSON.stringify(scripted.requests.at(-1)?.conversation_history)).toContain('Hello');
  await scripted.close();
});

test('the snippet of the page compiles with the strictest options, lists all codes, and decides when to retry', async () => {
  const script = await compileSnippet(copyFiles(page, 'errors-and-retries', {})('one-step.ts'));
  const runAt = async (url: string) => {
    writeFileSync(script, readFileSync(script, 'utf8').replace(/http:\/\/127\.0\.0\.1:\d+/, url));
    return inNode(process.execPath, [script]);
  };
  expect((await runAt(service.url)).stdout).toContain('openai, anthropic, offline');
  const { stderr } = await runAt(`http://127.0.0.1:${await freePort()}`);
  expect(stderr).toMatch(/^service_unreachable: .+ \(again in \d+ ms\)\n$/);
}, 120_000);
