import { mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import {
  ConfigError,
  completeSettings,
  printConfig,
  readConfig,
} from '../../../src/service/settings/config.js';

const folder = mkdtempSync(join(tmpdir(), 'stepwise-config-'));
const project = '6f9619ff-8b86-4d01-b42d-00cf4fc964ff';
const linkLoop = join(folder, 'loop');
symlinkSync(linkLoop, linkLoop);

function problemsOf(environment: Record<string, string>): readonly string[] {
  try {
    readConfig(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

describe('reading settings from the environment (rule: settings)', () => {
  test('an empty environment configures a service on loopback with the documented defaults', () => {
    expect(readConfig({})).toEqual({
      HOST: '127.0.0.1',
      PORT: 8080,
      LOG_LEVEL: 'info',
      OPENAI_UPSTREAM_URL: 'https://api.openai.com/v1',
      ANTHROPIC_UPSTREAM_URL: 'https://api.anthropic.com',
      UPSTREAMS: {},
      OFFLINE_MODEL: 'on',
      PROJECTS: {},
      ALLOW_UNAUTHENTICATED: 'off',
      RATE_LIMIT_PER_MINUTE: 0,
      RECORD_MAX_BYTES: 268_435_456,
      WATCH: 'off',
      CORS_ORIGINS: [],
      MAX_BODY_BYTES: 4_194_304,
      MAX_IN_FLIGHT: 2_048,
      MAX_EVENT_LOOP_LAG_MS: 250,
      STEP_DEADLINE_MS: 120_000,
      SHUTDOWN_DELAY_MS: 0,
      SHUTDOWN_GRACE_MS: 125_000,
    });
  });

  test('an empty variable is treated as unset', () => {
    expect(readConfig({ PORT: '', UPSTREAMS: '', PROJECTS_DIR: '' }).PORT).toBe(8080);
  });

  test('an upstream is a URL or an object, and requires a key over https unless keyRequired is false', () => {
    const { UPSTREAMS } = readConfig({
      UPSTREAMS: JSON.stringify({
        ollama: 'http://127.0.0.1:11434/v1',
        router: 'https://router.example/v1',
        open: { url: 'https://open.example/v1', keyRequired: false, contextWindow: 4096 },
      }),
    });
    expect(UPSTREAMS).toEqual({
      ollama: { url: 'http://127.0.0.1:11434/v1', keyRequired: false },
      router: { url: 'https://router.example/v1', keyRequired: true },
      open: { url: 'https://open.example/v1', keyRequired: false, contextWindow: 4096 },
    });
  });

  test('CORS_ORIGINS is a comma-separated list of origins', () => {
    expect(readConfig({ CORS_ORIGINS: 'https://a.example, http://localhost:3000' }).CORS_ORIGINS).toEqual([
      'https://a.example',
      'http://localhost:3000',
    ]);
  });

  test.each<[string, Record<string, string>]>([
    ['PORT', { PORT: '80x' }],
    ['PORT', { PORT: '65536' }],
    ['PORT', { PORT: '-1' }],
    ['LOG_LEVEL', { LOG_LEVEL: 'loud' }],
    ['OPENAI_UPSTREAM_URL', { OPENAI_UPSTREAM_URL: 'api.openai.com' }],
    ['OPENAI_UPSTREAM_URL', { OPENAI_UPSTREAM_URL: 'file:///etc/passwd' }],
    ['UPSTREAMS', { UPSTREAMS: '{' }],
    ['UPSTREAMS', { UPSTREAMS: '{"openai": "http://127.0.0.1/v1"}' }],
    ['UPSTREAMS', { UPSTREAMS: '{"a": {"url": "http://127.0.0.1/v1", "keyRequird": true}}' }],
    ['UPSTREAMS', { UPSTREAMS: '{"a": "https://user:pass@models.example/v1"}' }],
    ['UPSTREAMS', { UPSTREAMS: '{"a": "https://models.example/v1?key=x"}' }],
    ['UPSTREAMS', { UPSTREAMS: '{"a": {"url": "https://models.example/v1/chat/completions"}}' }],
    ['OPENAI_UPSTREAM_URL', { OPENAI_UPSTREAM_URL: 'https://user@models.example/v1' }],
    ['OPENAI_UPSTREAM_URL', { OPENAI_UPSTREAM_URL: 'https://models.example/v1/responses/' }],
    ['ANTHROPIC_UPSTREAM_URL', { ANTHROPIC_UPSTREAM_URL: 'https://models.example/v1/messages' }],
    ['CONTEXT_SERVICE_URL', { CONTEXT_SERVICE_URL: 'https://context.example/?token=x' }],
    ['CONTEXT_SERVICE_URL', { CONTEXT_SERVICE_URL: 'https://context.example/#x' }],
    ['PROJECTS', { PROJECTS: '[]' }],
    ['PROJECTS', { PROJECTS: '{"no uuid": "."}' }],
    ['PROJECTS_DIR', { PROJECTS_DIR: join(folder, 'missing') }],
    ['CORS_ORIGINS', { CORS_ORIGINS: '*' }],
    ['MAX_BODY_BYTES', { MAX_BODY_BYTES: '4mb' }],
    ['OFFLINE_MODEL', { OFFLINE_MODEL: 'yes' }],
    ['HOST', { HOST: '999.1.1.1' }],
    ['HOST', { HOST: 'http://localhost' }],
    ['UPSTREAMS', { UPSTREAMS: '{"__proto__": "http://127.0.0.1/v1"}' }],
    [
      'UPSTREAMS',
      { UPSTREAMS: '{"a": {"url": "http://127.0.0.1/v1", "__proto__": {"keyRequired": false}}}' },
    ],
    ['PROJECTS', { PROJECTS: `{"__proto__": ${JSON.stringify(folder)}}` }],
  ])('an invalid %s is reported by name: %j', (name, environment) => {
    expect(problemsOf(environment)).toEqual([expect.stringMatching(new RegExp(`^${name}\\b`))]);
  });

  const upstreams = 'a JSON object such as {"ollama":"http://127.0.0.1:11434/v1"}';
  test.each<[Record<string, string>, string]>([
    [{ UPSTREAMS: '{"openai":"https://own.example/v1"}' }, 'UPSTREAMS.openai: this name is reserved'],
    [{ UPSTREAMS: '{"My up":"https://own.example/v1"}' }, 'starts with a lowercase letter'],
    [{ UPSTREAMS: 'ollama=http://127.0.0.1:11434/v1' }, upstreams],
    [{ UPSTREAMS: '["http://127.0.0.1:11434/v1"]' }, upstreams],
    [
      { UPSTREAMS: '{"a":{"url":"http://127.0.0.1/v1","encoding":"gpt"}}' },
      'UPSTREAMS.a.encoding: expected one of: o200k_base, cl100k_base',
    ],
    [{ PROJECTS: '{"shop":"."}' }, 'PROJECTS.shop: expected a project id as the name, a UUID such as'],
    [{ PROJECTS: 'shop' }, 'PROJECTS: expected a JSON object such as {"6f9619ff-'],
    [{ OFFLINE_MODEL: 'true' }, 'OFFLINE_MODEL: expected one of: on, off'],
    [{ LOG_LEVEL: 'verbose' }, 'LOG_LEVEL: expected one of: debug, info, warn, error, silent'],
    [{ CORS_ORIGINS: '*' }, 'such as https://app.example'],
    [
      { CORS_ORIGINS: 'https://*.example' },
      'expected full origins without wildcards, separated by commas, such as',
    ],
    [{ HOST: 'fe80::1' }, 'HOST: a link-local address needs its interface, such as fe80::1%eth0'],
    [{ UPSTREAMS: '{"a":"http://h/v1","b":"http://h/v1","a":"http://i/v1"}' }, 'without duplicate names'],
    [{ UPSTREAMS: '{"a":{"url":"http://h/v1","url":"http://i/v1"}}' }, 'without duplicate names'],
    [{ UPSTREAMS: '{"sk-plover":"http://h/v1"}' }, 'UPSTREAMS: expected a name'],
    [
      { PROJECTS: JSON.stringify({ [project]: folder, [project.toUpperCase()]: folder }) },
      'PROJECTS: a project is listed twice: ids are compared without regard to case',
    ],
    [{ RATE_LIMIT_PER_MINUTE: '-1' }, 'RATE_LIMIT_PER_MINUTE: expected a whole number from 0 to 1000000'],
    [
      { REDIS_URL: '127.0.0.1:6379' },
      'REDIS_URL: expected a URL such as redis://127.0.0.1:6379, or rediss:// for TLS',
    ],
    ...[
      'http://127.0.0.1',
      'redis://',
      'redis://127.0.0.1:1/abc',
      'redis://127.0.0.1/1/2',
      'redis:user:canary@h:6379',
      'redis://u:canary%zz@h',
      'redis:///var/run/redis.sock',
      'redis://127.0.0.1:0',
      'redis://127.0.0.1?db=2',
      'redis://127.0.0.1/2#3',
    ].map((REDIS_URL): [Record<string, string>, string] => [
      { REDIS_URL },
      'REDIS_URL: expected a URL such as redis://127.0.0.1:6379',
    ]),
    ...[`/${'x'.repeat(300)}`, linkLoop].flatMap((there): [Record<string, string>, string][] => [
      [{ PROJECTS_DIR: there }, 'PROJECTS_DIR: expected the path of a readable folder'],
      [{ AUTH_TOKENS_FILE: there }, 'AUTH_TOKENS_FILE: expected the path of a readable file'],
      [
        { PROJECTS: JSON.stringify({ [project]: there }) },
        `PROJECTS.${project}: expected the path of a readable folder`,
      ],
    ]),
    [
      { TRUST_PROXY: 'true' },
      'TRUST_PROXY: expected the number of trusted proxies, such as 1, or their addresses',
    ],
    [{ TRUST_PROXY: '10.0.0.0/99' }, 'TRUST_PROXY: expected the number of trusted proxies'],
    [{ TRUST_PROXY: '-1' }, 'TRUST_PROXY: expected the number of trusted proxies'],
    [{ TRUST_PROXY: '1000' }, 'TRUST_PROXY: expected the number of trusted proxies'],
  ])('the message about the invalid setting %j states what to write instead', (environment, advice) => {
    const problems = problemsOf(environment);
    expect(problems).toEqual([expect.stringContaining(advice)]);
    expect(problems.join()).not.toMatch(/Invalid|received/);
  });

  test('all invalid variables are reported at once, without their values', () => {
    const problems = problemsOf({ PORT: 'sk-canary', LOG_LEVEL: 'sk-canary', UPSTREAMS: 'sk-canary' });
    expect(problems).toHaveLength(3);
    expect(problems.join()).not.toContain('canary');
  });
});

const tokens = join(folder, 'tokens.yaml');
writeFileSync(tokens, 'tokens: []');
const network = ['0.0.0.0', '::', '192.168.1.2', 'service.example', '127.0.0.1.example'];

test('colons, quotes and escapes inside strings of a JSON setting are not mistaken for field names (rule: settings)', () => {
  const url = 'http://127.0.0.1/v1/":"=\\"a\\": ';
  expect(
    readConfig({ UPSTREAMS: JSON.stringify({ a: url, b: { url: 'http://127.0.0.1/v1' } }) }).UPSTREAMS,
  ).toMatchObject({
    a: { url: expect.stringContaining('127.0.0.1') },
    b: {},
  });
});

test.each([
  'https://user:plover@h/v1',
  'sk-plover',
  `stepwise_plover`,
  'plover\n  PORT: expected nothing',
])('an invalid name inside a JSON setting is not repeated in the message: %j', (name) => {
  const problems = problemsOf({
    UPSTREAMS: JSON.stringify({ [name]: 'http://h/v1' }),
    PROJECTS: JSON.stringify({ [name]: folder }),
  });
  expect(problems).toEqual([
    expect.stringMatching(/^UPSTREAMS: expected a name/),
    expect.stringMatching(/^PROJECTS: expected a project id/),
  ]);
  expect(problems.join()).not.toMatch(/plover|\n/);
});

describe('a service that other machines can reach needs authentication (rule: safe-start)', () => {
  test.each(network)('HOST=%s without tokens is rejected with a message that states what to set', (HOST) => {
    expect(problemsOf({ HOST })).toEqual([
      'HOST: at this address, everybody who can reach the port could use the service: set AUTH_TOKENS_FILE to a file of ' +
        'tokens (create it with `stepwise token NAME --file FILE`), or HOST=127.0.0.1, or ALLOW_UNAUTHENTICATED=on if ' +
        'a proxy in front of the service authenticates callers',
    ]);
    expect(problemsOf({ HOST, AUTH_TOKENS_FILE: tokens })).toEqual([]);
    expect(problemsOf({ HOST, ALLOW_UNAUTHENTICATED: 'on' })).toEqual([]);
    expect(problemsOf({ HOST, ALLOW_UNAUTHENTICATED: 'off' })).toHaveLength(1);
  });

  test.each([
    [
      { AUTH_TOKENS_FILE: '/nowhere/tokens.yaml' },
      'AUTH_TOKENS_FILE: expected the path of a readable file; create one with `stepwise token',
    ],
    [{ AUTH_TOKENS_FILE: folder }, 'AUTH_TOKENS_FILE: expected the path of a readable file'],
    [{ ALLOW_UNAUTHENTICATED: 'yes' }, 'ALLOW_UNAUTHENTICATED: expected one of: on, off'],
    [
      { ALLOW_UNAUTHENTICATED: 'on', AUTH_TOKENS_FILE: tokens },
      'ALLOW_UNAUTHENTICATED: AUTH_TOKENS_FILE restricts callers, and ALLOW_UNAUTHENTICATED=on admits everybody: unset one of them',
    ],
  ])('the access settings %j are rejected', (environment, problem) => {
    expect(problemsOf(environment)).toEqual([expect.stringContaining(problem)]);
  });

  test('the container image listens on every address and does not start without AUTH_TOKENS_FILE', () => {
    const [, image = ''] = /^ENV (.*)$/m.exec(readFileSync('Dockerfile', 'utf8')) ?? [];
    const environment = Object.fromEntries(image.split(' ').map((each) => each.split('=')));
    expect(environment).toMatchObject({ HOST: '0.0.0.0' });
    expect(problemsOf(environment)).toEqual([expect.stringMatching(/^HOST: .*AUTH_TOKENS_FILE/)]);
    expect(problemsOf({ ...environment, AUTH_TOKENS_FILE: tokens })).toEqual([]);
  });
});

test('TRUST_PROXY is a number of proxies or a list of addresses (rule: rate-limit)', () => {
  const read = (TRUST_PROXY: string) => readConfig({ TRUST_PROXY }).TRUST_PROXY;
  expect([read('2'), read('0'), read('loopback, 10.0.0.0/8,fd00::1')]).toEqual([
    2,
    0,
    ['loopback', '10.0.0.0/8', 'fd00::1'],
  ]);
  expect(completeSettings({ TRUST_PROXY: ['loopback'] }).TRUST_PROXY).toEqual(['loopback']);
});

describe('project files are not served to the network without tokens (rule: safe-start)', () => {
  const sources: Record<string, string>[] = [
    { PROJECTS_DIR: folder },
    { PROJECTS: JSON.stringify({ [project]: folder }) },
    { CONTEXT_SERVICE_URL: 'https://context.example' },
  ];

  test.each(sources)('the settings %j are rejected without tokens on every network address', (source) => {
    for (const HOST of network) {
      expect(problemsOf({ ...source, HOST })).toEqual([expect.stringMatching(/^HOST: .*AUTH_TOKENS_FILE/)]);
      expect(problemsOf({ ...source, HOST, AUTH_TOKENS_FILE: tokens })).toEqual([]);
    }
  });

  test.each(
    sources,
  )('the settings %j are rejected with ALLOW_UNAUTHENTICATED=on, even on loopback', (source) => {
    for (const HOST of ['0.0.0.0', '127.0.0.1']) {
      expect(problemsOf({ ...source, HOST, ALLOW_UNAUTHENTICATED: 'on' })).toEqual([
        expect.stringMatching(/^ALLOW_UNAUTHENTICATED: .*not served to callers without a token/),
      ]);
    }
  });

  test.each(sources)('the settings %j are allowed without tokens on loopback', (source) => {
    for (const HOST of ['127.0.0.1', '127.1.2.3', '::1', 'localhost']) {
      expect(problemsOf({ ...source, HOST })).toEqual([]);
    }
  });
});

describe('printing the configuration (rule: settings)', () => {
  test('--print-config masks secrets in URLs', () => {
    const text = printConfig(
      readConfig({
        CONTEXT_SERVICE_URL: 'https://user:canary@context.example/a',
        OTEL_EXPORTER_OTLP_ENDPOINT: 'https://spans.example/a?token=canary',
        HTTPS_PROXY: 'http://canary@proxy.example:3128',
        REDIS_URL: 'rediss://me:canary@redis.example:6379/1',
      }),
    );
    expect(text).not.toContain('canary');
    expect(text).toContain('https://***@context.example/a');
    expect(text).toContain('https://spans.example/a?***');
    expect(text).toContain('http://***@proxy.example:3128');
    expect(text).toContain('rediss://***@redis.example:6379/1');
  });

  test.each([
    ['HTTP://user:canary@host/v1', 'http://***@host/v1'],
    ['hTTps://:canary@host/v1', 'https://***@host/v1'],
    ['http://127.0.0.1/#canary', 'http://127.0.0.1/#***'],
    ['https://host/?a#canary', 'https://host/?***#***'],
    ['https://host/v1', 'https://host/v1'],
    ['HTTPS://Host', 'HTTPS://Host'],
  ])('--print-config prints the URL %s as %s', (written, printed) => {
    const config = JSON.parse(printConfig(completeSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: written })));
    expect(config.OTEL_EXPORTER_OTLP_ENDPOINT).toBe(printed);
  });
});

describe('misspelled names of settings (rule: settings)', () => {
  test.each([
    ['CORS_ORIGIN', 'CORS_ORIGINS'],
    ['auth_tokens_file', 'AUTH_TOKENS_FILE'],
    ['AUTH_TOKEN_FILE', 'AUTH_TOKENS_FILE'],
    ['AUTH_TOKENS', 'AUTH_TOKENS_FILE'],
    ['AUTH_TOKEN', 'AUTH_TOKENS_FILE'],
    ['Allow_Unauthenticated', 'ALLOW_UNAUTHENTICATED'],
    ['RATE_LIMIT_PER_MIN', 'RATE_LIMIT_PER_MINUTE'],
    ['RATE_LIMITS_PER_SECOND', 'RATE_LIMIT_PER_MINUTE'],
    ['RATE_LIMIT', 'RATE_LIMIT_PER_MINUTE'],
    ['redis_url', 'REDIS_URL'],
    ['trust_proxy', 'TRUST_PROXY'],
    ['MAX_INFLIGHT', 'MAX_IN_FLIGHT'],
    ['PROJECT_DIR', 'PROJECTS_DIR'],
    ['upstreams', 'UPSTREAMS'],
    ['OPENAI_UPSTREAMS_URL', 'OPENAI_UPSTREAM_URL'],
    ['OPENAI_UPSTREAM', 'OPENAI_UPSTREAM_URL'],
    ['STEP_DEADLINE', 'STEP_DEADLINE_MS'],
    ['step_deadline_seconds', 'STEP_DEADLINE_MS'],
    ['MAX_BODY_MB', 'MAX_BODY_BYTES'],
    ['SHUTDOWN_GRACE', 'SHUTDOWN_GRACE_MS'],
    ['CONTEXT_SERVICE', 'CONTEXT_SERVICE_URL'],
    ['UPSTREAM', 'UPSTREAMS'],
    ['log_level', 'LOG_LEVEL'],
    ['TRUST_PROXIES', 'TRUST_PROXY'],
    ['TOKENS_FILE', 'AUTH_TOKENS_FILE'],
    ['ALLOW_UNAUTHENTIFICATED', 'ALLOW_UNAUTHENTICATED'],
    ['ALLOW_UNAUTENTICATED', 'ALLOW_UNAUTHENTICATED'],
    ['AUTH_TOKNES_FILE', 'AUTH_TOKENS_FILE'],
  ])('the unknown variable %s is rejected as a misspelling of %s', (written, intended) => {
    expect(problemsOf({ [written]: 'x' })).toEqual([
      `${written}: unknown setting; did you mean ${intended}?`,
    ]);
  });

  test('variables of other programs are ignored, and with ignoreOthers misspelled settings too', () => {
    expect(problemsOf({ HOSTNAME: 'x', PROJECT: 'x', PATH: 'x', NODE_ENV: 'x', HOSTS: 'x' })).toEqual([]);
    // Variables of a shell, of the vendors' SDKs, and those that Kubernetes derives from service names.
    const others =
      'LOG LOGNAME MAIL STEP SHUTDOWN TRUST REDIS REDIS_HOST REDIS_PORT CONTEXT_SERVICE_HOST PROJECTS_PORT ' +
      'UPSTREAMS_SERVICE_HOST OPENAI_API_KEY OPENAI_BASE_URL ANTHROPIC_API_KEY NPM_TOKEN GITHUB_TOKEN AUTH ' +
      'AUTH_SECRET OTEL_METRICS_EXPORTER OTEL_LOG_LEVEL MAX_MEMORY CORS _ __';
    expect(problemsOf(Object.fromEntries(others.split(' ').map((name) => [name, 'x'])))).toEqual([]);
    expect(readConfig({ redis_url: 'redis://x' }, { ignoreOthers: true }).PORT).toBe(8080);
  });
});

describe('settings as plain values (rule: settings)', () => {
  test('omitted settings get their defaults, and completing a complete configuration changes nothing', () => {
    const config = completeSettings({ PORT: 0, UPSTREAMS: { local: 'http://127.0.0.1:1/v1' } });
    expect(config).toEqual({
      ...readConfig({}),
      PORT: 0,
      UPSTREAMS: { local: { url: 'http://127.0.0.1:1/v1', keyRequired: false } },
    });
    expect(completeSettings(config)).toEqual(config);
  });

  test('settings given as plain values are validated like environment variables, and unknown names are rejected', () => {
    expect(() => completeSettings({ PORT: 70_000 })).toThrow(ConfigError);
    expect(() => completeSettings({ PORT: 0.5 })).toThrow('PORT: expected a whole number from 0 to 65535');
    const misspelt = { PORT: 0, PORTS: 1 };
    expect(() => completeSettings(misspelt)).toThrow('PORTS: unknown setting');
  });
});

test.each([
  ['{"a": 5}', 'UPSTREAMS.a: expected a URL, or an object with url and optionally wire, keyRequired'],
  ['{"a": {"url": "x"}}', 'UPSTREAMS.a.url: expected an http or https URL'],
  ['{"a": "127.0.0.1:11434"}', 'UPSTREAMS.a.url: expected an http or https URL'],
])('an invalid upstream is rejected with a message that states what was expected: %s', (UPSTREAMS, problem) => {
  expect(problemsOf({ UPSTREAMS })).toEqual([expect.stringContaining(problem)]);
});
