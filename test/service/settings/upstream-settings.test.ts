import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  ConfigError,
  completeSettings,
  printConfig,
  readConfig,
} from '../../../src/service/settings/config.js';

/** Returns the placeholder that the service replaces with a variable of the environment. */
const variable = (name: string): string => `\${${name}}`;

const url = 'https://models.example/v1';

function problemsOf(upstreams: unknown, environment: Record<string, string> = {}): readonly string[] {
  try {
    readConfig({ UPSTREAMS: JSON.stringify(upstreams), ...environment });
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

const inAny = (fields: object) => [
  { gateway: { url, ...fields } },
  { openai: fields },
  { anthropic: fields },
];

describe('gateway settings (rule: gateway-settings)', () => {
  test('gateway settings take values from variables of the environment, alone or within a text', () => {
    const headers = {
      'X-Portkey-Api-Key': variable('PORTKEY_KEY'),
      'cf-aig-authorization': `Bearer ${variable('CF')}`,
      'X-Title': 'Shop',
    };
    const { UPSTREAMS } = readConfig({
      UPSTREAMS: JSON.stringify({ gateway: { url, headers, query: { 'api-version': variable('VERSION') } } }),
      PORTKEY_KEY: 'pk-live-1',
      CF: 'cf-2',
      VERSION: '2026-01-01',
    });
    const revealed = Object.entries(UPSTREAMS['gateway']?.headers ?? {}).map(([name, value]) => [
      name,
      value.reveal(),
    ]);
    expect(Object.fromEntries(revealed)).toEqual({
      'x-portkey-api-key': 'pk-live-1',
      'cf-aig-authorization': 'Bearer cf-2',
      'x-title': 'Shop',
    });
    expect(UPSTREAMS['gateway']?.query?.['api-version']?.reveal()).toBe('2026-01-01');
  });

  test('a variable’s value that itself contains the syntax of a variable is not replaced again', () => {
    const config = readConfig({
      UPSTREAMS: JSON.stringify({ gateway: { url, headers: { 'x-key': variable('OWN') } } }),
      OWN: `a${variable('OWN')}b`,
    });
    expect(completeSettings(config).UPSTREAMS['gateway']?.headers?.['x-key']?.reveal()).toBe(
      `a${variable('OWN')}b`,
    );
  });

  test.each<[string, object, Record<string, string>, RegExp]>([
    [
      'a missing variable',
      { headers: { a: variable('MISSING_NAME') } },
      {},
      /variable MISSING_NAME is not set/,
    ],
    [
      'an empty variable',
      { query: { a: `x${variable('EMPTY_NAME')}` } },
      { EMPTY_NAME: '' },
      /variable EMPTY_NAME is not set/,
    ],
    ['an odd variable', { headers: { a: variable('NOT A NAME') } }, {}, /name of an environment variable/],
    ['a line break', { headers: { a: 'x\ny' } }, {}, /line break/],
    [
      'a line break in a variable',
      { headers: { a: variable('BROKEN') } },
      { BROKEN: 'canary\r\nx: y' },
      /line break/,
    ],
    ['a control character', { headers: { a: 'canary\u0007' } }, {}, /printable/],
    ['an empty value', { headers: { a: '' } }, {}, /printable/],
    ['a number', { headers: { a: 7 } }, {}, /expected a text/],
    ['a name with a colon', { headers: { 'a:b': 'c' } }, {}, /name of a header/],
    ['a header named twice', { headers: { 'X-A': '1', 'x-a': '2' } }, {}, /set twice/],
    [
      'the key of callers beside an own one',
      { headers: { Authorization: 'canary' }, keyRequired: true },
      {},
      /callers/,
    ],
    [
      'the key header of callers beside an own one',
      { headers: { 'API-Key': 'canary' }, keyHeader: 'api-key', keyRequired: true },
      {},
      /callers/,
    ],
    ['a hop-by-hop header for keys', { keyHeader: 'connection' }, {}, /belongs to the connection/],
    ['a file that is not there', { caFile: '/no/such/file.pem' }, {}, /certificates in PEM/],
    ['an unknown setting', { header: {} }, {}, /unknown|unrecognized|expected/i],
  ])('an invalid gateway setting prevents the start with its path and without its value: %s', (_, fields, environment, sentence) => {
    const problems = problemsOf({ gateway: { url, ...fields } }, environment);
    expect(problems).toEqual([expect.stringMatching(sentence)]);
    expect(problems[0]).toMatch(/^UPSTREAMS\.gateway/);
    expect(problems[0]).not.toContain('canary');
  });

  const hopByHop = [
    'Connection',
    'keep-alive',
    'Proxy-Authorization',
    'TE',
    'trailer',
    'Transfer-Encoding',
    'upgrade',
  ];
  test.each([
    ...hopByHop,
    'Host',
    'content-length',
    'Content-Type',
  ])('an upstream setting with the header %s prevents the start, since the header belongs to the connection', (name) => {
    for (const upstreams of inAny({ headers: { [name]: 'x' } }))
      expect(problemsOf(upstreams)).toEqual([expect.stringContaining('belongs to the connection')]);
  });

  test('a file that holds no certificate prevents the start', () => {
    const caFile = join(mkdtempSync(join(tmpdir(), 'stepwise-ca-')), 'ca.pem');
    writeFileSync(caFile, 'not a certificate');
    for (const upstreams of inAny({ caFile }))
      expect(problemsOf(upstreams)).toEqual([expect.stringContaining('certificates in PEM')]);
  });

  test('the entries for openai and anthropic may contain only gateway settings', () => {
    for (const name of ['openai', 'anthropic']) {
      const gateway = { headers: { 'x-a': 'b' }, query: { c: 'd' }, keyHeader: 'x-api-key' };
      expect(problemsOf({ [name]: gateway })).toEqual([]);
      for (const entry of [
        url,
        { url },
        { keyRequired: false },
        { contextWindow: 9 },
        { ...gateway, wire: 'chat' },
      ])
        expect(problemsOf({ [name]: entry })).toEqual([
          expect.stringMatching(/^UPSTREAMS\.(?:openai|anthropic)\b/),
        ]);
    }
  });

  test('an upstream may have its own authorization header if callers send no key', () => {
    expect(
      problemsOf({ gateway: { url, keyRequired: false, headers: { Authorization: 'Bearer own' } } }),
    ).toEqual([]);
    expect(
      problemsOf({ gateway: { url, keyHeader: 'api-key', headers: { Authorization: 'Bearer own' } } }),
    ).toEqual([]);
  });

  test('no printed or thrown text contains a value of a gateway setting', () => {
    const value = fc.string({
      unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
      minLength: 9,
      maxLength: 40,
    });
    fc.assert(
      fc.property(value, value, (header, query) => {
        const config = readConfig({
          UPSTREAMS: JSON.stringify({
            gateway: { url, headers: { 'x-a': variable('A') }, query: { b: variable('B') } },
            openai: { headers: { 'x-a': variable('A') } },
          }),
          A: header,
          B: query,
        });
        const printed = printConfig(config) + String(config.UPSTREAMS['gateway']?.headers?.['x-a']);
        for (const secret of [header, query]) {
          expect(printed).not.toContain(secret);
          expect(printed).not.toContain(JSON.stringify(secret).slice(1, -1));
        }
      }),
    );
  });
});

describe('settings of models (rule: model-settings)', () => {
  test('contextWindow and protocol are read for an upstream and for its models', () => {
    const entry = {
      url,
      contextWindow: 8_192,
      protocol: 'json',
      models: { 'qwen3:8b': { contextWindow: 40_960, protocol: 'native' }, 'a/b': {}, constructor: {} },
    };
    const { UPSTREAMS } = readConfig({ UPSTREAMS: JSON.stringify({ local: entry }) });
    expect(UPSTREAMS['local']).toMatchObject(entry);
  });

  test.each<[string, object, string]>([
    ['a window of 0', { contextWindow: 0 }, '.contextWindow: expected the number of tokens'],
    ['a window as text', { contextWindow: '32768' }, '.contextWindow: expected the number of tokens'],
    ['half a token', { contextWindow: 0.5 }, '.contextWindow: expected the number of tokens'],
    ['an endless window', { contextWindow: 1e300 }, '.contextWindow: expected the number of tokens'],
    [
      'an unknown protocol',
      { protocol: 'yaml' },
      '.protocol: expected one of: text, xml, json, native, auto',
    ],
    ['a list of models', { models: ['qwen3:8b'] }, '.models: expected an object from names of models'],
    ['a number for a model', { models: { 'qwen3:8b': 9 } }, '.models.qwen3:8b: expected for each model'],
    ['an unknown setting of a model', { models: { m: { window: 9 } } }, '.models.m: expected for each model'],
    [
      'a wrong window of a model',
      { models: { 'openai/gpt-oss:20b': { contextWindow: -1 } } },
      '.models.openai/gpt-oss:20b.contextWindow: expected the number of tokens',
    ],
    [
      'a wrong protocol of a model',
      { models: { m: { protocol: 7 } } },
      '.models.m.protocol: expected one of',
    ],
    ['an empty name', { models: { '': {} } }, '.models: expected the name of a model'],
  ])('an invalid model setting prevents the start with its path: %s', (_, fields, sentence) => {
    expect(problemsOf({ local: { url, ...fields } })).toEqual([
      expect.stringContaining(`UPSTREAMS.local${sentence}`),
    ]);
  });

  test('an API key in place of a model name prevents the start, and no message repeats it', () => {
    for (const secret of ['sk-canary-0123456789', 'a'.repeat(64), 'canary with a space']) {
      const [problem, ...others] = problemsOf({ local: { url, models: { [secret]: { protocol: 7 } } } });
      expect(problem).toMatch(/^UPSTREAMS\.local\.models: expected/);
      expect([problem, ...others].join()).not.toContain(secret);
    }
  });
});

describe('the URL of an upstream (rule: named-upstreams)', () => {
  const path = fc
    .array(fc.constantFrom('v1', 'openai', 'api', 'proxy'), { maxLength: 3 })
    .map((segments) => segments.map((segment) => `/${segment}`).join(''));
  const endpoint = fc.constantFrom(
    ...['/chat/completions', '/completions', '/responses', '/messages', '/messages/count_tokens', '/models'],
    ...['/embeddings', '/api/chat', '/api/generate', '/models/gemini-3-pro:generateContent'],
  );
  const slash = fc.constantFrom('', '/');

  test('an upstream URL that is itself an endpoint prevents the start, in upper or lower case, with or without a final slash', () => {
    fc.assert(
      fc.property(path, endpoint, slash, fc.boolean(), (prefix, end, last, upper) => {
        const whole = `https://models.example${prefix}${upper ? end.toUpperCase() : end}${last}`;
        for (const entry of [whole, { url: whole }])
          expect(problemsOf({ local: entry })).toEqual([expect.stringContaining('not an endpoint itself')]);
      }),
    );
  });

  test('an upstream URL that is the parent of the endpoints is accepted', () => {
    fc.assert(
      fc.property(path, slash, (prefix, last) => {
        expect(problemsOf({ local: `https://models.example${prefix}${last}` })).toEqual([]);
      }),
    );
  });

  test.each([
    ['a user', 'https://canary@models.example/v1', 'without user and password'],
    ['a password', 'https://:canary@models.example/v1', 'without user and password'],
    ['a query', 'https://models.example/v1?key=canary', 'without a query'],
    ['a fragment', 'https://models.example/v1#canary', 'without a query'],
    ['another scheme', 'ws://models.example/canary', 'http or https'],
    ['no scheme', 'models.example/canary', 'http or https'],
  ])('an upstream URL with %s prevents the start with a message that does not repeat the URL', (_, wrong, sentence) => {
    const [problem, ...others] = problemsOf({ local: wrong });
    expect(problem).toContain(sentence);
    expect([problem, ...others].join()).not.toContain('canary');
  });
});

describe('a gateway whose headers carry a credential (rule: safe-start)', () => {
  const open = { HOST: '0.0.0.0', ALLOW_UNAUTHENTICATED: 'on' };
  const credentials = [
    { headers: { 'x-portkey-api-key': 'pk' } },
    { headers: { 'x-tenant': variable('TENANT') } },
    { query: { key: 'abc' } },
    { headers: { cookie: 'a=b' } },
    { headers: { 'x-a': 'sk-0123456789' } },
  ];
  test.each(credentials)('a gateway with %j needs service tokens or a loopback address', (fields) => {
    for (const upstreams of inAny(fields)) {
      expect(problemsOf(upstreams, { ...open, TENANT: 'x' })).toEqual([
        expect.stringMatching(/^UPSTREAMS: .*credential.*AUTH_TOKENS_FILE/),
      ]);
      expect(problemsOf(upstreams, { HOST: '127.0.0.1', TENANT: 'x' })).toEqual([]);
    }
  });

  test('a gateway without a credential needs no service tokens', () => {
    for (const upstreams of inAny({ headers: { 'HTTP-Referer': 'https://shop.example', 'X-Title': 'Shop' } }))
      expect(problemsOf(upstreams, open)).toEqual([]);
  });
});
