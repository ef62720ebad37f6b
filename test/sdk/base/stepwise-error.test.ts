import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { StepRequestInput } from '../../../src/contract/step-request.js';
import { StepwiseError } from '../../../src/sdk/base/stepwise-error.js';
import { StepwiseClient } from '../../../src/sdk/client/stepwise-client.js';
import { explainEnd } from '../../../src/sdk/run/run-result.js';
import { listen } from '../../support/listen.js';
import {
  key,
  startWholeService,
  stepRequest,
  vendors,
  type WholeService,
} from '../../support/whole-service.js';

let service: WholeService;
let client: StepwiseClient;
beforeAll(async () => {
  service = await startWholeService();
  client = new StepwiseClient({ baseUrl: service.url, llmKey: key });
});
afterAll(() => service.close());

const thrownBy = async (call: Promise<unknown>): Promise<StepwiseError> => {
  const error = await call.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(StepwiseError);
  return error as StepwiseError; // checked above
};

describe('the message of a StepwiseError', () => {
  test('a refused request names the first three wrong fields and counts the others', async () => {
    const { message, details } = await thrownBy(client.step({} as StepRequestInput));
    expect(message).toBe(
      'The service rejected this request. ' +
        `${details
          .slice(0, 3)
          .map(({ path, message: problem }) => `${path}: ${problem}`)
          .join('; ')}; ${details.length - 3} more in details.`,
    );
    expect(message).toContain('session_id: this field is required');
  });

  test('a request with one wrong field names only this field', async () => {
    const { message } = await thrownBy(client.step(stepRequest({ max_iterations_left: -1 })));
    expect(message).toMatch(/^The service rejected this request\. max_iterations_left: [^;]*\.$/);
  });

  test('if the model key is missing, the error advises to pass llmKey, for example from an environment variable', async () => {
    const keyless = new StepwiseClient({ baseUrl: service.url });
    const { message } = await thrownBy(keyless.step(stepRequest({ user_api_keys: null })));
    expect(message).toBe(
      'This model needs a key. Pass the key as llmKey to StepwiseClient, for example from the variable STEPWISE_LLM_KEY; without a key, use the model "offline".',
    );
  });

  test('the advice about the model names fields of the request, since a call has no options of a run', async () => {
    const request = stepRequest({ llm_config: { ...stepRequest().llm_config, provider: 'elsewhere' } });
    const { message } = await thrownBy(client.step(request));
    expect(message).toContain('Check llm_config.modelName, or name its provider in llm_config.provider');
    expect(message).not.toContain('llmConfig');
  });

  test('if baseUrl contains the path of an endpoint, the error advises to check baseUrl', async () => {
    const wrong = new StepwiseClient({ baseUrl: `${service.url}/api/agent` });
    const { message } = await thrownBy(wrong.models());
    expect(message).toMatch(
      / Check baseUrl of StepwiseClient: it is the address of the service, without the path of an endpoint\.$/,
    );
  });

  test('the error in the form of the wire has the sentence of the service alone, and gives the same message again', async () => {
    const error = await thrownBy(client.step(stepRequest({ max_iterations_left: -1 })));
    const wire = error.toStepError();
    expect(wire.message).not.toContain('max_iterations_left');
    expect(StepwiseError.fromStepError(wire).message).toBe(error.message);
  });

  test('an error of an older service, which has no details, keeps its code and message', async () => {
    const error = { code: 'not_found', message: 'There is no such path.', retryable: false };
    const older = createServer((_request, response) =>
      response.writeHead(404).end(JSON.stringify({ status: 'error', iterations_remaining: 0, error })),
    );
    try {
      const baseUrl = await listen(older);
      const { code, message, details } = await thrownBy(new StepwiseClient({ baseUrl }).models());
      expect([code, details]).toEqual(['not_found', []]);
      expect(message).toMatch(/^There is no such path\. Check baseUrl of StepwiseClient/);
      const result = await new StepwiseClient({ baseUrl })
        .run('Hi.', { llmConfig: { modelName: 'm' } })
        .result();
      expect(explainEnd(result)).toMatch(/^There is no such path\. \(not_found\)\nCheck baseUrl/);
    } finally {
      older.close();
    }
  });

  test('a long detail is one line of at most 301 characters', () => {
    const message = `a\nb${'x'.repeat(400)}`;
    const error = new StepwiseError({
      code: 'upstream_error',
      message: 'It failed.',
      retryable: false,
      details: [{ source: 'provider', message }],
    });
    expect(error.message).toMatch(/^It failed\. The provider said: a bx+…$/);
    expect(error.message.length).toBeLessThan(320);
  });

  test.each([
    ['step', (each: StepwiseClient) => each.step(undefined as never)],
    ['preview', (each: StepwiseClient) => each.preview(undefined as never)],
    ['compact', (each: StepwiseClient) => each.compact(undefined as never)],
    ['stream', (each: StepwiseClient) => each.stream(undefined as never).next()],
  ])('%s without a request rejects with a TypeError that names it', async (_, call) => {
    await expect(call(client)).rejects.toThrow(new TypeError('request: this field is required: an object.'));
  });
});

test('a refused run is explained with the names of the options, not with those of the request (rule: run-failures)', async () => {
  const llmConfig = { modelName: vendors.openai };
  const result = await client.run('', { llmConfig, clientTools: [] }).result();
  expect(explainEnd(result)).toMatch(
    /^The service rejected this request\. task: .*\bhistory\b.* \(invalid_request\)$/,
  );
  expect(explainEnd(result)).not.toMatch(/user_query|conversation_history/);
});
