import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, jest, test } from '@jest/globals';
import { build } from 'esbuild';
import { startService } from '../../src/service/server.js';
import { version } from '../../src/service/version.js';
import { patience } from '../support/patience.js';

// One test bundles the whole service, which takes long on a busy machine.
jest.setTimeout(60_000);

test('the version constant equals the version in package.json', () => {
  expect(JSON.parse(readFileSync('package.json', 'utf8')).version).toBe(version);
});

test('startService accepts a plain object and fills in defaults (rule: settings)', async () => {
  const service = await startService({ ...patience, PORT: 0, LOG_LEVEL: 'silent', SHUTDOWN_GRACE_MS: 0 });
  expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
  expect((await fetch(`${service.url}/docs/swagger-ui.css`)).status).toBe(200);
  await service.close();
});

test('the service starts and responds when bundled to CommonJS', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'stepwise-bundle-'));
  const outfile = join(folder, 'bundle.cjs');
  const contents = `
    import { startService } from './src/service/server.ts';
    startService({ PORT: 0, LOG_LEVEL: 'silent' }).then(({ url }) => console.log(url));`;
  const stdin = { contents, resolveDir: process.cwd() };
  await build({ stdin, outfile, bundle: true, platform: 'node', format: 'cjs', logLevel: 'silent' });
  const child = spawn(process.execPath, [outfile], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const [url] = await once(createInterface(child.stdout), 'line');
  const statuses = await Promise.all(
    ['/healthz', '/version', '/openapi.yaml', '/docs/swagger-ui.css'].map(async (path) => {
      const { status } = await fetch(`${url}${path}`);
      return `${path} ${status}`;
    }),
  );
  child.kill();
  await exited;
  // The bundle lacks the assets of the docs page, which are separate files.
  expect(statuses).toEqual(['/healthz 200', '/version 200', '/openapi.yaml 200', '/docs/swagger-ui.css 404']);
});
