import { createServer, type Server } from 'node:http';
import { afterEach, describe, expect, test } from '@jest/globals';
import { printConfig, readConfig } from '../../src/service/settings/config.js';
import { breakTunnel, type ConnectProxy, proxyFaults, startConnectProxy } from '../support/connect-proxy.js';
import { freePort } from '../support/free-port.js';
import { listen } from '../support/listen.js';
import { key, startWholeService, type WholeService } from '../support/whole-service.js';

let service: WholeService | undefined;
let proxy: ConnectProxy | undefined;
const servers: Server[] = [];
afterEach(async () => {
  await service?.close();
  proxy?.close();
  for (const server of servers.splice(0)) server.close();
});

const portOfProvider = (): number => Number(new URL(service?.fake.url ?? '').port);

async function startProxy(...given: Partial<Parameters<typeof startConnectProxy>>): Promise<ConnectProxy> {
  const [portFor = portOfProvider, fault] = given;
  proxy = await startConnectProxy(portFor, fault);
  return proxy;
}

const upstreams = JSON.stringify({ models: { url: 'http://models.example/v1', keyRequired: true } });
const config = { modelName: 'any', provider: 'models', tokenLimit: 8_000, reservedOutputTokens: 500 };

/** Starts a service that reaches its upstream `models` through a proxy. Returns a function that makes a step. */
async function stepVia(url: string, settings: Record<string, string> = {}) {
  service = await startWholeService(
    { text: 'Final Answer: 42' },
    { UPSTREAMS: upstreams, HTTP_PROXY: url, LOG_LEVEL: 'info', ...settings },
  );
  return (changes: Parameters<WholeService['step']>[0] = {}) =>
    service?.step({ llm_config: config, user_api_keys: { llmKey: key }, ...changes });
}

const lastLogLine = () => JSON.parse(service?.log.findLast((line) => line.includes('"msg":"request"')) ?? '');

describe('a proxy between the service and its upstreams (rule: proxies)', () => {
  test('three steps reach the upstream through one tunnel of the proxy', async () => {
    const { url, tunnels } = await startProxy();
    const step = await stepVia(url.replace('//', '//user:pass%20word@'));
    for (let count = 0; count < 3; count += 1) expect((await step())?.body.direct_response).toBe('42');
    expect(tunnels.map((tunnel) => tunnel.url)).toEqual(['models.example:80']);
    const credentials = Buffer.from('user:pass word').toString('base64');
    expect(tunnels[0]?.headers['proxy-authorization']).toBe(`Basic ${credentials}`);
    expect(service?.fake.requests[0]?.headers['authorization']).toBe(`Bearer ${key}`);
    expect(service?.fake.requests[0]?.headers['proxy-authorization']).toBeUndefined();
  });

  test('an upstream on the loopback address is reached without the proxy', async () => {
    const { url, tunnels } = await startProxy();
    service = await startWholeService({ text: 'Final Answer: 42' }, { HTTP_PROXY: url, HTTPS_PROXY: url });
    expect((await service.step()).body.direct_response).toBe('42');
    expect(tunnels).toHaveLength(0);
  });

  test.each(
    Object.entries(proxyFaults),
  )('a proxy that %s is named in the error and in the log, after one attempt', async (_, fault) => {
    const { url, tunnels } = await startProxy(undefined, fault);
    const answer = await (await stepVia(url))();
    expect(answer?.status).toBe(502);
    expect(answer?.body.error).toMatchObject({ code: 'upstream_unreachable', details: [{ code: 'proxy' }] });
    expect(lastLogLine()).toMatchObject({ connection_problem: 'proxy' });
    expect(tunnels).toHaveLength(1);
  });

  test('a tunnel that breaks before the upstream answers is reported as reset', async () => {
    const { url } = await startProxy(undefined, breakTunnel);
    const answer = await (await stepVia(url))();
    expect(answer?.body.error).toMatchObject({ code: 'upstream_unreachable', details: [{ code: 'reset' }] });
  });

  test('a proxy that does not run is named in the error', async () => {
    const answer = await (await stepVia(`http://127.0.0.1:${await freePort()}`))();
    expect(answer?.body.error).toMatchObject({ code: 'upstream_unreachable', details: [{ code: 'proxy' }] });
  });

  test('a proxy that never answers does not hold a step beyond its deadline', async () => {
    const { url } = await startProxy(undefined, () => {});
    const answer = await (await stepVia(url, { STEP_DEADLINE_MS: '1000' }))();
    expect(answer?.body.error).toMatchObject({ code: 'upstream_timeout' });
  });
});

