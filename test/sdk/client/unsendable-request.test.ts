import { expect, test } from '@jest/globals';
import { StepwiseClient } from '../../../src/sdk/client/stepwise-client.js';
import { stepRequest } from '../../support/whole-service.js';

/** Returns a client whose `fetch` fails the test. */
const neverSends = (headers?: () => Record<string, string>): StepwiseClient =>
  new StepwiseClient({
    baseUrl: 'http://127.0.0.1:1',
    headers,
    fetch: () => Promise.reject(new Error('a request was sent')),
  });

const everyCall = (client: StepwiseClient, options = {}): Promise<unknown>[] => [
  client.step(stepRequest(), options),
  client.models(options),
  client.stream(stepRequest(), options).next(),
];

test('what the headers function throws reaches the caller, and nothing is sent', async () => {
  const thrown = new Error('the vault is sealed');
  const client = neverSends(() => {
    throw thrown;
  });
  for (const call of everyCall(client)) await expect(call).rejects.toBe(thrown);
});

test('a header that cannot be sent is refused without quoting its value, which may be a secret', async () => {
  for (const call of everyCall(neverSends(() => ({ 'x-gateway': 'secret\nvalue' })))) {
    const error = await call.catch((thrown: Error) => thrown);
    expect(error).toBeInstanceOf(TypeError);
    expect(String(error)).toMatch(/TypeError: headers: .*cannot be sent in a header/);
    expect(String(error)).not.toContain('secret');
  }
});

test('an llmKey of a call that no header can carry is refused without quoting it', async () => {
  for (const call of everyCall(neverSends(), { llmKey: 'sk-canary\n' })) {
    const error = await call.catch((thrown: Error) => thrown);
    expect(error).toBeInstanceOf(TypeError);
    expect(String(error)).toMatch(/TypeError: llmKey /);
    expect(String(error)).not.toContain('canary');
  }
});

test('a request that JSON cannot express is refused with the error of JSON.stringify', async () => {
  const request = { ...stepRequest(), user_query: 1n as unknown as string };
  await expect(neverSends().step(request)).rejects.toThrow(/BigInt/);
});
