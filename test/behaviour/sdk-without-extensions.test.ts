import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ScriptedReply } from '../../src/offline/wire/reply.js';
import { StepwiseClient } from '../../src/sdk/client/stepwise-client.js';
import type { RunOptions } from '../../src/sdk/run/run-options.js';
import { openCalls } from '../../src/sdk/run/take-up-history.js';
import { readTrajectory, resumeOptions } from '../../src/sdk/saved/read-trajectory.js';
import { replayRun } from '../../src/sdk/saved/replay-run.js';
import { readEvents } from '../support/read-events.js';
import { lookUp } from '../support/run-harness.js';
import { readStrictStep } from '../support/strict-client.js';
import {
  key,
  llmConfig,
  startWholeService,
  stepRequest,
  type VendorName,
  vendors,
  type WholeService,
} from '../support/whole-service.js';

let service: WholeService;
beforeAll(async () => {
  service = await startWholeService();
});
afterAll(() => service.close());

const act = (wanted: string): ScriptedReply => ({
  text: `Thought: I look.\nAction: look_up(key="${wanted}")`,
});
const done: ScriptedReply = { text: 'Thought: I know.\nFinal Answer: It is 42.' };

/**
 * Fetches a step. Throws if the step changes a turn that the client sent, or has a field that `StrictStep` does not
 * list. The sent turns themselves may have other fields.
 */
const strictFetch: typeof fetch = async (input, init) => {
  const response = await fetch(input, init);
  const text = await response.clone().text();
  const last = text.startsWith('{') ? JSON.parse(text) : readEvents(text).at(-1)?.data;
  const step = last.step ?? (last.error?.status ? last.error : last);
  const sent: unknown[] = JSON.parse(String(init?.body)).conversation_history;
  const turns = step.updated_conversation_history;
  expect(turns.slice(0, sent.length)).toEqual(sent);
  readStrictStep({ ...step, updated_conversation_history: turns.slice(sent.length) });
  return response;
};

function start(
  script: readonly ScriptedReply[],
  options: Partial<RunOptions> = {},
  task = 'How much is it?',
) {
  service.fake.script([...script]);
  const client = new StepwiseClient({ baseUrl: service.url, llmKey: key, fetch: strictFetch });
  return client.run(task, {
    llmConfig: llmConfig('openai'),
    tools: [lookUp],
    retries: 0,
    extensions: false,
    ...options,
  });
}

describe.each(
  (Object.keys(vendors) as VendorName[]).flatMap((vendor) =>
    [true, false].map((stream) => ({ vendor, stream })),
  ),
)('the SDK makes a whole run without extensions (rule: source-fields)', ({ vendor, stream }) => {
  test(`a run with extensions: false acts, answers and resumes, and each step has only the source fields: ${vendor}, stream ${stream}`, async () => {
    const options = { llmConfig: llmConfig(vendor), stream };
    const run = start([act('a'), act('b'), done], options);
    const result = await run.result();
    expect(result).toMatchObject({ stopReason: 'answered', answer: 'It is 42.' });
    expect(result.steps.map(({ actions }) => actions[0]?.resultSummary)).toEqual([
      'a is 42',
      'b is 42',
      undefined,
    ]);
    expect(result.history.map(({ role }) => role)).toEqual([
      'user',
      ...['assistant', 'tool_observation'],
      ...['assistant', 'tool_observation'],
      'assistant',
    ]);
    expect(openCalls(result.history)).toEqual([]);
    const prompt = JSON.stringify(service.fake.requests.at(-1)?.body);
    for (const part of ['a is 42', 'b is 42']) expect(prompt).toContain(part);

    const saved = readTrajectory(JSON.stringify(run.save()));
    expect(saved.responses.map(({ updated_conversation_history: whole }) => whole)).toEqual([
      null,
      null,
      null,
    ]);
    expect((await replayRun(saved).result()).answer).toBe('It is 42.');
    const next = await start([done], { ...options, ...resumeOptions(saved) }, 'And now?').result();
    expect(next).toMatchObject({ stopReason: 'answered' });
    expect(next.history).toHaveLength(result.history.length + 2);
  });
});

test.each([
  true,
  false,
])('a run without extensions ends with the code of a failed step and keeps its history, stream %s', async (stream) => {
  const result = await start([act('a'), { fault: 'unauthorized' }], { stream }).result();
  expect(result).toMatchObject({ stopReason: 'error', error: { code: 'upstream_authentication_failed' } });
  expect(result.history.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool_observation']);
});

test('a run without extensions ends with an answer even if the model calls a tool in the last step', async () => {
  const { answer } = await start([act('a'), act('b')], { maxSteps: 2 }).result();
  expect(answer).toBe('The step limit was reached before there was an answer.\n\nI look.');
});

test('in a run without extensions, a question of the model stays open, and the next task answers it', async () => {
  const ask: ScriptedReply = { text: 'Thought: ?\nAction: request_input(question="Which?")' };
  const { stopReason, history } = await start([act('a'), ask]).result();
  expect(stopReason).toBe('needs_input');
  const next = await start([done], { history }, 'The red one.').result();
  expect(next.history.at(-2)).toMatchObject({ role: 'tool_observation', content: 'The red one.' });
});

test('step() of the client fills in the fields that a step without extensions lacks', async () => {
  service.fake.script(act('a'));
  const client = new StepwiseClient({ baseUrl: service.url, llmKey: key });
  const request = stepRequest({
    include: { extensions: false },
    tools: [{ name: 'look_up', inputSchema: {} }],
  });
  const step = await client.step(request);
  expect(step).toMatchObject({
    status: 'action_proposed',
    action_details: { id: 'call_1', tool_name: 'look_up' },
    additional_actions: [],
    warnings: [],
    usage: null,
  });
  expect(step.new_turns).toEqual(step.updated_conversation_history);
});

test.each([
  { strategy: 'reason-act-observe' },
  { protocol: 'native' },
] as const)('a run with extensions: false ends with extensions_required if an option needs extensions: %j', async (options) => {
  const { error } = await start([done], options).result();
  expect(error).toMatchObject({ code: 'invalid_request', details: [{ code: 'extensions_required' }] });
});
