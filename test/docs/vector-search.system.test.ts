import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Preview } from '../../src/contract/preview.js';
import { StepwiseClient } from '../../src/sdk/index.js';
import { blocks, copyFiles } from '../support/document-snippets.js';
import { patientEnvironment } from '../support/patience.js';
import { type ServiceProcess, startServiceProcess } from '../support/service-process.js';

/**
 * Runs the example server of docs/vector-search.md over the example shop, once as a context service and once as a
 * separate search.
 */
const page = readFileSync('docs/vector-search.md', 'utf8');
const [command = ''] = blocks(page, 'sh');
const [shown] = blocks(page, 'json').map((block) => JSON.parse(block));
const request = JSON.parse(/-d '([^']+)'/.exec(command)?.[1] ?? 'null');
const inNode = promisify(execFile);

let search: ChildProcess;
let searchUrl: string;
let service: ServiceProcess;

beforeAll(async () => {
  // Node resolves the package from a folder below `.build` as it does for the project itself.
  const file = copyFiles(page, 'vector-search', {});
  search = spawn(process.execPath, [file('search-server.mjs'), resolve('examples/shop'), '0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(search.stdout ?? search, 'data');
  searchUrl = /^search on (\S+)/.exec(String(line))?.[1] ?? '';
  service = await startServiceProcess({
    ...patientEnvironment,
    CONTEXT_SERVICE_URL: searchUrl,
    OFFLINE_MODEL: 'on',
  });
}, 60_000);
afterAll(async () => {
  search.kill();
  await service.stop();
});

async function preview(changes: object = {}): Promise<Preview> {
  const response = await fetch(`${service.url}/api/agent/context_preview`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...request, ...changes }),
  });
  return (await response.json()) as Preview;
}

test('a search question among the paths adds passages to the prompt, each below its path and lines', async () => {
  const { messages, context_report: report } = await preview();
  expect(report.items).toMatchObject([...shown.context_report.items, { kind: 'turn' }]);
  const prompt = messages.map(({ content }) => content).join('\n');
  expect(prompt).toMatch(/^<file path="search\/limits of a coupon"/m);
  expect(prompt).toMatch(/^src\/pricing\/coupons\.js:\d+-\d+$/m);
  expect(prompt).toContain('export function couponDiscount');
});

test('the same question gives the same prompt', async () => {
  expect((await preview()).prompt_sha256).toBe((await preview()).prompt_sha256);
});

test('a step answers from passages that the search found', async () => {
  const response = await fetch(`${service.url}/api/agent/react_step`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...request, max_iterations_left: 1 }),
  });
  expect(((await response.json()) as { direct_response: string }).direct_response).toContain('coupon');
});

test('a client with its own search sends passages with their lines and gets an answer', async () => {
  const file = copyFiles(page, 'vector-search-client', {
    'http://127.0.0.1:4000': searchUrl,
    'http://127.0.0.1:8080': service.url,
  });
  const { stdout } = await inNode(process.execPath, [file('ask.mjs')]);
  expect(stdout.match(/^[\w./-]+:\d+-\d+ included$/gm)).toHaveLength(5);
  expect(stdout).toMatch(/^src\/pricing\/discounts\.js:\d+ · .*coupon/m);
});

test('the SDK sends the same passages as context', async () => {
  const { results } = (await (await fetch(`${searchUrl}/search?question=coupon`)).json()) as {
    results: { path: string; content: string; score: number }[];
  };
  expect(results).toHaveLength(5);
  expect(results.map(({ score }) => score)).toEqual(results.map(({ score }) => score).sort((a, b) => b - a));
  const client = new StepwiseClient({ baseUrl: service.url });
  const run = client.run('coupon', {
    llmConfig: { modelName: 'offline' },
    context: { vectorResults: results },
    report: 'full',
  });
  for await (const event of run) {
    if (event.type !== 'agent_reason') continue;
    const kinds = event.response.context_report?.items.map(({ kind }) => kind);
    expect(kinds?.filter((kind) => kind === 'vector')).toHaveLength(5);
  }
});

test('lines that a search finds twice are sent once', async () => {
  const { results } = (await (await fetch(`${searchUrl}/search?question=coupon`)).json()) as {
    results: object[];
  };
  const report = (
    await preview({
      explicit_context_paths: [],
      vector_search_results_to_include: [...results, ...results],
      include: { report: 'full' },
    })
  ).context_report;
  expect(report.items.filter(({ status }) => status === 'duplicate')).toHaveLength(5);
});

test('the context service answers other paths and empty searches with the same 404', async () => {
  for (const path of ['src/cart.js', '../secret', 'search/', 'search/zeppelin']) {
    const answer = await fetch(
      `${searchUrl}/projects/${request.project_id}/files?path=${encodeURIComponent(path)}`,
    );
    expect([answer.status, await answer.json()]).toEqual([404, { error: 'not found' }]);
  }
});
