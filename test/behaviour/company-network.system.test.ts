import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, jest } from '@jest/globals';
import { type FakeProvider, startFakeProvider } from '../../src/offline/fake-provider.js';
import { type Ended, ended } from '../support/cli-harness.js';
import { type ConnectProxy, proxyFaults, startConnectProxy } from '../support/connect-proxy.js';
import { blocks } from '../support/document-snippets.js';
import { freePort } from '../support/free-port.js';
import { listen } from '../support/listen.js';
import { findCommand } from '../support/need.js';
import { needs } from '../support/needs.js';
import { nginxServer, startNginx } from '../support/nginx.js';
import { nodeProgram } from '../support/node-program.js';
import { patientEnvironment } from '../support/patience.js';
import { type ServiceProcess, startServiceProcess } from '../support/service-process.js';
import { type SpanReceiver, startSpanReceiver } from '../support/span-receiver.js';
import { writeTokenFile } from '../support/token-file.js';
import { until } from '../support/until.js';
import { stepRequest } from '../support/whole-service.js';

/**
 * Imitates a company's network on this machine, with the settings and nginx configuration that
 * docs/company-networks.md shows: every server is reached through a proxy with a password, and the nginx behind
 * it has a certificate of the company's own authority.
 */
jest.setTimeout(120_000);

const page = readFileSync('docs/company-networks.md', 'utf8');
const repository = process.cwd();
const main = join(repository, '.build/src/cli/main.js');
const password = 'Vq8/proxy%word+Zt4';
const key = 'sk-Wm5canaryKq9-0123456789';
const token = 'stepwise_Jx3canaryBn7-0123456789';

const folder = mkdtempSync(join(tmpdir(), 'stepwise-company-'));
const authority = join(folder, 'ca.pem');
const printed: string[] = [];

let provider: FakeProvider;
let spans: SpanReceiver;
let context: Server;
let proxy: ConnectProxy;
let nginxPort: number;
let nginx: Awaited<ReturnType<typeof startNginx>> | undefined;
let service: ServiceProcess | undefined;

const versions = [20, 22, 24].map(nodeProgram);
const tools = [nginxServer, { name: 'openssl', isMet: findCommand(['openssl', 'version']) !== undefined }];
const canSetUp = tools.every(({ isMet }) => isMet);

/**
 * Returns an nginx server block for each host: the one in the documentation, with the addresses of this test. It
 * forwards requests to the host's URL in `targets`.
 */
function configuration(port: number, targets: Readonly<Record<string, string>>): string {
  const [documented = ''] = blocks(page, 'nginx');
  return Object.entries(targets)
    .map(([host, url]) =>
      documented
        .replace('listen 443 ssl', `listen 127.0.0.1:${port} ssl`)
        .replace('stepwise.company.test', host)
        .replaceAll('/etc/ssl/company', folder)
        .replace('http://127.0.0.1:8080', url),
    )
    .join('\n');
}

beforeAll(async () => {
  if (!canSetUp) return;
  const makeCertificates = blocks(page, 'sh').find((block) => block.includes('openssl req -x509')) ?? '';
  // The proxy that speaks TLS is reached by its address, so the certificate must name the address.
  const script = makeCertificates.replace('*.company.test', '*.company.test,IP:127.0.0.1');
  execFileSync('bash', ['-ec', script], { cwd: folder, stdio: 'ignore' });
  provider = await startFakeProvider(() => ({ text: 'Final Answer: Teal.', chunkDelayMs: 50 }));
  spans = await startSpanReceiver();
  context = createServer((_, response) =>
    response.end(JSON.stringify({ type: 'file', path: 'a.txt', content: 'the colour is teal' })),
  );
  nginxPort = await freePort();
  const servicePort = await freePort();
  const targets = {
    'stepwise.company.test': `http://127.0.0.1:${servicePort}`,
    'models.company.test': provider.url,
    'context.company.test': await listen(context),
  };
  nginx = await startNginx(configuration(nginxPort, targets), nginxPort);
  proxy = await startConnectProxy(() => nginxPort);
  Object.assign(serviceSettings, { PORT: String(servicePort) });
});

