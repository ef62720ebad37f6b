import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import { answer, type Ended, ended, setUp } from '../support/cli-harness.js';
import { type ConnectProxy, proxyFaults, startConnectProxy } from '../support/connect-proxy.js';
import { freePort } from '../support/free-port.js';
import { localhostCertificate } from '../support/providers/localhost-certificate.js';
import { writeTokenFile } from '../support/token-file.js';
import { startWholeService, type WholeService } from '../support/whole-service.js';

const main = join(process.cwd(), '.build/src/cli/main.js');
const word = 'very-secret-word';
const token = 'a-token-for-the-cli';

let service: WholeService | undefined;
let proxy: ConnectProxy | undefined;
afterEach(async () => {
  await service?.close();
  proxy?.close();
});

/** Starts a service, and a proxy in front of it. */
async function setUpProxy(fault?: Parameters<typeof startConnectProxy>[1]): Promise<ConnectProxy> {
  service = await startWholeService([answer('Teal.'), answer('Teal.')], {
    AUTH_TOKENS_FILE: writeTokenFile({ token, name: 'cli' }),
  });
  const port = Number(new URL(service.url).port);
  proxy = await startConnectProxy(() => port, fault);
  return proxy;
}

const withWord = ({ url }: ConnectProxy): string => url.replace('//', `//user:${word}@`);

/** Runs the CLI with this server address and these environment variables. */
async function runAt(server: string, variables: NodeJS.ProcessEnv, ...args: string[]): Promise<Ended> {
  const { environment, folder } = await setUp([], {}, { inProcess: true });
  const env = { ...environment, STEPWISE_TOKEN: token, ...variables };
  return ended(spawn(process.execPath, [main, '--dir', folder, '--server', server, ...args], { env }));
}

const task = ['Which colour?', '--model', 'scripted', '--upstream', 'local', '--yes'];

describe('the CLI in a network with a proxy (rule: proxies)', () => {
  test.each(['HTTP_PROXY', 'http_proxy'])('a run reaches --server through %s', async (name) => {
    const { tunnels } = await setUpProxy();
    const variables = { [name]: proxy && withWord(proxy) };
    const { code, stdout, stderr } = await runAt('http://stepwise.example:8080', variables, ...task);
    expect([code, stdout]).toEqual([0, expect.stringContaining('Teal.')]);
    expect(stdout + stderr).not.toContain(word);
    expect(new Set(tunnels.map(({ url }) => url))).toEqual(new Set(['stepwise.example:8080']));
    expect(tunnels[0]?.headers['proxy-authorization']).toBe(
      `Basic ${Buffer.from(`user:${word}`).toString('base64')}`,
    );
  }, 60_000);

  test('a run bypasses the proxy for a --server on loopback and for the service that the CLI starts itself', async () => {
    const { url, tunnels } = await setUpProxy();
    const variables = { HTTP_PROXY: url, HTTPS_PROXY: url };
    expect(await runAt(service?.url ?? '', variables, ...task)).toMatchObject({ code: 0 });
    const { run, environment } = await setUp([answer('Teal.')], {}, { inProcess: true });
    Object.assign(environment, variables);
    expect(await run(['Which colour?', '--model', 'scripted', '--upstream', 'fake'])).toMatchObject({
      code: 0,
    });
    expect(tunnels).toHaveLength(0);
  }, 60_000);

  test('a run and `stepwise doctor` report a proxy that rejects the credentials, and never print the credentials', async () => {
    await setUpProxy(proxyFaults['asks for credentials with 407']);
    const variables = { HTTP_PROXY: proxy && withWord(proxy) };
    const run = await runAt('http://stepwise.example:8080', variables, ...task);
    expect(run.code).toBe(1);
    expect(run.stderr).toMatch(/\(service_unreachable\)\n {2}The proxy did not pass the connection on/);
    const doctor = await runAt('http://stepwise.example:8080', variables, 'doctor');
    expect(doctor.stdout).toMatch(/^ok {2}Proxy +HTTP_PROXY 127\.0\.0\.1:\d+; not for this machine$/m);
    expect(doctor.stdout).toMatch(
      /^!! {2}Service of --server +stepwise\.example:8080 does not answer \(proxy\)\./m,
    );
    expect([run.stdout, run.stderr, doctor.stdout, doctor.stderr].join()).not.toContain(word);
  }, 60_000);

  test('`stepwise doctor` blames a proxy that never answers, not the server behind it', async () => {
    await setUpProxy(() => undefined);
    const variables = { HTTP_PROXY: proxy?.url, CONTEXT_SERVICE_URL: `http://me:${word}@context.example` };
    const { stdout } = await runAt('http://stepwise.example:8080', variables, 'doctor');
    expect(stdout).toMatch(/^!! {2}Service of --server +stepwise\.example:8080 does not answer \(proxy\)\./m);
    expect(stdout).toMatch(/^-- {2}Context service +context\.example does not answer \(proxy\)\./m);
    expect(stdout).not.toContain(word);
  }, 60_000);

  test('an invalid HTTPS_PROXY ends the command with an error that contains the name of the variable but not its value', async () => {
    const variables = { HTTPS_PROXY: `socks5://user:${word}@proxy.example` };
    const { code, stderr, stdout } = await runAt('http://stepwise.example:8080', variables, ...task);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^stepwise: HTTPS_PROXY: expected the http or https URL of a proxy/m);
    expect(stderr).not.toContain(word);
  }, 30_000);
});

