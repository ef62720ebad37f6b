import { describe, expect, test } from '@jest/globals';
import { anthropicVendor } from '../../../../src/service/providers/anthropic/provider.js';
import { holdsError } from '../../../../src/service/providers/error-body.js';
import { traitsOf } from '../../../../src/service/providers/models/models.js';
import { openaiVendor } from '../../../../src/service/providers/openai/provider.js';
import {
  classifyFailure,
  classifyInside,
  readRetryAfterMs,
} from '../../../../src/service/providers/upstream/classify-failure.js';

const chat = openaiVendor(traitsOf('openai', 'gpt-4o'));
const request = { provider: 'local', strippable: [], secrets: [], codes: chat.errorCodes };

/** Returns the kind of failure that the service reports for an error response with this body. */
function failureOf(status: number, body: unknown) {
  const error = chat.readError(JSON.stringify(body));
  return classifyFailure({ status, headers: {}, error }, request).failure;
}

const failureInside = (body: unknown) =>
  classifyInside(chat.readError(JSON.stringify(body)), request).failure.failure;

describe('a context overflow is recognised in the message of each vendor (rule: error-table)', () => {
  test.each([
    ['OpenAI', "This model's maximum context length is 8192 tokens."],
    ['Anthropic', 'prompt is too long: 233153 tokens > 200000 maximum'],
    [
      'Anthropic, with the reserve',
      'input length and `max_tokens` exceed context limit: 178959 + 64000 > 200000',
    ],
    ['Bedrock', 'Input is too long for requested model.'],
    ['Gemini', 'The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).'],
    ['Groq', 'Please reduce the length of the messages or completion.'],
    ['xAI', "This model's maximum prompt length is 131072 but the request contains 537812 tokens."],
    ['Mistral', 'Prompt contains 40000 tokens, too large for model with 32768 maximum context length'],
    ['llama.cpp', 'the request exceeds the available context size, try increasing it'],
    ['LM Studio', 'The number of tokens to keep from the initial prompt is greater than the context length.'],
    ['vLLM', 'The decoder prompt (length 5000) is longer than the maximum model length of 4096.'],
    [
      'Text Generation Inference',
      '`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens',
    ],
    ['Text Generation Inference, without a reserve', '`inputs` must have less than 1024 tokens. Given: 2000'],
    ['Kimi', 'Invalid request: Your request exceeded model token limit: 8192'],
    ['GitHub', 'prompt token count of 70000 exceeds the limit of 64000'],
    ['DashScope', 'Range of input length should be [1, 30720]'],
    ['watsonx', 'the number of input tokens 5000 cannot exceed the total tokens limit 4096 for this model'],
    ['TabbyAPI', 'Prompt length 5000 is greater than max_seq_len 4096'],
    ['MiniMax', 'invalid params, context window exceeds limit'],
    ['Volcengine', 'Total tokens of image and text exceed max message tokens.'],
  ])('the message of %s means a context overflow', (_, message) => {
    expect(failureOf(400, { error: { message } }).failure).toBe('context_length');
    expect(failureOf(413, { message }).failure).toBe('context_length');
  });

  test.each([
    ['a code of llama.cpp', { error: { code: 400, type: 'exceed_context_size_error', message: 'no' } }],
    [
      'a code of GitHub Models',
      { error: { code: 'tokens_limit_reached', message: 'Max size: 8000 tokens.' } },
    ],
    ['a code of Z.ai', { error: { code: '1261', message: 'Prompt超长' } }],
    [
      'the message of a provider behind OpenRouter',
      {
        error: {
          message: 'Provider returned error',
          code: 400,
          metadata: { raw: '{"error":{"message":"prompt is too long: 9 tokens > 8 maximum"}}' },
        },
      },
    ],
  ])('%s means a context overflow', (_, body) => {
    expect(failureOf(400, body).failure).toBe('context_length');
  });

  test.each([
    'Trying to keep the first 5000 tokens, more than the context length of 4096.',
    'The context overflows: the model is loaded with a context length of 4096 tokens, which is not enough.',
  ])('a context overflow is recognised inside a 200 or a 500 of a local server: %s', (error) => {
    expect(failureInside({ error })).toBe('context_length');
    expect(failureOf(500, { error }).failure).toBe('context_length');
  });

  test('a message about too little memory for the context is not read as an overflow', () => {
    const error = 'Failed to allocate a KV cache for context length 131072';
    expect(failureInside({ error })).toBe('failed');
    expect(failureOf(500, { error }).failure).toBe('failed');
  });
});

