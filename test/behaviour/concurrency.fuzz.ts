import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Step } from '../../src/contract/step.js';
import { type FakeProvider, startFakeProvider } from '../../src/offline/fake-provider.js';
import { pooled } from '../support/pooled.js';
import { readEvents } from '../support/read-events.js';
import { type ServiceProcess, startServiceProcess, upstreamsAt } from '../support/service-process.js';
import { until } from '../support/until.js';
import { llmConfig, stepRequest } from '../support/whole-service.js';

const callers = Array.from({ length: 5_000 }, (_, number) => number);
const atOnce = 200;

let fake: FakeProvider;
let service: ServiceProcess;
beforeAll(async () => {
  fake = await startFakeProvider(({ headers, rawBody }) => ({
    text: `Thought: ${promptIn(rawBody)}\nFinal Answer: ${headers['authorization']} asked ${promptIn(rawBody)}`,
  }));
  service = await startServiceProcess({ ...upstreamsAt(fake.url), LOG_LEVEL: 'silent' });
});
afterAll(async () => {
  await service.stop();
  await fake.close();
});

const promptIn = (text: string): string | undefined => /prompt-\d+-of-its-own/.exec(text)?.[0];
const keyOf = (caller: number): string => `sk-key-${caller}-of-its-own`;
const promptOf = (caller: number): string => `prompt-${caller}-of-its-own`;

test('each of 5,000 concurrent callers gets the answer to its own prompt, which was sent with its own key (rule: key-redaction)', async () => {
  const started = performance.now();
  const steps = await pooled(callers, atOnce, askUntilTaken);
  const upstream = fake.requests.map(({ headers, rawBody }) => [headers['authorization'], promptIn(rawBody)]);
  expect(sorted(upstream)).toEqual(
    sorted(callers.map((caller) => [`Bearer ${keyOf(caller)}`, promptOf(caller)])),
  );
  const wrong = steps.filter(
    ({ direct_response, thought }, caller) =>
      thought !== promptOf(caller) || direct_response !== `Bearer ${keyOf(caller)} asked ${promptOf(caller)}`,
  );
  expect(wrong).toEqual([]);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  process.stdout.write(`${steps.length} requests, ${atOnce} at once, in ${seconds} s: all matched\n`);
}, 300_000);

const sorted = (pairs: (string | undefined)[][]): string[] => pairs.map((pair) => pair.join(' ')).sort();

/**
 * Repeats the request while the service refuses it because the machine is busy. A refused request reaches no provider.
 */
const askUntilTaken = (caller: number): Promise<Step> =>
  until(
    () => ask(caller),
    (step) => step.error?.code !== 'overloaded',
    60_000,
  );

/** Alternates vendors, plain and streamed steps, and the key in the body or in the header. */
async function ask(caller: number): Promise<Step> {
  const streamed = caller % 4 < 2;
  const inHeader = caller % 8 < 4;
  const request = stepRequest({
    user_query: promptOf(caller),
    llm_config: llmConfig(caller % 2 === 0 ? 'openai' : 'anthropic'),
    user_api_keys: inHeader ? null : { llmKey: keyOf(caller) },
  });
  const response = await fetch(`${service.url}/api/agent/react_step${streamed ? '/stream' : ''}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...(inHeader && { 'X-LLM-API-Key': keyOf(caller) }) },
    body: JSON.stringify(request),
  });
  const text = await response.text();
  if (!streamed || response.status !== 200) return JSON.parse(text);
  const end = readEvents(text).at(-1)?.data;
  return end.step ?? end.error;
}