afterAll(async () => {
  await service?.kill();
  proxy?.close();
  await nginx?.stop();
  context?.close();
  await provider?.close();
  await spans?.close();
  rmSync(folder, { recursive: true, force: true });
});

const proxyUrl = (url = proxy.url): string => url.replace('//', `//me:${encodeURIComponent(password)}@`);

const upstreams = {
  company: 'https://models.company.test/v1',
  renamed: 'https://models.other.test/v1',
};
const serviceSettings = {
  ...patientEnvironment,
  LOG_LEVEL: 'debug',
  TRUST_PROXY: '1',
  UPSTREAMS: JSON.stringify(upstreams),
  CONTEXT_SERVICE_URL: 'https://context.company.test',
  OTEL_BSP_SCHEDULE_DELAY: '100',
};

async function startBehindNginx(node: string, environment: Record<string, string> = {}): Promise<void> {
  await service?.kill();
  service = await startServiceProcess(
    {
      ...serviceSettings,
      AUTH_TOKENS_FILE: writeTokenFile({ token, name: 'company' }),
      OTEL_EXPORTER_OTLP_ENDPOINT: spans.url,
      HTTPS_PROXY: proxyUrl(),
      NODE_EXTRA_CA_CERTS: authority,
      ...environment,
    },
    { node },
  );
}

/** Runs a program with a version of Node.js in the company's network. */
async function runWith(
  node: string,
  args: readonly string[],
  environment: NodeJS.ProcessEnv = {},
): Promise<Ended> {
  const env = {
    PATH: process.env['PATH'],
    HOME: folder,
    STEPWISE_LLM_KEY: key,
    STEPWISE_TOKEN: token,
    HTTPS_PROXY: proxyUrl(),
    NODE_EXTRA_CA_CERTS: authority,
    ...environment,
  };
  const end = await ended(spawn(node, args, { env, cwd: repository }));
  printed.push(end.stdout, end.stderr);
  return end;
}

const server = ['--server', 'https://stepwise.company.test', '--dir', folder];
const task = ['Which colour?', '--model', 'any', '--upstream', 'company', '--yes'];

/** Returns a program that makes a step with the SDK, streams another, and prints the results as JSON. */
const sdkProgram = (request: object): string => `
  import { StepwiseClient } from './.build/src/sdk/index.js';
  import { proxyFetch } from './.build/src/network/proxies/index.js';
  const client = new StepwiseClient({
    baseUrl: 'https://stepwise.company.test', token: process.env.STEPWISE_TOKEN, llmKey: process.env.STEPWISE_LLM_KEY, fetch: proxyFetch(),
  });
  const request = ${JSON.stringify(request)};
  try {
    const step = await client.step(request);
    const times = [];
    for await (const event of client.stream(request)) times.push([event.type, performance.now()]);
    const [first, last] = [times.at(1)[1], times.at(-1)[1]];
    console.log(JSON.stringify({ step, events: times.map(([type]) => type), spreadMs: last - first }));
  } catch ({ code, retryable, details }) {
    console.log(JSON.stringify({ code, retryable, details }));
  }
`;

const requestTo = (provider: string) =>
  stepRequest({
    user_api_keys: null,
    llm_config: { modelName: 'any', provider, tokenLimit: 8_000, reservedOutputTokens: 500 },
    explicit_context_paths: ['a.txt'],
    include: { report: 'full' },
  });

async function useSdk(node: string, upstream = 'company', environment: NodeJS.ProcessEnv = {}) {
  const args = ['--input-type=module', '-e', sdkProgram(requestTo(upstream))];
  const { stdout, stderr } = await runWith(node, args, environment);
  if (!stdout.startsWith('{')) throw new Error(`The program printed: ${stdout}${stderr}`);
  return JSON.parse(stdout);
}