describe('an unknown model is recognised behind a 400 (rule: error-table)', () => {
  test.each([
    ['LiteLLM', { error: { message: '/chat/completions: Invalid model name passed in model=x.' } }],
    ['OpenRouter', { error: { message: 'x/y is not a valid model ID', code: 400 } }],
    ['DeepSeek', { error: { message: 'Model Not Exist' } }],
    ['Mistral', { message: 'Invalid model: x', type: 'invalid_model', code: '1500' }],
    ['SiliconFlow', { code: 20012, message: 'Model does not exist. Please check it carefully.' }],
    ['a gateway', { detail: 'model `llama3.1:8b` not found' }],
    [
      'LiteLLM, message as an object',
      {
        error: {
          message: { error: '/chat/completions: Invalid model name passed in model=x. Call `/v1/models`' },
          type: 'None',
          param: 'None',
          code: '400',
        },
      },
    ],
    ['LiteLLM, Responses', { detail: { error: '/responses: Invalid model name passed in model=x' } }],
    [
      'LiteLLM, message as Python',
      { error: { message: "{'error': '/chat/completions: Invalid model name passed in model=x.'}" } },
    ],
    [
      'LiteLLM without a provider',
      { error: { message: 'litellm.BadRequestError: LLM Provider NOT provided. You passed model=x' } },
    ],
    ['OpenAI', { error: { message: 'invalid model ID', type: 'invalid_request_error', code: null } }],
    [
      'LM Studio',
      { error: { message: 'Invalid model identifier "x". Please specify a valid downloaded model' } },
    ],
    ['LM Studio without a model', { error: "No models loaded. Use the 'lms load' command." }],
    ['Bedrock', { message: 'The provided model identifier is invalid.' }],
    ['Gemini', [{ error: { code: 400, message: '* GenerateContentRequest.model: unexpected model name' } }]],
    ['GitHub Models', { error: { code: 'unknown_model', message: 'Unknown model: x' } }],
    ['Copilot', { error: { code: 'model_not_supported', message: 'The requested model is not supported.' } }],
    [
      'Hugging Face',
      {
        error: { message: "The requested model 'a/b-v2' is not supported by any provider you have enabled." },
      },
    ],
    ['MiniMax', { error: { message: "invalid params, unknown model 'x' (2013)" } }],
    ['Z.ai', { error: { code: '1211', message: 'Unknown Model, please check the model code.' } }],
    ['BigModel', { error: { code: '1211', message: '模型不存在，请检查模型代码。' } }],
    ['Together', { error: { message: 'Unable to access model x. See the list of supported models.' } }],
    ['Cloudflare', { errors: [{ code: 5007, message: 'No such model @cf/x or task' }], success: false }],
    ['Perplexity', { error: { message: "Invalid model 'x'. Permitted models are in the documentation." } }],
    ['Groq', { error: { code: 'model_decommissioned', message: 'The model `x` has been decommissioned.' } }],
  ])('the error of %s with status 400 means an unknown model', (_, body) => {
    expect(failureOf(400, body).failure).toBe('model_not_found');
  });

  test.each([
    401, 403,
  ])('an error of LiteLLM with status %i about a model that is forbidden for the key is read as a missing permission, not as a wrong key', (status) => {
    const message = "key not allowed to access model. This key can only access models=['a']";
    const error = { message, type: 'key_model_access_denied', param: 'model', code: String(status) };
    expect(failureOf(status, { error }).failure).toBe('permission');
  });

  test.each([
    "'max_tokens' is not supported with this model.",
    'The model does not support tools.',
    'File not found in the request.',
    'unknown model parameter: seed',
    'temperature is not a valid model parameter',
    'reasoning_effort is not supported by the requested model',
    'Invalid model output: the schema was not met',
  ])('an error that is not about an unknown model is classified as `rejected`: %s', (message) => {
    expect(failureOf(400, { error: { message } }).failure).toBe('rejected');
  });
});

