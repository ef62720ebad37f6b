import { createServer, type IncomingMessage, type Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import { readConfig } from '../../src/service/config.js';
import { printConfig } from '../../src/service/print-config.js';
import { freePort } from '../support/free-port.js';
import { listen } from '../support/listen.js';
import { key, startWholeService, type WholeService } from '../support/whole-service.js';

let service: WholeService | undefined;
let proxy: Server | undefined;
afterEach(async () => {
  await service?.close();
  proxy?.closeAllConnections();
  proxy?.close();
});

/** A proxy that opens each tunnel to the provider, whatever host was asked for, and keeps the requests for tunnels. */
async function startProxy(providerPort: () => number, status = 200) {
  const tunnels: IncomingMessage[] = [];
  proxy = createServer((_, response) => response.writeHead(400).end());
  proxy.on('connect', (request, socket: Socket) => {
    tunnels.push(request);
    socket.on('error', () => {});
    if (status !== 200) return void socket.end(`HTTP/1.1 ${status} Refused\r\n\r\n`);
    const upstream = connect(providerPort(), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      upstream.pipe(socket).pipe(upstream);
    });
    upstream.on('error', () => socket.destroy());
  });
  return { url: await listen(proxy), tunnels };
}

const upstreams = JSON.stringify({ models: { url: 'http://models.example/v1', keyRequired: true } });
const config = { modelName: 'any', tokenLimit: 8_000, reservedOutputTokens: 500 };

/** Makes a step with the upstream `models` through a proxy. */
async function stepVia(url: string, settings: Record<string, string> = {}, provider = 'models') {
  service = await startWholeService(
    { text: 'Final Answer: 42' },
    { UPSTREAMS: upstreams, HTTP_PROXY: url, ...settings },
  );
  return () => service?.step({ llm_config: { ...config, provider }, user_api_keys: { llmKey: key } });
}

const portOfProvider = (): number => Number(new URL(service?.fake.url ?? '').port);

describe('a proxy between the service and its upstreams (rule: proxies)', () => {
  test('steps reach the upstream through one tunnel of the proxy, which is used again', async () => {
    const { url, tunnels } = await startProxy(portOfProvider);
    const step = await stepVia(url.replace('//', '//user:pass%20word@'));
    for (let count = 0; count < 3; count += 1) expect((await step())?.body.direct_response).toBe('42');
    expect(tunnels.map((tunnel) => tunnel.url)).toEqual(['models.example:80']);
    const credentials = Buffer.from('user:pass word').toString('base64');
    expect(tunnels[0]?.headers['proxy-authorization']).toBe(`Basic ${credentials}`);
    expect(service?.fake.requests[0]?.headers['authorization']).toBe(`Bearer ${key}`);
    expect(service?.fake.requests[0]?.headers['proxy-authorization']).toBeUndefined();
  });

  test('the offline provider on loopback is reached without the proxy', async () => {
    const { url, tunnels } = await startProxy(portOfProvider);
    service = await startWholeService({ text: 'Final Answer: 42' }, { HTTP_PROXY: url, HTTPS_PROXY: url });
    expect((await service.step()).body.direct_response).toBe('42');
    expect(tunnels).toHaveLength(0);
  });

  test.each([
    403, 407, 502,
  ])('a proxy that refuses the tunnel with %i is named in the error', async (status) => {
    const { url } = await startProxy(portOfProvider, status);
    const answer = await (await stepVia(url))();
    expect(answer?.status).toBe(502);
    expect(answer?.body.error).toMatchObject({ code: 'upstream_unreachable', details: [{ code: 'proxy' }] });
  });

  test('a proxy that does not run is named in the error', async () => {
    const answer = await (await stepVia(`http://127.0.0.1:${await freePort()}`))();
    expect(answer?.body.error).toMatchObject({ code: 'upstream_unreachable', details: [{ code: 'proxy' }] });
  });
});

test('proxies are read in lower case too, with or without a scheme, and their passwords are not printed (rule: proxies)', () => {
  const { HTTPS_PROXY, HTTP_PROXY, NO_PROXY } = readConfig({
    https_proxy: 'proxy.example:3128',
    HTTP_PROXY: 'http://user:secret-word@proxy.example:3128',
    http_proxy: 'http://other.example',
    no_proxy: '.internal',
  });
  expect(HTTPS_PROXY).toBe('http://proxy.example:3128');
  expect(HTTP_PROXY).toBe('http://user:secret-word@proxy.example:3128');
  expect(NO_PROXY).toBe('.internal');
  expect(printConfig(readConfig({ HTTP_PROXY: 'http://user:secret-word@proxy.example:3128' }))).not.toContain(
    'secret-word',
  );
  expect(() => readConfig({ HTTPS_PROXY: 'socks5://proxy.example' })).toThrow(/HTTPS_PROXY: expected/);
});
