import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { StepRequestInput } from '../../src/contract/step-request.js';
import { toEvalRun } from '../../src/eval/eval-run.js';
import { StepwiseClient } from '../../src/sdk/client/stepwise-client.js';
import type { RunOptions } from '../../src/sdk/run/run-options.js';
import type { Trajectory } from '../../src/sdk/run/trajectory.js';
import { continueRun, forkRun, joinRuns } from '../../src/sdk/saved/fork-run.js';
import { readTrajectory } from '../../src/sdk/saved/read-trajectory.js';
import { replayRun } from '../../src/sdk/saved/replay-run.js';
import { lookUp, readAll, recordingTool } from '../support/run-harness.js';
import { key, startWholeService, vendors, type WholeService } from '../support/whole-service.js';

let service: WholeService;
let client: StepwiseClient;
beforeAll(async () => {
  service = await startWholeService();
  client = new StepwiseClient({ baseUrl: service.url, llmKey: key });
});
afterAll(() => service.close());

const llmConfig = {
  modelName: vendors.openai,
  provider: 'openai',
  tokenLimit: 16_000,
  reservedOutputTokens: 1_000,
};
const act = { text: 'Thought: I look it up.\nAction: look_up(key="price")' };
const answer = { text: `Thought: The key is ${key}.\nFinal Answer: It is 42.` };

async function run(options: Partial<RunOptions> = {}) {
  const requests: StepRequestInput[] = [];
  const running = client.run('What is the price?', {
    llmConfig,
    tools: [lookUp],
    onRequest: (request) => void requests.push(request),
    ...options,
  });
  const events = await readAll(running);
  return { events, requests, result: await running.result(), json: JSON.stringify(running.save()) };
}

test.each([
  true,
  false,
])('a recorded run keeps request, prompt and reply of each step in its file only (streamed: %s) (rule: run-records)', async (stream) => {
  service.fake.script([act, answer]);
  const { events, json } = await run({ record: true, stream });
  const saved = readTrajectory(json);
  expect(saved.recordedSteps).toMatchObject([
    { request: { user_query: 'What is the price?' }, completion_text: act.text },
    { prompt: { messages: expect.arrayContaining([]) }, response: { direct_response: 'It is 42.' } },
  ]);
  expect(JSON.stringify(saved.recordedSteps?.[1]?.prompt)).toContain('price is 42');
  expect(toEvalRun('run', saved).steps.map(({ request }) => request?.max_iterations_left)).toEqual([10, 9]);
  expect(saved.responses.map((response) => response.recorded_step)).toEqual([null, null]);
  expect(JSON.stringify(events)).not.toContain('"prompt_sha256"');
});

test('records of a run have no key, also where the model repeats it (rule: run-records)', async () => {
  service.fake.script([act, answer]);
  const { json } = await run({ record: true });
  const text = JSON.stringify(readTrajectory(json).recordedSteps);
  expect(text).toContain('[redacted]');
  expect(text).not.toContain(key);
});

test('a run without the option asks for no record, and saves none (rule: run-records)', async () => {
  service.fake.script([act, answer]);
  const { json, requests } = await run();
  expect(readTrajectory(json)).not.toHaveProperty('recordedSteps');
  expect(requests.map(({ include }) => include?.record)).toEqual([undefined, undefined]);
});

test.each([
  ['ASCII', 'word '.repeat(600_000)],
  ['Chinese characters, of three bytes each,', '漢字漢字\n'.repeat(240_000)],
])('a run whose records of %s take more than 8 MiB goes on without recording (rule: run-records)', async (_, content) => {
  service.fake.script([act, act, act, act, answer]);
  const inline = { files: [{ path: 'a.md', content }] };
  const { requests, json, result } = await run({ record: true, context: { inline } });
  expect(result.answer).toBe('It is 42.');
  expect(readTrajectory(json).recordedSteps).toHaveLength(2);
  expect(requests.map(({ include }) => include?.record)).toEqual([true, true, true, undefined, undefined]);
});

