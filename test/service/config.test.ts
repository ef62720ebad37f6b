import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { ConfigError, printConfig, readConfig } from '../../src/service/config.js';

const folder = mkdtempSync(join(tmpdir(), 'stepwise-config-'));
const project = '6f9619ff-8b86-4d01-b42d-00cf4fc964ff';

function problemsOf(environment: Record<string, string>): readonly string[] {
  try {
    readConfig(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

describe('the environment (rule: settings)', () => {
  test('nothing set is a service on loopback with the stated defaults', () => {
    expect(readConfig({})).toEqual({
      HOST: '127.0.0.1',
      PORT: 8080,
      LOG_LEVEL: 'info',
      OPENAI_UPSTREAM_URL: 'https://api.openai.com/v1',
      ANTHROPIC_UPSTREAM_URL: 'https://api.anthropic.com',
      UPSTREAMS: {},
      OFFLINE_MODEL: 'on',
      PROJECTS: {},
      CORS_ORIGINS: [],
      MAX_BODY_BYTES: 4_194_304,
      MAX_IN_FLIGHT: 2_048,
      STEP_DEADLINE_MS: 120_000,
      SHUTDOWN_GRACE_MS: 125_000,
    });
  });

  test('an empty variable is not set', () => {
    expect(readConfig({ PORT: '', UPSTREAMS: '', PROJECTS_DIR: '' }).PORT).toBe(8080);
  });

  test('an upstream is a URL or an object; over https it requires a key unless told otherwise', () => {
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

  test('origins are a list', () => {
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
    ['PROJECTS', { PROJECTS: '[]' }],
    ['PROJECTS', { PROJECTS: '{"no uuid": "."}' }],
    ['PROJECTS_DIR', { PROJECTS_DIR: join(folder, 'missing') }],
    ['CORS_ORIGINS', { CORS_ORIGINS: '*' }],
    ['MAX_BODY_BYTES', { MAX_BODY_BYTES: '4mb' }],
    ['OFFLINE_MODEL', { OFFLINE_MODEL: 'yes' }],
  ])('a wrong %s is named: %j', (name, environment) => {
    expect(problemsOf(environment)).toEqual([expect.stringMatching(new RegExp(`^${name}\\b`))]);
  });

  test('every wrong variable is named at once, and no value is repeated', () => {
    const problems = problemsOf({ PORT: 'sk-canary', LOG_LEVEL: 'sk-canary', UPSTREAMS: 'sk-canary' });
    expect(problems).toHaveLength(3);
    expect(problems.join()).not.toContain('canary');
  });
});

describe('project files are not served to the network (rule: settings)', () => {
  const sources: Record<string, string>[] = [
    { PROJECTS_DIR: folder },
    { PROJECTS: JSON.stringify({ [project]: folder }) },
    { CONTEXT_SERVICE_URL: 'https://context.example' },
  ];

  test.each(sources)('%j is refused on 0.0.0.0', (source) => {
    for (const HOST of ['0.0.0.0', '::', '192.168.1.2', 'service.example', '127.0.0.1.example']) {
      expect(problemsOf({ ...source, HOST })).toEqual([expect.stringMatching(/^HOST: /)]);
    }
  });

  test.each(sources)('%j is fine on loopback', (source) => {
    for (const HOST of ['127.0.0.1', '127.1.2.3', '::1', 'localhost']) {
      expect(problemsOf({ ...source, HOST })).toEqual([]);
    }
  });
});

describe('--print-config (rule: settings)', () => {
  test('masks what a URL may hide', () => {
    const text = printConfig(
      readConfig({
        CONTEXT_SERVICE_URL: 'https://user:canary@context.example/a?token=canary',
        UPSTREAMS: '{"own": "https://canary@own.example/v1"}',
      }),
    );
    expect(text).not.toContain('canary');
    expect(text).toContain('https://***@context.example/a?***');
    expect(text).toContain('https://***@own.example/v1');
  });
});
