import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, test } from '@jest/globals';
import { chromiumBrowser, launchChromium } from '../support/chromium.js';
import { linux } from '../support/need.js';
import { needs } from '../support/needs.js';
import { done, finish, lookUpCall } from '../support/run-harness.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { until } from '../support/until.js';

const main = join(process.cwd(), '.build/src/cli/main.js');
const root = temporaryFolder();
const started: ChildProcess[] = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
});

const canary = 'sk-canary-of-view-0123456789';

/** Starts `stepwise view` with a PATH that contains at most a fake `xdg-open`, which records its arguments. */
async function view(args: readonly string[], { opener = true } = {}) {
  const folder = mkdtempSync(join(root, 'view-'));
  const { run } = await finish([lookUpCall(), done]);
  const saved = JSON.stringify(run.save());
  writeFileSync(join(folder, 'run.json'), saved);
  writeFileSync(join(folder, 'other.json'), '{"lockfileVersion":3}');
  const called = join(folder, 'called');
  if (opener) {
    writeFileSync(
      join(folder, 'xdg-open'),
      `#!/bin/sh\n{ echo "$#"; echo "$1"; export -p; } > '${called}.part'\n/bin/mv '${called}.part' '${called}'\n`,
    );
    chmodSync(join(folder, 'xdg-open'), 0o755);
  }
  const env = { PATH: folder, HOME: folder, STEPWISE_LLM_KEY: canary, CORS_ORIGINS: 'http://friend.example' };
  const child = spawn(process.execPath, [main, 'view', ...args], { cwd: folder, env });
  started.push(child);
  const output = { out: '', err: '' };
  child.stdout.on('data', (chunk: Buffer) => (output.out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output.err += chunk.toString()));
  return { child, saved, output, called };
}

async function address(output: { readonly out: string }): Promise<{ base: string; name: string }> {
  const pattern = /(http:\/\/127\.0\.0\.1:\d+)\/#\/(view-[\w-]+)/;
  await until(() => pattern.test(output.out));
  const [, base = '', name = ''] = pattern.exec(output.out) ?? [];
  return { base, name };
}

async function get(url: string, headers: Readonly<Record<string, string>> = {}) {
  const [response] = await once(request(url, { headers }).end(), 'response');
  return { status: response.statusCode as number, headers: response.headers, body: await text(response) };
}

const { test: onLinux } = needs(linux);

describe('`stepwise view` (rule: playground-view)', () => {
  test('`stepwise view` serves the run only at its random address, and only to its own page', async () => {
    const { saved, output } = await view(['run.json', '--no-open']);
    const { base, name } = await address(output);
    const url = `${base}/playground/runs/${name}`;
    const own = await get(url, { 'sec-fetch-site': 'same-origin' });
    expect(JSON.parse(own.body)).toEqual(JSON.parse(saved));
    expect(own.headers['cache-control']).toBe('no-store');
    expect((await get(base, { accept: 'text/html' })).body).toContain('<!doctype html>');
    const strangers = [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'none' },
      { origin: 'http://friend.example' },
    ];
    for (const headers of strangers) expect((await get(url, headers)).status).toBe(404);
    expect((await get(url, { host: 'rebound.example' })).status).toBe(403);
    expect((await get(`${base}/playground/runs/view-`)).status).toBe(404);
    expect((await get(`${base}/playground/runs`)).status).toBe(404);
    expect(name.length).toBeGreaterThan(32);
  });

  needs(
    chromiumBrowser,
  ).test('the page of `stepwise view` shows a step by its address, also after a reload', async () => {
    const { output } = await view(['run.json', '--no-open']);
    const { base, name } = await address(output);
    const browser = await launchChromium();
    try {
      const page = await browser.newPage();
      await page.goto(`${base}/#/${name}/step/1`);
      const first = page.getByRole('button', { name: 'Step 1', exact: true, pressed: true });
      await first.waitFor();
      expect(await page.getByRole('main').innerText()).toContain('It is 42.');
      await page.reload();
      await first.waitFor();
      await page.goto(base);
      // The browser sends several such events if the person goes back and forth quickly.
      await page.evaluate(`{
        history.replaceState(null, '', ${JSON.stringify(`#/${name}/step/1`)});
        for (let count = 0; count < 3; count += 1) dispatchEvent(new PopStateEvent('popstate'));
      }`);
      await first.waitFor();
      expect(await page.getByRole('navigation', { name: 'Runs' }).count()).toBe(0);
    } finally {
      await browser.close();
    }
  }, 60_000);

  test('`stepwise view` ends with 0 at the first interrupt and stops serving', async () => {
    const { child, output } = await view(['run.json', '--no-open']);
    const { base } = await address(output);
    child.kill('SIGINT');
    expect(await once(child, 'exit')).toEqual([0, null]);
    await expect(get(base)).rejects.toThrow('ECONNREFUSED');
    expect(output.err).toBe('');
  });

  onLinux(
    '`stepwise view` opens the browser with the address as its only argument, without the model key',
    async () => {
      const { output, called } = await view(['run.json']);
      const { base, name } = await address(output);
      await until(() => existsSync(called));
      const [count, url, ...environment] = readFileSync(called, 'utf8').split('\n');
      expect([count, url]).toEqual(['1', `${base}/#/${name}`]);
      expect(environment.join('\n')).not.toContain(canary);
    },
  );

  onLinux('`stepwise view --no-open` opens no browser', async () => {
    const { output, called, child } = await view(['run.json', '--no-open']);
    await address(output);
    child.kill('SIGINT');
    await once(child, 'exit');
    expect(existsSync(called)).toBe(false);
  });

  onLinux('`stepwise view` reports a missing browser and keeps serving', async () => {
    const { output } = await view(['run.json'], { opener: false });
    const { base } = await address(output);
    await until(() => output.err !== '');
    expect(output.err).toBe('No browser could be started. Open the address yourself.\n');
    expect((await get(`${base}/healthz`)).status).toBe(200);
  });

  test.each([
    ['other.json', 'stepwise: other.json: This is not a saved run of version 1 or 2.\n'],
    [
      'none.json',
      'stepwise: Cannot read the file none.json. To create such a file, start a run with --save FILE.\n',
    ],
  ])('`stepwise view` refuses %s, which is no saved run, with one sentence', async (file, sentence) => {
    const { child, output } = await view([file]);
    expect(await once(child, 'close')).toEqual([1, null]);
    expect(output).toEqual({ out: '', err: sentence });
  });
});
