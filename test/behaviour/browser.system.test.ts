import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from '@jest/globals';
import { readConfig } from '../../src/service/settings/config.js';
import { startService } from '../../src/service/start.js';
import { chromiumBrowser, launchChromium } from '../support/chromium.js';
import { listen } from '../support/listen.js';
import { needs } from '../support/needs.js';
import { patientEnvironment } from '../support/patience.js';

/**
 * Returns a page that makes a whole run with the unchanged modules of the SDK, tools over files in memory, and
 * the browser's fetch.
 */
const page = (serviceUrl: string): string => `<!doctype html><script type="module">
  import { StepwiseClient, defineTool, replayRun, readTrajectory } from '/sdk/index.js';
  const files = { 'shop.js': 'const price = 42;\\nconst plover = price * 2;' };
  const search = defineTool({
    name: 'search_code',
    description: 'Search.',
    inputSchema: { type: 'object', properties: { pattern: { type: 'string' } }, required: ['pattern'] },
    annotations: { readOnlyHint: true },
    execute: ({ pattern }) => Object.entries(files).flatMap(([path, content]) => content.split('\\n')
      .flatMap((line, index) => line.includes(pattern) ? [path + ':' + (index + 1) + ': ' + line] : [])).join('\\n'),
  });
  const report = { types: [], errors: [] };
  try {
    const client = new StepwiseClient({ baseUrl: ${JSON.stringify(serviceUrl)} });
    const run = client.run('Where is plover computed?', {
      llmConfig: { modelName: 'offline', tokenLimit: 8000, reservedOutputTokens: 1000 },
      tools: [search],
    });
    for await (const event of run) report.types.push(event.type);
    const { answer, stopReason } = await run.result();
    const replayed = await replayRun(readTrajectory(JSON.stringify(run.save()))).result();
    Object.assign(report, { answer, stopReason, replayed: replayed.answer });
    report.node = [typeof process, typeof Buffer, typeof require];
  } catch (error) {
    report.errors.push(String(error && error.stack));
  }
  await fetch('/report', { method: 'POST', body: JSON.stringify(report) });
</script>`;

needs(
  chromiumBrowser,
).test('the SDK runs in Chromium without bundler, shim or other packages (rule: run-events)', async () => {
  const site = await serveSite();
  const config = {
    PORT: '0',
    LOG_LEVEL: 'silent',
    CORS_ORIGINS: site.url,
    SHUTDOWN_GRACE_MS: '0',
    ...patientEnvironment,
  };
  const service = await startService(readConfig(config));
  const browser = await launchChromium();
  try {
    const page = await browser.newPage();
    await page.goto(`${site.url}/?service=${encodeURIComponent(service.url)}`);
    const report = await site.report;
    expect(report).toMatchObject({
      errors: [],
      stopReason: 'answered',
      node: ['undefined', 'undefined', 'undefined'],
    });
    expect(report).toMatchObject({ answer: expect.stringContaining('shop.js:2') });
    expect(report['replayed']).toBe(report['answer']);
    expect(report['types']).toEqual(
      expect.arrayContaining(['thought_delta', 'tool_complete', 'answer_delta']),
    );
    const ownRooms = /^\/(?:(?:sdk|conversation|network)\/|parsing\/text\/exact-json\.js$)/;
    expect(site.modules.filter((path) => !ownRooms.test(path))).toEqual([]);
    expect(site.modules).toContain('/sdk/client/stepwise-client.js');
  } finally {
    await browser.close();
    await Promise.all([service.close(), site.close()]);
  }
}, 60_000);

/** Serves the page and the emitted modules of the SDK, and receives the report of the page. */
async function serveSite() {
  const modules: string[] = [];
  let tell: (report: Readonly<Record<string, unknown>>) => void = () => undefined;
  const report = new Promise<Readonly<Record<string, unknown>>>((resolve) => {
    tell = resolve;
  });
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
    if (pathname === '/report') {
      response.end();
      tell(JSON.parse(await text(request)));
    } else if (pathname === '/') {
      response.setHeader('content-type', 'text/html').end(page(searchParams.get('service') ?? ''));
    } else if (pathname.endsWith('.js')) {
      modules.push(pathname);
      response.setHeader('content-type', 'text/javascript');
      response.end(await readFile(join(process.cwd(), '.build/src', pathname), 'utf8').catch(() => ''));
    } else response.writeHead(404).end();
  });
  const url = await listen(server);
  const close = async () => {
    server.closeAllConnections();
    server.close();
  };
  return { url, report, modules, close };
}