describe('`stepwise doctor` and connections (rule: connection-failures)', () => {
  test('`stepwise doctor` names the connection problem of each upstream and of the context service', async () => {
    const { host } = new URL((await setUpProxy()) && (service?.url ?? ''));
    const { stdout } = await runAt(
      service?.url ?? '',
      {
        OPENAI_UPSTREAM_URL: `https://${host}/v1`,
        ANTHROPIC_UPSTREAM_URL: `http://127.0.0.1:${await freePort()}`,
        CONTEXT_SERVICE_URL: `https://${host}/context`,
        NODE_EXTRA_CA_CERTS: '/nowhere/ca.pem',
      },
      'doctor',
    );
    expect(stdout).toMatch(/^-- {2}OpenAI .* does not answer \(tls_untrusted\)\. .*NODE_EXTRA_CA_CERTS/m);
    expect(stdout).toMatch(/^-- {2}Anthropic .* does not answer \(refused\)\. /m);
    expect(stdout).toMatch(/^-- {2}Context service .* does not answer \(tls_untrusted\)\. /m);
    expect(stdout).toMatch(/^!! {2}NODE_EXTRA_CA_CERTS +\/nowhere\/ca\.pem cannot be read/m);
    expect(stdout).toMatch(/^-- {2}Proxy +HTTPS_PROXY and HTTP_PROXY are not set$/m);
  }, 60_000);

  test('`stepwise doctor` trusts the certificates in the caFile of an upstream for that upstream only, with and without a proxy (rule: gateway-settings)', async () => {
    const server = createServer(localhostCertificate, (_, response) => response.end());
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo; // the server listens on TCP
    await setUpProxy();
    proxy?.close();
    proxy = await startConnectProxy(() => port);
    const caFile = join(mkdtempSync(join(tmpdir(), 'stepwise-ca-')), 'ca.pem');
    writeFileSync(caFile, localhostCertificate.cert);
    const url = `https://localhost:${port}/v1`;
    const UPSTREAMS = JSON.stringify({ own: { url, caFile }, other: { url } });
    try {
      for (const variables of [{}, { HTTPS_PROXY: proxy.url }]) {
        const { stdout } = await runAt(service?.url ?? '', { UPSTREAMS, ...variables }, 'doctor');
        expect(stdout).toMatch(/^ok {2}Upstream own +localhost:\d+ answers \(200\)$/m);
        expect(stdout).toMatch(/^-- {2}Upstream other .* does not answer \(tls_untrusted\)\. /m);
      }
    } finally {
      server.close();
    }
  }, 60_000);
});