/** Records a run that waits for approval. Returns it, and a function that resumes it. */
async function recordWaiting() {
  const { tool } = recordingTool();
  service.fake.script([act, { text: 'Action: run_command(command="ls")' }, answer]);
  const { json, result } = await run({ record: true, tools: [lookUp, tool] });
  const decisions = (result.pending ?? []).map(({ id, argsHash }) => ({
    id,
    argsHash,
    type: 'allow' as const,
  }));
  const resume = async (waiting: Trajectory) => {
    const resumed = client.resume(waiting, { tools: [lookUp, tool], decisions, record: true });
    expect((await resumed.result()).answer).toBe('It is 42.');
    return resumed.save();
  };
  return { waiting: readTrajectory(json), resume };
}

test('a resumed run keeps the records of its beginning and goes on recording; a fork has none (rule: run-records)', async () => {
  const { waiting, resume } = await recordWaiting();
  const saved = await resume(waiting);
  expect(saved.recordedSteps?.map(({ completion_text: text }) => text)).toEqual([
    act.text,
    'Action: run_command(command="ls")',
    answer.text.replace(key, '[redacted]'),
  ]);
  expect((await forkRun(saved, { responses: 1 })).recordedSteps).toBeUndefined();
});

test.each([
  0, 1,
])('a resumed run of which only %d of 2 steps have a record records no later step, so the records have no gap (rule: run-records)', async (count) => {
  const { waiting, resume } = await recordWaiting();
  const { recordedSteps = [], ...rest } = waiting;
  const saved = await resume(count === 0 ? rest : { ...rest, recordedSteps: recordedSteps.slice(0, count) });
  expect(saved.recordedSteps ?? []).toEqual(recordedSteps.slice(0, count));
  const steps = toEvalRun('run', saved).steps.map(({ number, request }) => [number, request !== null]);
  expect(steps).toEqual([1, 2, 3].map((number) => [number, number <= count]));
});

test.each([
  [1, undefined],
  [0, ['What is the price?', '']],
])('after %d kept steps, a joined run has these records of its continuation: %j (rule: run-records)', async (responses, queries) => {
  service.fake.script([act, answer]);
  const { json } = await run({ record: true });
  const kept = await forkRun(readTrajectory(json), { responses });
  service.fake.script(responses === 0 ? [act, answer] : [answer]);
  const [task, options] = continueRun(kept);
  const continued = client.run(task, { ...options, tools: [lookUp] });
  await continued.result();
  const { recordedSteps } = readTrajectory(JSON.stringify(joinRuns(kept, continued.save())));
  expect(recordedSteps?.map(({ request }) => request.user_query)).toEqual(queries);
});

test('the requests of a recorded run are reconstructed exactly by its replay (rule: run-records)', async () => {
  service.fake.script([act, answer]);
  const { json, requests } = await run({ record: true });
  const replayed: StepRequestInput[] = [];
  await replayRun(readTrajectory(json), { onRequest: (request) => void replayed.push(request) }).result();
  expect(replayed).toEqual(requests);
});

test('a record of a form that the SDK cannot read fails no step, and is not kept (rule: run-records)', async () => {
  service.fake.script([act, answer]);
  const other = new StepwiseClient({
    baseUrl: service.url,
    llmKey: key,
    fetch: async (input, init) => {
      const step = (await fetch(input, init).then((response) => response.json())) as object; // an object by the contract
      return Response.json({ ...step, recorded_step: { form: 'another' } });
    },
  });
  const options = { llmConfig, tools: [lookUp], record: true, stream: false };
  const running = other.run('What is the price?', options);
  expect((await running.result()).answer).toBe('It is 42.');
  expect(readTrajectory(JSON.stringify(running.save()))).not.toHaveProperty('recordedSteps');
});
