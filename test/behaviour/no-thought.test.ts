import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { StepRequestInput } from '../../src/contract/step-request.js';
import type { ScriptedCompletion } from '../../src/offline/wire/reply.js';
import { streamStep } from '../support/stream-step.js';
import { startWholeService, type WholeService } from '../support/whole-service.js';

let service: WholeService;
beforeAll(async () => {
  service = await startWholeService();
});
afterAll(() => service.close());

const inputSchema = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] };
const tools = [{ name: 'read_file', inputSchema }];
const xmlCall = '<tool_code><name>read_file</name><parameters>{"path":"a"}</parameters></tool_code>';
const nativeCall = { name: 'read_file', arguments: { path: 'a' } };

type Case = readonly [
  protocol: NonNullable<StepRequestInput['protocol']>,
  status: string,
  reply: ScriptedCompletion,
  changes?: Partial<StepRequestInput>,
];

const action = 'action_proposed';
const answer = 'direct_response_provided';

/** Replies without a thought, in the form of each protocol, and the status that they end with. */
const cases: Case[] = [
  ['text', action, { text: 'Action: read_file(path="a")' }],
  ['text', action, { text: 'Thought:\nAction: read_file(path="a")' }],
  ['text', action, { text: 'Thought:   \n\nAction: read_file(path="a")' }],
  ['text', answer, { text: 'Final Answer: 42' }],
  ['text', answer, { text: 'Thought: \nFinal Answer: 42' }],
  ['text', answer, { text: 'Thought:\nAction: read_file(path="a' }],
  ['text', answer, { text: 'Thought:\nAction: read_file(path="a")' }, { max_iterations_left: 1 }],
  ['text', 'error', { text: 'Thought:\nAction: read_file(path="a', finishReason: 'length' }],
  ['xml', action, { text: xmlCall }],
  ['xml', action, { text: `\n \n${xmlCall}` }],
  ['xml', answer, { text: '\n<final_answer>42</final_answer>' }],
  ['xml', answer, { text: '<tool_code><name>none</name></tool_code>' }],
  ['xml', 'error', { text: '<tool_code><name>read_file', finishReason: 'length' }],
  ['json', action, { text: '{"thought":"","action":{"tool":"read_file","args":{"path":"a"}}}' }],
  ['json', action, { text: '{"thought":" ","action":{"tool":"read_file","args":{"path":"a"}}}' }],
  ['json', action, { text: '{"action":{"tool":"read_file","args":{"path":"a"}}}' }],
  ['json', answer, { text: '{"thought":"","final_answer":"42"}' }],
  ['json', answer, { text: '{"thought":null,"final_answer":"42"}' }],
  ['json', 'error', { text: '{"thought":"","action":{"tool":"read_', finishReason: 'length' }],
  ['native', action, { text: '', toolCalls: [nativeCall] }],
  ['native', action, { text: ' \n', toolCalls: [nativeCall, nativeCall] }],
  ['native', action, { toolCalls: [nativeCall] }],
  ['native', answer, { text: '42' }],
  ['native', answer, { text: '', toolCalls: [{ name: 'none', arguments: {} }] }],
  ...(['text', 'xml', 'json', 'native'] as const).flatMap((protocol): Case[] => [
    [protocol, 'error', { text: '' }],
    [protocol, 'error', { text: '', refusal: 'No.' }],
    [protocol, 'phase_completed', { text: '{"plan":"a"}' }, { phase: 'reason' }],
  ]),
];

test.each(
  cases,
)('thought is null, not "", if the model writes none (protocol %s, status %s): %j %j (rule: no-thought)', async (...each) => {
  const [protocol, status, reply, changes] = each;
  service.fake.script(reply);
  const request = { tools, protocol, ...changes };
  const { body } = await service.step(request);
  expect(body).toMatchObject({ status, thought: null });
  const { step } = await streamStep(service, request);
  expect(step).toMatchObject({ status, thought: null });
});
