import { createServer, type IncomingMessage, type Server } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, test } from '@jest/globals';
import { connectionFailureOf } from '../../../src/network/connection-problem.js';
import { proxyFetch } from '../../../src/network/proxies/fetch-via.js';
import { tunnelVia } from '../../../src/network/proxies/tunnel.js';
import { collectGarbage } from '../../support/collect-garbage.js';
import {
  breakTunnel,
  type ConnectProxy,
  proxyFaults,
  startConnectProxy,
} from '../../support/connect-proxy.js';
import { freePort } from '../../support/free-port.js';
import { listen } from '../../support/listen.js';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** Starts a server that answers each request with its method and body, and keeps the requests. */
async function startServer() {
  const requests: IncomingMessage[] = [];
  const server: Server = createServer((request, response) => {
    requests.push(request);
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => response.end(`${request.method} ${body}`));
  });
  const url = await listen(server);
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url, port: Number(new URL(url).port), requests };
}

async function startProxy(...given: Parameters<typeof startConnectProxy>): Promise<ConnectProxy> {
  const proxy = await startConnectProxy(...given);
  closing.push(proxy.close);
  return proxy;
}

describe('a fetch that honours the proxy variables (rule: proxies)', () => {
  test('consecutive requests to a server share one tunnel through the proxy', async () => {
    const { port, requests } = await startServer();
    const proxy = await startProxy(() => port);
    const fetch = proxyFetch({ HTTP_PROXY: proxy.url.replace('//', '//user:pass%20word@') });
    for (const body of ['a', 'b']) {
      const answer = await fetch('http://service.example/path?q=1', { method: 'POST', body });
      expect([answer.status, await answer.text()]).toEqual([200, `POST ${body}`]);
      await nextTurn(); // in the same turn, the connection is not free yet
    }
    expect(proxy.tunnels.map(({ url }) => url)).toEqual(['service.example:80']);
    const credentials = Buffer.from('user:pass word').toString('base64');
    expect(proxy.tunnels[0]?.headers['proxy-authorization']).toBe(`Basic ${credentials}`);
    expect(requests.map(({ url }) => url)).toEqual(['/path?q=1', '/path?q=1']);
    expect(requests[0]?.headers['proxy-authorization']).toBeUndefined();
  });

  test.each([
    ['only-a-user', 'only-a-user:'],
    ['user:100%', 'user:100%'],
    ['us%40er:p%3Ass', 'us@er:p:ss'],
  ])('the credentials `%s` are sent to the proxy', async (written, sent) => {
    const { port } = await startServer();
    const proxy = await startProxy(() => port);
    await proxyFetch({ HTTP_PROXY: proxy.url.replace('//', `//${written}@`) })('http://service.example');
    const header = `Basic ${Buffer.from(sent).toString('base64')}`;
    expect(proxy.tunnels[0]?.headers['proxy-authorization']).toBe(header);
  });

  test('a Request keeps its method, headers and body through the proxy', async () => {
    const { port, requests } = await startServer();
    const proxy = await startProxy(() => port);
    const headers = { 'x-name': 'value' };
    const request = new Request('http://service.example', { method: 'PUT', body: 'text', headers });
    expect(await (await proxyFetch({ HTTP_PROXY: proxy.url })(request)).text()).toBe('PUT text');
    expect(requests[0]?.headers['x-name']).toBe('value');
  });

  test('loopback addresses and hosts of NO_PROXY are reached directly', async () => {
    const { url } = await startServer();
    const proxy = await startProxy(() => 1);
    const fetch = proxyFetch({ HTTP_PROXY: proxy.url, HTTPS_PROXY: proxy.url, NO_PROXY: '.invalid' });
    expect(await (await fetch(url)).text()).toBe('GET ');
    await expect(fetch('http://service.invalid')).rejects.toThrow();
    expect(proxy.tunnels).toHaveLength(0);
  });

  test.each(Object.entries(proxyFaults))('a proxy that %s is named as the problem', async (_, fault) => {
    const proxy = await startProxy(() => 1, fault);
    const settings = { HTTP_PROXY: proxy.url, HTTPS_PROXY: proxy.url };
    for (const url of ['http://service.example', 'https://service.example']) {
      const error = await proxyFetch(settings)(url).catch((thrown: unknown) => thrown);
      expect(connectionFailureOf(error)).toEqual({ problem: 'proxy', isPassing: true });
    }
    expect(proxy.tunnels).toHaveLength(2);
  });

  test.each([
    'http',
    'https',
  ])('an %s tunnel that breaks after it was opened is reported as a reset', async (scheme) => {
    const proxy = await startProxy(() => 1, breakTunnel);
    const request = proxyFetch({ HTTP_PROXY: proxy.url, HTTPS_PROXY: proxy.url })(
      `${scheme}://service.example`,
    );
    const error = await request.catch((thrown: unknown) => thrown);
    expect(connectionFailureOf(error)).toEqual({ problem: 'reset', isPassing: true });
    expect(proxy.tunnels).toHaveLength(1);
  });

  test('a proxy that does not run is named as the problem', async () => {
    const proxy = `http://127.0.0.1:${await freePort()}`;
    const error = await proxyFetch({ HTTP_PROXY: proxy })('http://service.example').catch(
      (thrown: unknown) => thrown,
    );
    expect(connectionFailureOf(error)).toEqual({ problem: 'proxy', isPassing: true });
  });

  test('a silent proxy is named as the problem at the time limit, also after a garbage collection', async () => {
    const proxy = await startProxy(
      () => 1,
      () => {
        collectGarbage();
        setImmediate(collectGarbage);
      },
    );
    const { signal } = new AbortController();
    const connect = tunnelVia(proxy.url, { connectTimeoutMs: 250, signal });
    const target = { hostname: 'service.example', protocol: 'http:', port: '80' };
    const error = await new Promise((resolve) => connect(target, (...answer) => resolve(answer[0])));
    expect(connectionFailureOf(error)).toEqual({ problem: 'proxy', isPassing: true });
  });

  test('if the caller aborts while a proxy is silent, proxyFetch rejects with the reason of the signal', async () => {
    const proxy = await startProxy(
      () => 1,
      () => {},
    );
    const signal = AbortSignal.timeout(50);
    const request = proxyFetch({ HTTP_PROXY: proxy.url })('http://service.example', { signal });
    await expect(request).rejects.toMatchObject({ name: 'TimeoutError' });
  });

  test.each([
    'http://service.example',
    'https://service.example',
  ])('a proxy with an https address that does not speak TLS is reported as tls_untrusted, for a request to %s', async (url) => {
    const proxy = await startProxy(() => 1);
    const address = proxy.url.replace('http', 'https');
    const request = proxyFetch({ HTTP_PROXY: address, HTTPS_PROXY: address })(url);
    const error = await request.catch((thrown: unknown) => thrown);
    expect(connectionFailureOf(error)).toEqual({ problem: 'tls_untrusted', isPassing: false });
  });

  test('proxyFetch returns the global fetch without a proxy variable', () => {
    expect(proxyFetch({ NO_PROXY: '*' })).toBe(fetch);
  });

  test('the error about an invalid proxy variable contains its name but not its value', () => {
    const wrong = () => proxyFetch({ https_proxy: 'socks5://user:secret-word@proxy.example' });
    expect(wrong).toThrow(/^HTTPS_PROXY: expected the http or https URL of a proxy/);
    expect(wrong).not.toThrow(/secret-word/);
  });
});
