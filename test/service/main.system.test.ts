import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { type FakeProvider, type Script, startFakeProvider } from '../../src/offline/fake-provider.js';
import { createToken } from '../../src/service/operations/access/token.js';
import { assertKeepsContract } from '../support/contract-check.js';
import { stepBody, stepPath } from '../support/test-service.js';
import { writeTokenFile } from '../support/token-file.js';
import { until } from '../support/until.js';

// Each test starts processes, on machines that may be busy.
jest.setTimeout(30_000);

const main = new URL('../../src/service/main.js', import.meta.url).pathname;
const children: ChildProcess[] = [];
let fake: FakeProvider | undefined;
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await fake?.close();
});

/** Starts the service as its own process, on a free port. */
function run(
  environment: Record<string, string> = {},
  args: string[] = [],
  stdout: number | 'pipe' = 'pipe',
) {
  const child = spawn(process.execPath, [main, ...args], {
    env: { PORT: '0', OFFLINE_MODEL: 'off', ...environment },
    stdio: ['ignore', stdout, 'pipe'],
  });
  children.push(child);
  const output = { stdout: '', stderr: '' };
  child.stdout?.on('data', (bytes) => {
    output.stdout += bytes;
  });
  child.stderr?.on('data', (bytes) => {
    output.stderr += bytes;
  });
  return {
    child,
    output,
    exited: async (): Promise<number | null> => {
      if (child.exitCode === null) await once(child, 'close');
      return child.exitCode;
    },
    listening: async (): Promise<string> => {
      await until(() => /listens on \S+/.test(output.stderr));
      return /listens on (\S+)/.exec(output.stderr)?.[1] ?? '';
    },
  };
}

