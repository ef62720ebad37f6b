import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, get as getOver, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openapiDocument } from '../../../src/contract/openapi/openapi.js';
import { startTestService, stepPath, type TestService } from '../../support/test-service.js';
import { until } from '../../support/until.js';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ corsOrigins: ['https://app.example'] });
});
afterAll(() => service.close());

const get = (path: string, headers: Record<string, string> = {}) => service.call('GET', path, { headers });

describe('status and documentation routes (rule: health)', () => {
  test('/healthz, /readyz and /version return status and version', async () => {
    expect((await get('/healthz')).body).toEqual({ status: 'ok' });
    expect((await get('/readyz')).body).toEqual({ status: 'ok', watch: 'off' });
    expect((await get('/version')).body).toEqual({ name: 'stepwise', version: '1.2.3' });
  });

  test('/api/agent/models lists models and upstreams', async () => {
    const { body } = await get('/api/agent/models');
    expect(body.models[0].name).toBe('open');
    expect(body.upstreams).toEqual([{ name: 'test', key_required: false }]);
  });

  test('/openapi.yaml is the committed file, and /openapi.json is the same contract', async () => {
    expect((await get('/openapi.yaml')).body).toBe(readFileSync('openapi.yaml', 'utf8'));
    expect((await get('/openapi.json')).body).toEqual(JSON.parse(JSON.stringify(openapiDocument())));
  });

  test('/llms.txt is plain text with an example request that succeeds', async () => {
    const { body, headers } = await get('/llms.txt');
    expect(headers['content-type']).toMatch(/^text\/plain/);
    const example = JSON.parse(/^ {4}\{\n[\s\S]*?^ {4}\}$/m.exec(body)?.[0] ?? '');
    const llm_config = { ...example.llm_config, modelName: 'open' };
    expect((await service.call('POST', stepPath, { body: { ...example, llm_config } })).status).toBe(200);
  });

  test('every link of the index at / responds with 200', async () => {
    const { body } = await get('/');
    for (const path of [body.docs, body.openapi, body.guide, body.health]) {
      expect((await get(path)).status).toBe(200);
    }
  });
});

test('a page whose compressed file cannot be read gets an error that is not declared as compressed', async () => {
  const page = '.build/src/playground/page/removed.js';
  writeFileSync(page, '');
  const pages = await startTestService();
  rmSync(page);
  const { status, headers, body } = await pages.call('GET', '/playground/removed.js', {
    headers: { 'Accept-Encoding': 'br' },
  });
  expect([status, body.error.code]).toEqual([500, 'internal_error']);
  expect(headers['content-encoding']).toBeUndefined();
  await pages.close();
});

describe('the docs page', () => {
  test('the docs page loads only local files', async () => {
    const { body } = await get('/docs');
    const links = [...body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link]) => link ?? '');
    expect(links).toHaveLength(4);
    for (const link of links) {
      expect(link).toMatch(/^\/docs\//);
      expect((await get(link)).status).toBe(200);
    }
    expect(body).not.toMatch(/<script>|onload=|style=/);
  });

  test('a docs file is served without an error, and its connection is reused (rule: request-log)', async () => {
    const path = '/docs/favicon-32x32.png';
    const since = service.log.length;
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const ports: unknown[] = [];
    for (let call = 0; call < 3; call += 1) {
      const request = getOver(service.url + path, { agent });
      // A response event has one argument, the message.
      const [response] = (await once(request, 'response')) as [IncomingMessage];
      ports.push(response.socket.localPort);
      await once(response.resume(), 'end');
    }
    agent.destroy();
    await until(() => service.log.length >= since + 3);
    expect(new Set(ports).size).toBe(1);
    expect(service.log.slice(since)).toEqual(
      Array(3).fill(expect.objectContaining({ msg: 'request', status: 200, route: path })),
    );
  });

  test('an unsatisfiable range gets 416 and an unmet If-Match gets 412, without a body', async () => {
    const path = '/docs/favicon-32x32.png';
    const outside = await fetch(service.url + path, { headers: { Range: 'bytes=99999999-' } });
    expect([outside.status, await outside.text()]).toEqual([416, '']);
    expect(outside.headers.get('content-range')).toMatch(/^bytes \*\/\d+$/);
    const other = await fetch(service.url + path, { headers: { 'If-Match': '"another"' } });
    expect([other.status, await other.text()]).toEqual([412, '']);
    expect((await fetch(service.url + path, { headers: { Range: 'bytes=0-9' } })).status).toBe(206);
  });

  test('files of Swagger UI that the docs page does not use get 404', async () => {
    for (const path of ['/docs/package.json', '/docs/index.html', '/docs/..%2fpackage.json']) {
      expect((await get(path)).status).toBe(404);
    }
  });
});

describe('security headers (threat 23)', () => {
  test('the docs page reveals no software name and allows only its own scripts', async () => {
    const { headers } = await get('/docs');
    expect(headers['x-powered-by']).toBeUndefined();
    expect(headers['content-security-policy']).toMatch(/default-src 'none';script-src 'self'/);
    expect(headers['content-security-policy']).not.toMatch(/unsafe/);
    expect(headers['x-content-type-options']).toBe('nosniff');
  });

  test('API responses are not cached and have only the security headers that matter for data', async () => {
    const { headers } = await get('/api/agent/models');
    expect(headers['cache-control']).toBe('no-store');
    expect(headers['content-security-policy']).toMatch(/default-src 'none'.*frame-ancestors 'none'/);
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers['x-frame-options']).toBe('SAMEORIGIN');
    expect(headers['cross-origin-resource-policy']).toBe('same-origin');
    expect(headers).not.toHaveProperty('x-dns-prefetch-control');
  });

  test('only configured origins get CORS headers', async () => {
    expect((await get('/healthz', { Origin: 'https://evil.example' })).headers).not.toHaveProperty(
      'access-control-allow-origin',
    );
    const preflight = await service.call('OPTIONS', stepPath, { headers: { Origin: 'https://app.example' } });
    expect(preflight.status).toBe(204);
    expect(preflight.headers).toMatchObject({
      'access-control-allow-origin': 'https://app.example',
      'access-control-allow-headers': expect.stringContaining('X-LLM-API-Key'),
      vary: expect.stringContaining('Origin'),
    });
  });
});