describe('a refused key is recognised behind a 400 and inside a 200 (rule: error-table)', () => {
  test.each([
    ['Gemini', 'API key not valid. Please pass a valid API key.'],
    ['Gemini, expired', 'API key expired. Please renew the API key.'],
    ['Gemini, without a key', 'Missing or invalid Authorization header.'],
    ['xAI', 'Incorrect API key provided: xa***yz.'],
    ['LiteLLM', 'Authentication Error - Expired Key. Key Expiry time 2026-01-01'],
    ['Cloudflare', 'Authentication error'],
    ['DeepSeek', 'Authentication Fails (governor)'],
  ])('the message of %s means a refused key', (_, message) => {
    expect(failureOf(400, { error: { message } }).failure).toBe('authentication');
    expect(failureInside({ error: { message } })).toBe('authentication');
  });

  test('a message about a key of a JSON object is not about the API key', () => {
    expect(failureOf(400, { error: { message: "invalid key 'foo' in messages[0]" } }).failure).toBe(
      'rejected',
    );
  });
});

test('an unknown model is recognised in an error inside a 200 that has no code (rule: error-table)', () => {
  expect(failureInside({ error: 'No models loaded.' })).toBe('model_not_found');
});

describe('a spend limit is recognised, whatever the status of the response (rule: error-table)', () => {
  test.each([
    [429, { error: { type: 'exceeded_current_quota_error', message: 'Your account is suspended' } }],
    [429, { error: { message: 'You exceeded your current token quota: 0' } }],
    [
      400,
      { code: 'Arrearage', message: 'Access denied, please make sure your account is in good standing.' },
    ],
    [400, { error: { message: 'You have reached your specified API usage limits.' } }],
    [400, { error: { message: 'ExceededBudget: User=a over budget. Spend=1, Budget=0.5' } }],
    [403, { code: 30001, message: 'Sorry, your account balance is insufficient' }],
    [429, { error: 'Your team has used all credits or reached its monthly spending limit.' }],
    [429, { error: { code: '1113', message: '您的账户已欠费，请充值后重试' } }],
    [429, { error: { message: '余额不足或无可用资源包，请充值。' } }],
    [403, { error: { code: 403, message: 'Key limit exceeded (daily limit). Manage it on the keys page' } }],
    [429, [{ error: { code: 429, message: 'Your prepayment credits are depleted.' } }]],
    [429, [{ error: { code: 429, message: 'Your project has exceeded its monthly spending cap.' } }]],
    [403, { error: "Your newly created team doesn't have any credits yet." }],
    [403, { error: { code: 'AllocationQuota', message: 'The free tier of the model has been exhausted.' } }],
    [403, { error: { message: 'The request failed because your account has an overdue balance.' } }],
  ])('the status %i with the body %j means a spend limit', (status, body) => {
    expect(failureOf(status, body).failure).toBe('billing');
  });
});