describe('a proxy between the service and a context service (rule: proxies)', () => {
  /** Starts a context service with one file. Returns its port. */
  async function startContextService(): Promise<number> {
    const server = createServer((_, response) =>
      response.end(JSON.stringify({ type: 'file', path: 'a.txt', content: 'the colour is teal' })),
    );
    servers.push(server);
    return Number(new URL(await listen(server)).port);
  }

  const request = { explicit_context_paths: ['a.txt'], include: { report: 'full' as const } };

  test('the files of the context service arrive through a tunnel of the proxy', async () => {
    const contextPort = await startContextService();
    const portFor = (host: string) => (host.startsWith('context.') ? contextPort : portOfProvider());
    const { url, tunnels } = await startProxy(portFor);
    const step = await stepVia(url, { CONTEXT_SERVICE_URL: 'http://context.example:4000' });
    const answer = await step(request);
    expect(answer?.body.context_report?.items[0]).toMatchObject({ id: 'a.txt', status: 'included' });
    expect(JSON.stringify(service?.fake.requests[0]?.body)).toContain('teal');
    expect(tunnels.map((tunnel) => tunnel.url).sort()).toEqual(['context.example:4000', 'models.example:80']);
  });

  test('a context service on loopback is reached without the proxy', async () => {
    const contextPort = await startContextService();
    const { url, tunnels } = await startProxy();
    const step = await stepVia(url, { CONTEXT_SERVICE_URL: `http://localhost:${contextPort}` });
    const answer = await step(request);
    expect(answer?.body.context_report?.items[0]).toMatchObject({ id: 'a.txt', status: 'included' });
    expect(tunnels.map((tunnel) => tunnel.url)).toEqual(['models.example:80']);
  });

  test.each([
    ['refuses', proxyFaults['asks for credentials with 407']],
    ['never answers for', () => undefined],
  ])('a proxy that %s the context service is named in the report and the log, and the step continues', async (_, fault) => {
    const { url } = await startProxy(undefined, fault);
    const context = { CONTEXT_SERVICE_URL: 'https://context.example' };
    const step = await stepVia(url, { ...context, HTTPS_PROXY: url, UPSTREAMS: '{}' });
    const answer = await step({
      ...request,
      llm_config: { ...config, modelName: 'gpt-4o', provider: 'openai' },
    });
    expect(answer?.body.direct_response).toBe('42');
    expect(answer?.body.context_report?.items[0]).toMatchObject({
      id: 'a.txt',
      status: 'unavailable',
      reason: 'a context source is out of order (proxy)',
    });
    expect(lastLogLine()).toMatchObject({ context_problem: 'proxy' });
    expect(lastLogLine()).not.toHaveProperty('connection_problem');
  });
});

test('proxy variables may be lower case and lack a scheme, and passwords in them are not printed (rule: proxies)', () => {
  const { HTTPS_PROXY, HTTP_PROXY, NO_PROXY } = readConfig({
    https_proxy: 'proxy.example:3128',
    HTTP_PROXY: 'http://user:secret-word@proxy.example:3128',
    http_proxy: 'http://other.example',
    no_proxy: '.internal',
    ALL_PROXY: 'socks5://ignored.example',
    all_proxy: 'socks5://ignored.example',
    ftp_proxy: 'http://ignored.example',
  });
  expect(HTTPS_PROXY).toBe('http://proxy.example:3128');
  expect(HTTP_PROXY).toBe('http://user:secret-word@proxy.example:3128');
  expect(NO_PROXY).toBe('.internal');
  expect(printConfig(readConfig({ HTTP_PROXY: 'http://user:secret-word@proxy.example:3128' }))).not.toContain(
    'secret-word',
  );
  expect(() => readConfig({ HTTPS_PROXY: 'socks5://proxy.example' })).toThrow(/HTTPS_PROXY: expected/);
});
