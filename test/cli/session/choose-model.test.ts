import { describe, expect, test } from '@jest/globals';
import { explainFailure } from '../../../src/cli/screen/explain-failure.js';
import { findKey } from '../../../src/cli/session/choose-model.js';
import type { ModelList } from '../../../src/contract/model-list.js';
import type { StepError } from '../../../src/contract/step.js';

const models: ModelList = {
  models: [],
  upstreams: [{ name: 'local', key_required: false }],
};
const gpt = { name: 'gpt-4o', upstream: undefined };
const find = (environment: NodeJS.ProcessEnv, choice: { name: string; upstream: string | undefined } = gpt) =>
  findKey(choice, models, { environment });

describe('a text that cannot be a key is refused with an error that names its variable (rule: key-form)', () => {
  test.each([
    ['…', 'OPENAI_API_KEY contains the character U+2026, which no key contains.'],
    ['sk-abc\u200bdefgh', 'OPENAI_API_KEY contains the character U+200B (invisible), which no key contains.'],
    ['sk-abcdefgh\n', 'OPENAI_API_KEY contains a line end, which no key contains.'],
    ['your-api-key', 'OPENAI_API_KEY is a placeholder, not a key.'],
    ['sk-1', 'OPENAI_API_KEY is shorter than 8 characters, so it is not a key.'],
  ])('the text %j in OPENAI_API_KEY is refused with the reason why it cannot be a key', async (key, message) => {
    await expect(find({ OPENAI_API_KEY: key })).rejects.toThrow(message);
  });

  test('the message about an invalid key names STEPWISE_LLM_KEY if that variable has the key', async () => {
    const environment = { STEPWISE_LLM_KEY: 'placeholder', OPENAI_API_KEY: 'sk-a-real-looking-key' };
    await expect(find(environment)).rejects.toThrow('STEPWISE_LLM_KEY is a placeholder, not a key.');
  });

  test('a text that the person enters as the key is refused if it cannot be a key', async () => {
    const ask = async () => 'sk-…';
    const found = findKey(gpt, models, { environment: {}, ask });
    await expect(found).rejects.toThrow('The entered key contains the character U+2026');
  });

  test('a text that cannot be a key is ignored if the model needs no key', async () => {
    await expect(find({ STEPWISE_LLM_KEY: '…' }, { name: 'm', upstream: 'local' })).resolves.toBeUndefined();
  });
});

test('the advice about a refused key names the variable that the key came from', async () => {
  const refused: StepError = {
    code: 'upstream_authentication_failed',
    message: 'The provider refused the key.',
    retryable: false,
    retry_after_ms: null,
    upstream_status: 401,
    provider: 'openai',
    details: [],
    partial_text: null,
  };
  await find({ OPENAI_API_KEY: 'sk-a-real-looking-key' });
  expect(explainFailure(refused)).toMatch(/\nCheck OPENAI_API_KEY\.$/);
  await find({ STEPWISE_LLM_KEY: 'sk-a-real-looking-key' });
  expect(explainFailure(refused)).toMatch(/\nCheck STEPWISE_LLM_KEY\.$/);
});