describe('the service process', () => {
  test('the service process prints its address on stderr and only JSON lines on stdout', async () => {
    const service = run();
    const url = await service.listening();
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    expect(service.output.stderr).toBe(`Stepwise listens on ${url} (contract: ${url}/docs)\n`);
    await until(
      () => service.output.stdout,
      (text) => text.includes('/healthz'),
    );
    for (const line of service.output.stdout.trim().split('\n')) JSON.parse(line);
  });

  test('with WATCH=on, the startup line of the service process names the address of the watch page (rule: watch)', async () => {
    const service = run({ WATCH: 'on' });
    const url = await service.listening();
    await until(() =>
      service.output.stderr.includes(`WATCH=on: every step can be watched at ${url}/api/agent/watch`),
    );
  });

  test('an invalid setting ends the service process with code 2 and a message with the setting’s name (rule: settings)', async () => {
    const service = run({ PORT: 'eighty' });
    expect(await service.exited()).toBe(2);
    expect(service.output.stderr).toMatch(/PORT: expected a whole number/);
  });

  test('a misspelled setting ends the service process with code 2 and a message with the correct name (rule: settings)', async () => {
    const service = run({ AUTH_TOKEN_FILE: '/canary', OPENAI_UPSTREAM: 'http://canary' });
    expect(await service.exited()).toBe(2);
    expect(service.output.stderr).toMatch(
      /AUTH_TOKEN_FILE: unknown setting; did you mean AUTH_TOKENS_FILE\?/,
    );
    expect(service.output.stderr).toMatch(/OPENAI_UPSTREAM: .*did you mean OPENAI_UPSTREAM_URL\?/);
    expect(service.output.stderr).not.toMatch(/canary/);
  });

  test('gRPC as the protocol of the trace collector ends the service process with code 2 (rule: tracing-settings)', async () => {
    const service = run({
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4317',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
    });
    expect(await service.exited()).toBe(2);
    expect(service.output.stderr).toMatch(/OTEL_EXPORTER_OTLP_PROTOCOL: gRPC is not supported/);
  });

  test('an address in use ends the service process with code 1 and states what to set', async () => {
    const url = await run().listening();
    const second = run({ PORT: new URL(url).port });
    expect(await second.exited()).toBe(1);
    expect(second.output.stderr).toMatch(/Another process uses this address: set another PORT/);
    expect(second.output.stderr).not.toMatch(/\bat .*:\d+/);
  });

  test.each([
    ['999.1.1.1', 2, /HOST: expected an IP address such as 127\.0\.0\.1/],
    ['fe80::1', 2, /HOST: .*fe80::1%eth0/],
    ['nowhere.invalid', 1, /HOST is not an address of this machine: set it to an IP address/],
  ])('HOST=%s ends the service process with code %d and states what to write instead', async (HOST, code, words) => {
    const service = run({ HOST, ALLOW_UNAUTHENTICATED: 'on' });
    expect(await service.exited()).toBe(code);
    expect(service.output.stderr).toMatch(words);
    expect(service.output.stderr).not.toMatch(/\bat .*:\d+/);
  });

  test('a network address without tokens ends the service process with code 2 and states what to set (rule: safe-start)', async () => {
    const service = run({ HOST: '0.0.0.0' });
    expect(await service.exited()).toBe(2);
    expect(service.output.stderr).toMatch(/HOST: .*set AUTH_TOKENS_FILE .*ALLOW_UNAUTHENTICATED=on/);
  });

  test('with a file of tokens, the service process listens on the network and requires them (rule: safe-start)', async () => {
    const token = createToken();
    const service = run({ HOST: '0.0.0.0', AUTH_TOKENS_FILE: writeTokenFile({ token, name: 'ci' }) });
    const models = `${(await service.listening()).replace('0.0.0.0', '127.0.0.1')}/api/agent/models`;
    expect((await fetch(models)).status).toBe(401);
    expect((await fetch(models, { headers: { Authorization: `Bearer ${token}` } })).status).toBe(200);
    await until(
      () => service.output.stdout,
      (text) => text.includes('"caller":"ci"'),
    );
    expect(service.output.stdout).not.toContain(token);
  });

  test.each([
    ['start'],
    ['--print-config=1'],
    ['--prnt-config'],
  ])('the unknown argument %s ends the service process with code 2 and the list of options', async (argument) => {
    const service = run({}, [argument]);
    expect(await service.exited()).toBe(2);
    expect(service.output.stderr).toMatch(/^The only options are --print-config and --help\.\n/);
  });

  test('--print-config and --help print to stdout and exit; an invalid token file ends --print-config with code 2', async () => {
    const printed = run({ CONTEXT_SERVICE_URL: 'http://me:canary@127.0.0.1' }, ['--print-config']);
    expect(await printed.exited()).toBe(0);
    expect(JSON.parse(printed.output.stdout).CONTEXT_SERVICE_URL).toBe('http://***@127.0.0.1/');
    const wrong = run({ AUTH_TOKENS_FILE: writeTokenFile({ token: createToken(), name: 'a name' }) }, [
      '--print-config',
    ]);
    expect([await wrong.exited(), wrong.output.stdout]).toEqual([2, '']);
    expect(wrong.output.stderr).toMatch(/AUTH_TOKENS_FILE: tokens\[0\]\.name: expected a name/);
    const helped = run({}, ['--help']);
    expect(await helped.exited()).toBe(0);
    expect(helped.output.stdout).toMatch(/SHUTDOWN_GRACE_MS/);
  });
});

describe('a log that cannot be written (rule: request-log)', () => {
  test('on a full disk, the service keeps responding and exits on SIGTERM (rule: request-log)', async () => {
    const full = openSync('/dev/full', 'w');
    const service = run({}, [], full);
    const url = await service.listening();
    for (let count = 0; count < 5; count += 1) expect((await fetch(`${url}/healthz`)).status).toBe(200);
    service.child.kill('SIGTERM');
    expect(await service.exited()).toBe(0);
  });
});

/** Returns `NODE_OPTIONS` that run the given lines before a module of the service is loaded. */
function loading(name: string, lines: string): Record<string, string> {
  const asUrl = (code: string): string => `data:text/javascript,${encodeURIComponent(code)}`;
  const hook = `export async function load(url, context, next) {
    if (url.endsWith('/${name}')) { ${lines} }
    return next(url, context);
  }`;
  const register = `import { register } from 'node:module'; register(${JSON.stringify(asUrl(hook))});`;
  return { NODE_OPTIONS: `--import ${asUrl(register)}` };
}

