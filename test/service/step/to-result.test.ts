import { expect, test } from '@jest/globals';
import type { StepRequestInput } from '../../../src/contract/step-request.js';
import { conclude } from '../../../src/service/step/conclude.js';
import type { Completion } from '../../../src/service/step/provider.js';
import { readReply } from '../../../src/service/step/read-reply.js';
import { toPreview } from '../../../src/service/step/to-preview.js';
import { exhausted, type StepResult, toResult } from '../../../src/service/step/to-result.js';
import { completionOf } from '../../support/completion.js';
import { prepare, textOf } from '../../support/prepare.js';
import { stepRequest } from '../../support/step-request.js';

const now = () => new Date('2026-01-02T03:04:05.678Z');
const provider = {
  name: 'test',
  complete: () => Promise.reject(new Error('no call is made')),
  stream: () => {
    throw new Error('no call is made');
  },
};

async function resultOf(
  text: string,
  fields: Partial<StepRequestInput> = {},
  changes: Partial<Completion> = {},
): Promise<StepResult> {
  const prompt = await prepare(
    stepRequest({ tools: [{ name: 'read_file', inputSchema: {} }], user_query: 'Why?', ...fields }),
  );
  const reply = await readReply({ completion: completionOf(text, changes) }, prompt.situation);
  return toResult(await conclude(reply, prompt.situation), { ...prompt, provider, now });
}

test('the new turns of a step have the timestamp of the given clock (rule: turn-timestamps)', async () => {
  const { new_turns } = await resultOf('Final Answer: 42');
  expect(new_turns).toEqual([
    { role: 'user', content: 'Why?', timestamp: '2026-01-02T03:04:05.678Z' },
    { role: 'assistant', content: '42', timestamp: '2026-01-02T03:04:05.678Z' },
  ]);
});

test('the phases reason and act use no iteration, observe and a plain step use one (rule: iterations)', async () => {
  const left = async (phase?: 'reason' | 'act' | 'observe') =>
    (await resultOf('So.', { max_iterations_left: 3, ...(phase && { phase }) })).iterations_remaining;
  expect([await left('reason'), await left('act'), await left('observe'), await left()]).toEqual([
    3, 3, 2, 2,
  ]);
});

test('a refusal adds no turn to the history, and its usage is reported (rule: billed-outcomes)', async () => {
  const result = await resultOf('', {}, { refusal: 'No.' });
  expect(result).toMatchObject({
    status: 'error',
    new_turns: [],
    usage: { input_tokens: 10 },
    error: { code: 'upstream_refusal', provider: 'test', partial_text: 'No.' },
  });
});

test('a truncated answer and an unreadable action are reported as warnings (rule: unreadable-action)', async () => {
  const codes = async (...step: Parameters<typeof resultOf>) =>
    (await resultOf(...step)).warnings.map(({ code }) => code);
  expect(await codes('Final Answer: 42', {}, { finishReason: 'length' })).toEqual(['answer_truncated']);
  expect(await codes('Action: read_file(path="a')).toEqual(['unreadable_action']);
  expect(await codes('Final Answer: 42')).toEqual([]);
});

test('a step without iterations left returns iterations_exhausted without usage', () => {
  expect(exhausted(stepRequest({ max_iterations_left: 0 }))).toMatchObject({
    status: 'error',
    usage: null,
    iterations_remaining: 0,
    error: { code: 'iterations_exhausted' },
  });
});

test.each([
  ['native', ['a']],
  ['text', []],
] as const)('a preview with %s calling lists the tool definitions sent beside the prompt: %j', async (protocol, names) => {
  const prompt = await prepare(stepRequest({ protocol, tools: [{ name: 'a', inputSchema: {} }] }));
  expect(toPreview(prompt).native_tools.map(({ name }) => name)).toEqual(names);
});

test('a preview returns the system text, the messages and the context report of the prompt', async () => {
  const prompt = await prepare(stepRequest({ user_query: 'Why?' }));
  const { system, messages, context_report } = toPreview(prompt);
  expect(system).toBe(prompt.prompt.system);
  expect(messages.map(({ content }) => content)).toEqual(prompt.prompt.messages.map(textOf));
  expect(context_report).toBe(prompt.report);
});
