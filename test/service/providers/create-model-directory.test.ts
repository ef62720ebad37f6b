import { describe, expect, test } from '@jest/globals';
import { createModelDirectory } from '../../../src/service/providers/create-model-directory.js';
import { estimateMargins } from '../../../src/service/providers/models/model-traits.js';
import { ask, connect, directoryAt, fakeProvider, llmConfig } from '../../support/providers/requests.js';

const directory = () => directoryAt('http://127.0.0.1:9');
const providerOf = (model: string, provider?: string) =>
  directory().resolve(llmConfig(model, provider))?.providerName;

describe('resolving a provider (rule: named-upstreams)', () => {
  test.each([
    ['gpt-4o', 'openai'],
    ['gpt-9-not-yet-known', 'openai'],
    ['o3', 'openai'],
    ['o4-mini', 'openai'],
    ['chatgpt-4o-latest', 'openai'],
    ['ft:gpt-4o-mini:acme::x1', 'openai'],
    ['claude-opus-5', 'anthropic'],
    ['claude-whatever-9', 'anthropic'],
    ['offline', 'offline'],
  ])('the model name %s resolves to the provider %s', (model, provider) => {
    expect(providerOf(model)).toBe(provider);
  });

  test.each([
    'qwen3',
    'o',
    'opus',
    'my-gpt-4o',
    'llama-claude-3',
    '',
    '__proto__',
    'constructor',
  ])('the model name %j resolves to no provider', (model) => {
    expect(providerOf(model)).toBeUndefined();
  });

  test('an explicit provider takes precedence over the model name and accepts any model', () => {
    expect(providerOf('gpt-4o', 'local')).toBe('local');
    expect(providerOf('qwen3:8b', 'local')).toBe('local');
    expect(providerOf('experimental', 'anthropic')).toBe('anthropic');
  });

  test.each([
    'nowhere',
    '__proto__',
    'constructor',
    'toString',
  ])('an upstream named %s is unknown', (provider) => {
    expect(providerOf('gpt-4o', provider)).toBeUndefined();
  });

  test('a disabled offline model is neither resolved nor listed', () => {
    const config = { openaiUrl: 'http://127.0.0.1:9/v1', anthropicUrl: 'http://127.0.0.1:9', upstreams: {} };
    const off = createModelDirectory(config);
    expect(off.resolve(llmConfig('offline'))).toBeUndefined();
    expect(JSON.stringify(off.list())).not.toContain('offline');
  });

  test('a configured upstream may not have a built-in name', () => {
    const upstreams = { openai: { url: 'http://127.0.0.1:9/v1', keyRequired: true } };
    expect(() => directoryAt('http://127.0.0.1:9', { upstreams })).toThrow('built-in name');
  });
});

describe('profiles of models (rule: model-table)', () => {
  const profileOf = (model: string, provider?: string) =>
    directory().resolve(llmConfig(model, provider))?.profile;

  test('context windows, encodings and margins come from the model table', () => {
    expect(profileOf('gpt-4.1')).toMatchObject({
      contextWindow: 1_047_576,
      encoding: 'o200k_base',
      countMargin: 1,
    });
    expect(profileOf('gpt-4-turbo')).toMatchObject({ encoding: 'cl100k_base', countMargin: 1 });
    expect(profileOf('claude-haiku-4-5')).toMatchObject({
      contextWindow: 200_000,
      countMargin: estimateMargins.claude,
    });
    expect(profileOf('claude-haiku-4-5-20251001')).toEqual(profileOf('claude-haiku-4-5'));
    expect(profileOf('claude-opus-5')).toMatchObject({
      contextWindow: 1_000_000,
      countMargin: estimateMargins.claudeSince47,
    });
    expect(profileOf('unheard-of', 'openai')).toMatchObject({ contextWindow: null });
  });

  test('the profile of an unknown model asks for a worked example in the prompt, that of a known model does not (rule: worked-example)', () => {
    expect(profileOf('any', 'local')).toMatchObject({ needsExample: true });
    for (const model of ['gpt-4o', 'claude-opus-5', 'offline']) {
      expect(profileOf(model)).toMatchObject({ needsExample: false });
    }
  });

  test('the profile of an upstream’s models comes from its configuration', () => {
    const url = 'http://127.0.0.1:9/v1';
    const configured = directoryAt(url, {
      upstreams: {
        told: {
          url,
          keyRequired: true,
          contextWindow: 32_768,
          encoding: 'cl100k_base',
          maxTokensParam: 'max_completion_tokens',
        },
      },
    }).resolve(llmConfig('any', 'told'));
    expect(configured).toMatchObject({
      keyRequired: true,
      profile: { contextWindow: 32_768, encoding: 'cl100k_base', countMargin: 1 },
    });
    expect(profileOf('any', 'local')).toMatchObject({
      contextWindow: null,
      countMargin: estimateMargins.unknown,
      nativeTools: 'poor',
    });
  });

  test('the model list contains every upstream, and the models with their way of counting tokens', () => {
    const { models, upstreams } = directory().list();
    expect(models).toContainEqual({
      name: 'gpt-4o',
      provider: 'openai',
      context_window: 128_000,
      encoding: 'o200k_base',
      counting: 'exact',
      protocols: ['text', 'xml', 'json', 'native'],
    });
    expect(models).toContainEqual(expect.objectContaining({ name: 'claude-opus-5', counting: 'estimated' }));
    expect(models).toContainEqual(
      expect.objectContaining({ name: 'offline', protocols: ['text', 'xml', 'json'] }),
    );
    expect(upstreams).toEqual([
      { name: 'openai', key_required: true },
      { name: 'anthropic', key_required: true },
      { name: 'offline', key_required: false },
      { name: 'local', key_required: false },
    ]);
    for (const { name, provider } of models) expect(providerOf(name)).toBe(provider);
  });
});