const tunnelsSince = (count: number) => [...new Set(proxy.tunnels.slice(count).map(({ url }) => url))].sort();

for (const node of versions) {
  const { test: testWith } = needs(...tools, node);

  testWith(
    `on ${node.name}, SDK and service work through the proxy and with the certificate authority of a company`,
    async () => {
      await startBehindNginx(node.path);
      const count = proxy.tunnels.length;
      const { step, events, spreadMs } = await useSdk(node.path);
      expect(step).toMatchObject({ direct_response: 'Teal.', warnings: [] });
      expect(step.context_report.items[0]).toMatchObject({ id: 'a.txt', status: 'included' });
      expect(events.at(-1)).toBe('step.completed');
      expect(events).toContain('answer.delta');
      // The provider writes for longer than this. A shorter time would mean that nginx holds the events back.
      expect(spreadMs).toBeGreaterThan(100);
      expect(tunnelsSince(count)).toEqual([
        'context.company.test:443',
        'models.company.test:443',
        'stepwise.company.test:443',
      ]);
      const sent = `Basic ${Buffer.from(`me:${password}`).toString('base64')}`;
      expect(proxy.tunnels.slice(count).every(({ headers }) => headers['proxy-authorization'] === sent)).toBe(
        true,
      );
      expect(provider.requests.at(-1)?.headers).not.toHaveProperty('proxy-authorization');
    },
  );

  testWith(
    `on ${node.name}, the CLI and doctor work through the proxy and with the certificate authority of a company`,
    async () => {
      const count = proxy.tunnels.length;
      expect(await runWith(node.path, [main, ...task, ...server])).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('Teal.'),
      });
      expect(tunnelsSince(count)).toEqual(['stepwise.company.test:443']);
      // With this variable, Node.js itself would send loopback addresses to the proxy.
      const ofNode = { NODE_USE_ENV_PROXY: '1', HTTP_PROXY: proxyUrl() };
      const offline = ['Which colour?', '--model', 'offline', '--dir', folder, '--yes'];
      expect(await runWith(node.path, [main, ...offline], ofNode)).toMatchObject({ code: 0 });
      expect(tunnelsSince(count)).toEqual(['stepwise.company.test:443']);
      const doctor = await runWith(node.path, [main, 'doctor', ...server], {
        UPSTREAMS: serviceSettings.UPSTREAMS,
        ...ofNode,
      });
      expect(tunnelsSince(count).filter((place) => place?.startsWith('127.'))).toEqual([]);
      expect(doctor.stdout).toMatch(/^ok {2}Service of --server +stepwise\.company\.test answers \(200\)$/m);
      expect(doctor.stdout).toMatch(/^ok {2}Upstream company +models\.company\.test answers \(\d+\)$/m);
      expect(doctor.stdout).toMatch(/^-- {2}Upstream renamed .* does not answer \(tls_hostname\)\. /m);
      expect(doctor.stdout).toMatch(/^ok {2}NODE_EXTRA_CA_CERTS +/m);
      expect(doctor.stdout).toMatch(
        /^ok {2}Proxy +HTTPS_PROXY 127\.0\.0\.1:\d+, HTTP_PROXY 127\.0\.0\.1:\d+; not for this machine$/m,
      );
    },
  );

  testWith(
    `on ${node.name}, the errors of SDK and service name an untrusted certificate, a wrong host name or a failed DNS lookup`,
    async () => {
      expect(await useSdk(node.path, 'renamed')).toMatchObject({
        code: 'upstream_unreachable',
        retryable: false,
        details: [{ code: 'tls_hostname' }],
      });
      const without = { NODE_EXTRA_CA_CERTS: '' };
      expect(await useSdk(node.path, 'company', without)).toMatchObject({
        code: 'service_unreachable',
        retryable: false,
        details: [{ code: 'tls_untrusted' }],
      });
      const direct = { HTTPS_PROXY: '' };
      expect(await useSdk(node.path, 'company', direct)).toMatchObject({ details: [{ code: 'dns' }] });
      const cli = await runWith(node.path, [main, ...task, ...server], without);
      expect(cli).toMatchObject({ code: 1, stderr: expect.stringContaining('NODE_EXTRA_CA_CERTS') });
      await startBehindNginx(node.path, without);
      expect(await useSdk(node.path)).toMatchObject({
        code: 'upstream_unreachable',
        retryable: false,
        details: [{ code: 'tls_untrusted' }],
      });
      await until(() => service?.output.stdout.includes('"connection_problem":"tls_untrusted"'));
      expect(service?.output.stdout).toContain('"context_problem":"tls_untrusted"');
    },
  );

  testWith(
    `on ${node.name}, a proxy may speak TLS, and its certificate must match its host name`,
    async () => {
      const [key, cert] = ['server.key', 'server.pem'].map((name) => readFileSync(join(folder, name)));
      if (!key || !cert) throw new Error('There is no certificate.');
      const secure = await startConnectProxy(() => nginxPort, undefined, { key, cert });
      await startBehindNginx(node.path, { HTTPS_PROXY: proxyUrl(secure.url) });
      const environment = { HTTPS_PROXY: proxyUrl(secure.url) };
      expect(await useSdk(node.path, 'company', environment)).toMatchObject({
        step: { direct_response: 'Teal.' },
      });
      expect(new Set(secure.tunnels.map(({ url }) => url)).size).toBe(3);
      const renamed = { HTTPS_PROXY: secure.url.replace('127.0.0.1', 'localhost') };
      expect(await useSdk(node.path, 'company', renamed)).toMatchObject({
        code: 'service_unreachable',
        retryable: false,
        details: [{ code: 'tls_hostname' }],
      });
      secure.close();
    },
  );

  testWith(
    `on ${node.name}, the errors of SDK and service name a proxy that refuses, hangs up or never answers`,
    async () => {
      const faults = [proxyFaults['asks for credentials with 407'], proxyFaults['hangs up'], () => {}];
      for (const fault of faults) {
        const broken = await startConnectProxy(() => 1, fault);
        await startBehindNginx(node.path, { HTTPS_PROXY: proxyUrl(broken.url) });
        const failed = { retryable: true, details: [{ code: 'proxy' }] };
        const environment = { HTTPS_PROXY: proxyUrl(broken.url) };
        const [atClient, atService] = await Promise.all([
          useSdk(node.path, 'company', environment),
          useSdk(node.path),
        ]);
        expect(atClient).toMatchObject({ code: 'service_unreachable', ...failed });
        expect(atService).toMatchObject({ code: 'upstream_unreachable', ...failed });
        printed.push(service?.output.stdout ?? '', service?.output.stderr ?? '');
        broken.close();
      }
    },
  );

  testWith(
    `on ${node.name}, no log, output, metric or trace has the key, the token or the proxy's password`,
    async () => {
      const headers = { authorization: `Bearer ${token}` };
      const metrics = await (await fetch(`${service?.url}/metrics`, { headers })).text();
      await until(() => spans.posts.length > 0);
      await service?.stop();
      const all = [
        ...printed,
        metrics,
        ...spans.posts,
        service?.output.stdout ?? '',
        service?.output.stderr ?? '',
      ].join('\n');
      expect(all).toContain('"connection_problem":"proxy"');
      expect(all).toContain('stepwise_http_requests_total');
      expect(all).toContain('upstream_unreachable');
      const secrets = [password, key, token].flatMap((secret) => [
        secret,
        encodeURIComponent(secret),
        JSON.stringify(secret).slice(1, -1),
        secret.slice(4, 12),
        ...[`me:${secret}`, secret].map((text) => Buffer.from(text).toString('base64').slice(0, -4)),
      ]);
      expect(secrets.filter((secret) => all.includes(secret))).toEqual([]);
    },
  );
}