describe('errors inside a 200 are found where vendors put them (rule: compatible-answers)', () => {
  test.each([
    [
      'in a choice (OpenRouter)',
      { choices: [{ error: { code: 429, message: 'slow down' } }] },
      'rate_limited',
    ],
    ['under x_groq', { choices: [{ delta: {} }], x_groq: { error: 'boom' } }, 'failed'],
    [
      'under base_resp (MiniMax)',
      { choices: null, base_resp: { status_code: 1008, status_msg: 'insufficient balance' } },
      'billing',
    ],
    ['under msg', { code: 500, msg: 'boom' }, 'failed'],
    [
      'under error_msg (Qianfan)',
      { error_code: 17, error_msg: 'Open api daily request limit reached' },
      'failed',
    ],
    ['as an interrupted reply', { choices: [{ finish_reason: 'insufficient_system_resource' }] }, 'failed'],
  ])('an error inside a 200 is found %s', (_, body, failure) => {
    expect(holdsError(body)).toBe(true);
    expect(failureInside(body)).toBe(failure);
  });

  test.each([
    ['an error without content', { error: { code: 0, message: '' } }],
    ['an empty error', { error: {} }],
    ['a status of success', { base_resp: { status_code: 0, status_msg: '' } }],
  ])('%s beside a completion is not read as an error', (_, more) => {
    const completion = { choices: [{ message: { content: '80' }, finish_reason: 'stop' }] };
    expect(holdsError({ ...completion, ...more })).toBe(false);
  });

  test('the message of a provider behind OpenRouter reaches the caller', () => {
    const metadata = { raw: '{"error":{"message":"seed must be positive"}}', provider_name: 'X' };
    const body = { error: { message: 'Provider returned error', code: 400, metadata } };
    expect(failureOf(400, body).vendorWords).toBe('Provider returned error: seed must be positive');
  });

  test('an error body with a byte order mark is read for every upstream API', () => {
    const body = '\uFEFF{"error":{"message":"prompt is too long"}}';
    for (const vendor of [chat, anthropicVendor(traitsOf('anthropic', 'x'))])
      expect(vendor.readError(body).message).toBe('prompt is too long');
  });
});

describe('a refused parameter is found however a server names it (rule: second-request)', () => {
  const strippable = ['temperature', 'seed', 'stream_options'];
  const refused = (status: number, body: unknown) => {
    const error = chat.readError(JSON.stringify(body));
    return classifyFailure({ status, headers: {}, error }, { ...request, strippable }).refusedParameter;
  };

  test.each([
    ['OpenAI', { error: { message: 'Unsupported value', param: 'seed', code: 'unsupported_value' } }],
    ['Azure', { error: { message: 'Unrecognized request argument supplied: seed', param: null } }],
    ['LiteLLM', { error: { message: 'Unknown parameter: seed', param: 'None', code: '400' } }],
    ['Groq', { error: { message: "property 'seed' is unsupported" } }],
    ['Kimi', { error: { message: 'invalid seed: only 1 is allowed for this model' } }],
    ['Mistral', { message: { detail: [{ loc: ['body', 'seed'], msg: 'Extra inputs are not permitted' }] } }],
    ['FastAPI', { detail: [{ loc: ['body', 'seed'], msg: 'extra fields not permitted' }] }],
    ['a Go server', { error: 'json: unknown field "seed"' }],
    ['a server that lists fields', { errors: [{ field: 'seed', message: 'is not allowed' }] }],
    [
      'a server that sends a message and fields by name',
      { message: 'Invalid request', errors: { seed: ['is not allowed'] } },
    ],
    [
      'a server that sends fields by name',
      { title: 'Validation failed', errors: { seed: ['The field is not allowed.'] } },
    ],
    ['a JSON Schema validator', { message: "Additional properties are not allowed ('seed' was unexpected)" }],
    ['watsonx', { errors: [{ code: 'invalid', message: "'seed' is not a recognized field" }] }],
    ['Cohere', { message: 'invalid request: seed is not a supported field' }],
    ['a British server', { error: { message: 'unrecognised field seed' } }],
  ])('the refused parameter is found in the error of %s', (_, body) => {
    expect(refused(400, body)).toBe('seed');
    expect(refused(422, body)).toBe('seed');
  });

  test('an error about empty messages is not read as the refusal of a parameter', () => {
    expect(refused(400, { error: { message: 'The messages must not be empty.' } })).toBeUndefined();
    expect(refused(422, { errors: { messages: ['must not be empty'] } })).toBeUndefined();
  });
});

test('a retry wait that LiteLLM sends in a header of its own is read (rule: retry-after)', () => {
  expect(readRetryAfterMs({ 'llm_provider-retry-after': '3' })).toBe(3_000);
});