describe('settings of models (rule: model-settings)', () => {
  const url = 'http://127.0.0.1:9/v1';
  const configured = directoryAt(url, {
    upstreams: {
      plain: { url, keyRequired: false },
      local: {
        url,
        keyRequired: false,
        contextWindow: 8_192,
        protocol: 'json',
        models: { 'qwen3:8b': { contextWindow: 40_960 }, strong: { protocol: 'native' }, both: {} },
      },
    },
  });

  test.each([
    ['local', 'any', 8_192, 'json'],
    ['local', 'qwen3:8b', 40_960, 'json'],
    ['local', 'qwen3', 8_192, 'json'],
    ['local', 'strong', 8_192, 'native'],
    ['local', 'constructor', 8_192, 'json'],
    ['local', 'both', 8_192, 'json'],
    ['plain', 'qwen3:8b', null, 'auto'],
    ['plain', 'gpt-4o', null, 'auto'],
    ['openai', 'gpt-4o', 128_000, 'auto'],
    [undefined, 'claude-opus-5', 1_000_000, 'auto'],
    [undefined, 'offline', 128_000, 'auto'],
  ])('at %s, the model %s has the window %s and the protocol %s', (upstream, model, contextWindow, protocol) => {
    expect(configured.settingsOf(upstream, model)).toEqual({ contextWindow, protocol });
    expect(configured.resolve(llmConfig(model, upstream))?.profile).toMatchObject({ contextWindow });
  });

  test('the model list has the models that an upstream names, with their own windows', () => {
    const { models, upstreams } = configured.list();
    const own = models.filter(({ provider }) => upstreams.slice(3).some(({ name }) => name === provider));
    const common = { encoding: 'o200k_base', counting: 'estimated', provider: 'local' };
    const protocols = ['text', 'xml', 'json', 'native'];
    expect(own).toEqual([
      { ...common, name: 'qwen3:8b', context_window: 40_960, protocols },
      { ...common, name: 'strong', context_window: 8_192, protocols },
      { ...common, name: 'both', context_window: 8_192, protocols },
    ]);
  });

  test('resolving a model that no upstream has returns undefined', () => {
    expect(configured.settingsOf('nowhere', 'gpt-4o')).toBeUndefined();
    expect(configured.settingsOf(undefined, 'qwen3:8b')).toBeUndefined();
  });
});

describe('model keys of providers (rule: named-upstreams)', () => {
  test.each([
    ['qwen3', 'local'],
    ['offline', 'offline'],
  ])('a model of %s gets no key, even if the caller sent one', async (model, name) => {
    const fake = await fakeProvider();
    const provider = connect(directoryAt(fake.url), model, name);
    expect(provider.name).toBe(name);
    await ask(provider, { model, streamed: false });
    expect(fake.requests[0]?.headers).not.toHaveProperty('authorization');
    expect(JSON.stringify(fake.requests[0])).not.toContain('canary');
  });
});

test('a failed start of the offline model is thrown, and the next call starts it again', async () => {
  const fake = await fakeProvider({ text: 'Final Answer: 42' });
  const troubles = [new Error('no file can be opened')];
  const models = directoryAt(fake.url, {
    startOffline: async () => {
      const trouble = troubles.pop();
      if (trouble) throw trouble;
      return `${fake.url}/v1`;
    },
  });
  const way = { model: 'offline', streamed: false };
  await expect(ask(connect(models, 'offline'), way)).rejects.toThrow('no file can be opened');
  expect((await ask(connect(models, 'offline'), way)).text).toBe('Final Answer: 42');
});
