import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { z } from 'zod';
import { type FakeProvider, type Script, startFakeProvider } from '../../src/offline/fake-provider.js';
import type { StandardSchema } from '../../src/sdk/base/standard-schema.js';
import { StepwiseClient } from '../../src/sdk/client/stepwise-client.js';
import type { AnswerSchema } from '../../src/sdk/run/answer-schema.js';
import type { RunOptions } from '../../src/sdk/run/run-options.js';
import { readTrajectory, resumeOptions } from '../../src/sdk/saved/read-trajectory.js';
import { readConfig } from '../../src/service/settings/config.js';
import { type Service, startService } from '../../src/service/start.js';
import { patientEnvironment } from '../support/patience.js';
import { key, lookUp } from '../support/run-harness.js';

let provider: FakeProvider;
let service: Service;
let client: StepwiseClient;

beforeAll(async () => {
  provider = await startFakeProvider();
  service = await startService(
    readConfig({
      OPENAI_UPSTREAM_URL: `${provider.url}/v1`,
      ...patientEnvironment,
      PORT: '0',
      LOG_LEVEL: 'silent',
      SHUTDOWN_GRACE_MS: '1000',
    }),
  );
  client = new StepwiseClient({ baseUrl: service.url, llmKey: key });
});
afterAll(async () => {
  await service.close();
  await provider.close();
});

const Place = z.object({ path: z.string(), line: z.number().int().min(1).optional() });

const say = (value: unknown) => ({ text: `Final Answer: ${JSON.stringify(value)}` });

function start<Answer>(
  script: Script,
  answerSchema: AnswerSchema<Answer>,
  options: Partial<RunOptions> = {},
) {
  provider.script(script);
  return client.run<Answer>('Where is the price computed?', {
    llmConfig: { modelName: 'gpt-4o', tokenLimit: 16_000, reservedOutputTokens: 2_000 },
    tools: [lookUp],
    retries: 0,
    ...options,
    answerSchema,
  });
}

test('a run with a Zod schema ends with a value of the type of that schema (rule: typed-results)', async () => {
  const act = { text: 'Action: look_up(key="price")' };
  const result = await start([act, say({ path: 'a.ts', line: 3 })], Place).result();
  const value: z.output<typeof Place> | null = result.value;
  expect(value).toEqual({ path: 'a.ts', line: 3 });
  expect(result).toMatchObject({
    stopReason: 'answered',
    answer: '{"path":"a.ts","line":3}',
    error: null,
  });
});

test.each([
  ['react', 'native'],
  ['react', 'json'],
  ['reason-act-observe', 'text'],
] as const)('a typed run works with the strategy %s in protocol %s', async (strategy, protocol) => {
  const object = { path: 'a.ts' };
  const replies = {
    text: [
      { text: '{"plan": "p", "tools_to_consider": [], "finish": true}' },
      { text: JSON.stringify({ observation: 'o', should_continue: false, final_answer: object }) },
    ],
    json: [{ text: JSON.stringify({ thought: 't', action: { final_answer: { ...object, line: null } } }) }],
    native: [{ text: JSON.stringify({ ...object, line: null }) }],
  };
  const result = await start(replies[protocol], Place, { strategy, protocol }).result();
  expect(result).toMatchObject({ stopReason: 'answered', value: object });
});

test('a typed run corrects two answers that do not fit the schema and returns the third, which fits (rule: typed-results)', async () => {
  const run = start([say({ path: 1 }), say('a.ts'), say({ path: 'a.ts' })], Place);
  const result = await run.result();
  expect(result).toMatchObject({ stopReason: 'answered', value: { path: 'a.ts' } });
  const notices = result.history.filter(({ kind }) => kind === 'notice');
  expect(notices.map(({ content }) => content)).toEqual([
    expect.stringContaining('does not fit answer_schema'),
    expect.stringContaining('does not fit answer_schema'),
  ]);
});

test('a third answer that does not fit the schema ends the run with the error answer_mismatch (rule: typed-results)', async () => {
  for (const stream of [true, false]) {
    const run = start([say(1), say(2), say(3), say({ path: 'late' })], Place, { stream });
    expect(await run.result()).toMatchObject({
      stopReason: 'error',
      value: null,
      answer: null,
      error: { code: 'answer_mismatch', retryable: false, partial_text: '3' },
    });
  }
});

test('an answer of the last step that does not fit the schema ends the run with the error answer_mismatch', async () => {
  const result = await start([say(1)], Place, { maxSteps: 1 }).result();
  expect(result).toMatchObject({ stopReason: 'error', value: null, error: { code: 'answer_mismatch' } });
  expect(result.steps).toHaveLength(1);
});

test('a typed run corrects the model by a check that JSON Schema cannot express, and returns the transformed value', async () => {
  const Even = z
    .object({ count: z.number().refine((count) => count % 2 === 0, 'must be even') })
    .transform(({ count }) => count / 2);
  const result = await start([say({ count: 3 }), say({ count: 4 })], Even).result();
  const half: number | null = result.value;
  expect(half).toBe(2);
  const notice = result.history.find(({ kind }) => kind === 'notice');
  expect(notice?.content).toContain('`count`: must be even');
});

test('null is the answer of a typed run whose schema allows it', async () => {
  const result = await start([say(null)], z.string().nullable()).result();
  expect(result).toMatchObject({ stopReason: 'answered', value: null, answer: 'null' });
});

test('a schema of a library that cannot write JSON Schema needs a JSON Schema beside it', async () => {
  const schema: StandardSchema<string> = {
    '~standard': {
      version: 1,
      vendor: 'plain',
      validate: async (value) =>
        typeof value === 'string' ? { value } : { issues: [{ message: 'no text', path: [{ key: 'a' }] }] },
    },
  };
  expect(() => start([], schema)).toThrow('a schema of plain does not write JSON Schema');
  const result = await start([say('x')], { schema, jsonSchema: { type: 'string' } }).result();
  const value: string | null = result.value;
  expect(value).toBe('x');
});

test('the service checks answers against a plain JSON Schema, and the saved run keeps the schema (rule: saved-runs)', async () => {
  const jsonSchema = { type: 'array', items: { type: 'integer' } };
  const run = start([say(['a']), say([1, 2])], jsonSchema);
  expect(await run.result()).toMatchObject({ value: [1, 2] });
  const options = resumeOptions(readTrajectory(JSON.stringify(run.save())));
  expect(options.answerSchema).toEqual(jsonSchema);
});

test('a run with a schema ends with step_limit if its last step was an action', async () => {
  const act = { text: 'Action: look_up(key="price")' };
  const result = await start([act], Place, { maxSteps: 1 }).result();
  expect(result).toMatchObject({ stopReason: 'step_limit', value: null });
});
