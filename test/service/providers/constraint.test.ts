import { describe, expect, test } from '@jest/globals';
import { structuredOf } from '../../../src/service/providers/models/known-servers.js';
import { LearnedParameters } from '../../../src/service/providers/models/model-parameters.js';
import { traitsOf } from '../../../src/service/providers/models/models.js';
import { classifyFailure } from '../../../src/service/providers/upstream/classify-failure.js';

const constraint = {
  form: 'json_schema',
  schema: {},
  parameter: 'response_format',
  forSchema: 'response_format#1',
} as const;

const refusalOf = (status: number, message: string, parameter?: string) =>
  classifyFailure(
    { status, message, parameter, codes: [], headers: new Headers(), words: undefined },
    { provider: 'any', strippable: ['temperature'], constraint, key: undefined, codes: new Map() },
  ).refusedParameter;

describe('what a refusal says of a constraint (rule: constraint-refusal)', () => {
  test.each([
    [
      400,
      "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.",
      'response_format',
    ],
    [422, 'response_format: Extra inputs are not permitted', 'response_format'],
    [
      400,
      "Invalid schema for response_format 'reply': In context=('properties',), 'default' is not permitted.",
      'response_format#1',
    ],
    [
      400,
      "Invalid schema: Objects provided via 'anyOf' must not share identical first keys.",
      'response_format#1',
    ],
    [400, 'The compiled grammar is too large, which would cause performance issues.', 'response_format#1'],
    [
      500,
      "1 validation error: {'type': 'literal_error', 'loc': ('body', 'response_format', 'type'), 'msg': \"Input should be 'text' or 'json_object'\"}",
      'response_format#1',
    ],
    [500, 'failed to parse grammar', 'response_format#1'],
    [400, 'Bad Request', 'response_format#1'],
    [400, "Unsupported value: 'temperature' does not support 0.5 with this model.", 'temperature'],
    [500, 'The server had an error.', undefined],
    [401, 'response_format is not supported', undefined],
  ])('%i %s', (status, message, expected) => {
    expect(refusalOf(status, message)).toBe(expected);
  });
});

test('refused schemas are remembered up to a bound, the newest (rule: learned-parameters)', () => {
  const learned = new LearnedParameters();
  for (let index = 0; index < 250; index += 1) learned.remember('any', 'model', `response_format#${index}`);
  const refused = learned.refusedBy('any', 'model');
  expect(refused.size).toBe(100);
  expect(refused.has('response_format#249')).toBe(true);
});

const formOf = (name: string, url: string, setting?: Parameters<typeof structuredOf>[2]) => {
  const structured = structuredOf(name, url, setting);
  return typeof structured === 'object' ? structured.form : structured;
};

test.each([
  ['ollama', 'http://10.0.0.2/v1', 'json_schema'],
  ['mine', 'http://127.0.0.1:11434/v1', 'json_schema'],
  ['vllm', 'http://gpu:8000/v1', 'json_schema'],
  ['llama.cpp', 'http://127.0.0.1:8080/v1', 'llama'],
  ['gateway', 'https://openrouter.ai/api/v1', 'json_schema'],
  ['work', 'https://x.openai.azure.com/openai/v1', 'json_schema'],
  ['proxy', 'http://litellm:4000', 'json_schema'],
  ['mine', 'http://127.0.0.1:9000/v1', 'none'],
])('a server is known by its name or address: %s %s (rule: named-upstreams)', (name, url, expected) => {
  expect(formOf(name, url)).toBe(expected);
});

test('what the operator says counts more than what is known', () => {
  expect(formOf('ollama', 'http://127.0.0.1:11434/v1', 'none')).toBe('none');
  expect(formOf('mine', 'http://127.0.0.1:9000/v1', 'llama')).toBe('llama');
  expect(structuredOf('ollama', 'http://127.0.0.1:11434/v1', 'json_schema')).toMatchObject({
    isCharged: false,
  });
});

test('only models that are known to take a schema are sent one (rule: model-table)', () => {
  const forms = ['gpt-4o', 'gpt-4o-2024-05-13', 'gpt-4', 'gpt-3.5-turbo', 'o3', 'gpt-6-sol'].map((model) => {
    const { structured } = traitsOf('openai', model);
    return typeof structured === 'object' ? structured.form : structured;
  });
  expect(forms).toEqual(['json_schema', 'json_object', 'none', 'json_object', 'json_schema', 'json_schema']);
  expect(traitsOf('openai', 'ft:gpt-4o:x').structured).toMatchObject({ form: 'json_schema', bounds: [] });
  const claude = ['claude-sonnet-5', 'claude-sonnet-4-5', 'claude-sonnet-4-20250514', 'claude-3-opus'];
  expect(claude.map((model) => typeof traitsOf('anthropic', model).structured)).toEqual([
    'object',
    'object',
    'string',
    'string',
  ]);
});
