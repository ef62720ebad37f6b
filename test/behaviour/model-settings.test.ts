import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startWholeService, stepRequest, type WholeService } from '../support/whole-service.js';

let service: WholeService;
beforeAll(async () => {
  const local = {
    url: 'FAKE_URL/v1',
    contextWindow: 8_192,
    protocol: 'native',
    models: { 'qwen3:8b': { contextWindow: 40_960, protocol: 'json' } },
  };
  service = await startWholeService({ text: 'Final Answer: here' }, { UPSTREAMS: JSON.stringify({ local }) });
});
afterAll(() => service.close());

const tools = [{ name: 'read_file', inputSchema: { type: 'object', properties: {} } }];

async function stepWith(modelName: string, tokenLimit: number) {
  const llm_config = { ...stepRequest().llm_config, provider: 'local', modelName, tokenLimit };
  const { body } = await service.step({ llm_config, tools });
  return body;
}

describe('settings of models (rule: model-settings)', () => {
  test.each([
    ['qwen3:8b', 40_960, []],
    ['qwen3:8b', 40_961, ['token_limit_above_window']],
    ['other', 8_192, []],
    ['other', 8_193, ['token_limit_above_window']],
  ])('a step with the model %s and a tokenLimit of %s has the warnings %j', async (model, limit, codes) => {
    const { warnings } = await stepWith(model, limit);
    expect(warnings.map(({ code }) => code)).toEqual(codes);
  });

  test.each([
    'qwen3:8b',
    'other',
  ])('a step that names no protocol teaches the text protocol to the model %s, whatever protocol the settings name', async (model) => {
    await stepWith(model, 8_000);
    const { body, rawBody } = service.fake.requests.at(-1) ?? { body: {}, rawBody: '' };
    expect(body).not.toHaveProperty('tools');
    expect(body).not.toHaveProperty('response_format');
    expect(rawBody).toContain('Action: read_file(');
  });
});
