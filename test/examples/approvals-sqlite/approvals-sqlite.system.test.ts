import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from '@jest/globals';
import { startLocalService } from '../../../src/cli/session/local-service.js';
import { type FakeProvider, startFakeProvider } from '../../../src/offline/fake-provider.js';
import type { Service } from '../../../src/service/start.js';
import { chromiumBrowser, launchChromium } from '../../support/chromium.js';
import { exampleNamed } from '../../support/example.js';
import { needs } from '../../support/needs.js';
import { packageCopyFor } from '../../support/package-copy.js';

const example = exampleNamed('approvals-sqlite');
const { test } = needs(example.dependencies, chromiumBrowser);

let provider: FakeProvider;
let service: Service;
beforeAll(async () => {
  provider = await startFakeProvider();
  service = await startLocalService({ UPSTREAMS: JSON.stringify({ fake: `${provider.url}/v1` }) });
});
afterAll(async () => {
  await service.close();
  await provider.close();
});

async function start(database: string): Promise<{ url: string; child: ChildProcess }> {
  const child = spawn(process.execPath, ['server.js'], {
    cwd: example.folder,
    env: {
      PATH: process.env['PATH'],
      STEPWISE_URL: service.url,
      MODEL: 'scripted',
      PROVIDER: 'fake',
      PORT: '0',
      DATABASE: database,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(child.stdout, 'data');
  return { url: String(line).trim(), child };
}

test('a refund waits in SQLite while its server is restarted, and is paid once it is allowed on the page (rule: waiting-approvals)', async () => {
  await example.prepare();
  const project = join(packageCopyFor('approvals-sqlite'), 'tsconfig.build.json');
  execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', project]);
  provider.script([
    { text: 'Action: refund_order(order_id="A-17", cents=1250)' },
    { text: 'Final Answer: Paid back.' },
  ]);
  const database = join(mkdtempSync(join(tmpdir(), 'stepwise-approvals-')), 'runs.db');
  const first = await start(database);
  const browser = await launchChromium();
  const page = await browser.newPage();
  try {
    await page.goto(first.url);
    await page.getByRole('textbox').fill('Refund A-17.');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('Pay 12.50 € back for order A-17').waitFor();
    expect(provider.requests).toHaveLength(1);
  } finally {
    first.child.kill();
    await once(first.child, 'exit');
  }
  const second = await start(database);
  try {
    await page.goto(second.url);
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByText('Paid back.', { exact: true }).waitFor();
    expect(JSON.stringify(provider.requests.at(-1)?.body)).toContain('Order A-17 is paid back.');
  } finally {
    await browser.close();
    second.child.kill();
  }
}, 240_000);