describe('stopping the service process (rule: shutdown)', () => {
  async function runWith(script: Script, environment: Record<string, string> = {}) {
    fake = await startFakeProvider(script);
    const service = run({ UPSTREAMS: JSON.stringify({ fake: `${fake.url}/v1` }), ...environment });
    return { service, url: await service.listening(), provider: fake };
  }

  async function post(url: string) {
    const llm_config = { modelName: 'any', provider: 'fake', tokenLimit: 8000, reservedOutputTokens: 1000 };
    const response = await fetch(url + stepPath, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(stepBody({ llm_config })),
    });
    const body = await response.text();
    const answer = {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: JSON.parse(body),
    };
    assertKeepsContract('POST', stepPath, answer);
    return answer;
  }

  test.each([
    'SIGTERM',
    'SIGINT',
  ] as const)('the signal %s during startup ends the service process with code 0 before it listens (rule: shutdown)', async (signal) => {
    // Accepts the connection and sends nothing, so the startup waits for it.
    const store = createServer((socket) => socket.on('error', () => {}).resume()).listen(0, '127.0.0.1');
    const asked = once(store, 'connection');
    await once(store, 'listening');
    const { port } = store.address() as AddressInfo; // it listens on TCP
    const service = run({ REDIS_URL: `redis://127.0.0.1:${port}`, RATE_LIMIT_PER_MINUTE: '5' });
    await asked;
    service.child.kill(signal);
    expect(await service.exited()).toBe(0);
    expect(service.output.stderr).toBe('');
    store.close();
  });

  test('SIGTERM ends an idle service process with code 0 (rule: shutdown)', async () => {
    const service = run();
    await service.listening();
    service.child.kill('SIGTERM');
    expect(await service.exited()).toBe(0);
  });

  test('after SIGTERM, accepted requests are answered while /readyz returns 503, then the process exits with 0 (rule: shutdown)', async () => {
    const { service, url, provider } = await runWith({ text: 'Final Answer: 42', delayMs: 700 });
    const accepted = Promise.all(Array.from({ length: 20 }, () => post(url)));
    await until(() => provider.requests.length === 20);
    service.child.kill('SIGTERM');
    await until(
      () => service.output.stdout,
      (text) => text.includes('draining'),
    );
    expect((await fetch(`${url}/readyz`)).status).toBe(503);
    expect((await accepted).map(({ status }) => status)).toEqual(Array(20).fill(200));
    expect(await service.exited()).toBe(0);
  });

  test('at the end of SHUTDOWN_GRACE_MS, unfinished requests get 503 shutting_down, then the process exits with 0 (rule: shutdown)', async () => {
    const { service, url, provider } = await runWith({ fault: 'silence' }, { SHUTDOWN_GRACE_MS: '300' });
    const accepted = post(url);
    await until(() => provider.requests.length === 1);
    service.child.kill('SIGTERM');
    const { status, body } = await accepted;
    expect([status, body.error.code]).toEqual([503, 'shutting_down']);
    expect(await service.exited()).toBe(0);
  });

  test('a request that waited for the service to load during SIGTERM gets 503 shutting_down (rule: shutdown)', async () => {
    const slow = loading('make-agent.js', 'await new Promise((resolve) => setTimeout(resolve, 2_000));');
    const { service, url } = await runWith({ text: 'Final Answer: 42' }, slow);
    const waiting = post(url);
    await new Promise((resolve) => setTimeout(resolve, 100)); // waits for the request to arrive
    service.child.kill('SIGTERM');
    const { status, body } = await waiting;
    expect([status, body.error.code]).toEqual([503, 'shutting_down']);
    expect(await service.exited()).toBe(0);
  });

  test('a second signal ends the service process with code 130 without waiting for requests (rule: shutdown)', async () => {
    const { service, url, provider } = await runWith({ fault: 'silence' });
    post(url).catch(() => {});
    await until(() => provider.requests.length === 1);
    service.child.kill('SIGINT');
    await until(
      () => service.output.stdout,
      (text) => text.includes('draining'),
    );
    const answered = Array.from({ length: 20 }, () => fetch(`${url}/healthz`));
    expect((await Promise.all(answered)).every(({ ok }) => ok)).toBe(true);
    service.child.kill('SIGINT');
    expect(await service.exited()).toBe(130);
    // Every answered request is in the log (rule: request-log).
    expect(service.output.stdout.match(/"route":"\/healthz"/g)).toHaveLength(20);
  });
});
