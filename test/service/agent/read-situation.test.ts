import { expect, test } from '@jest/globals';
import type { StepRequestInput } from '../../../src/contract/step-request.js';
import { renderTools } from '../../../src/service/agent/prompt/instructions.js';
import { readSituation } from '../../../src/service/agent/read-situation.js';
import { prepare, profile, textOf } from '../../support/prepare.js';
import { stepRequest } from '../../support/step-request.js';

const situationOf = (fields: Partial<StepRequestInput>) => readSituation(stepRequest(fields), profile);
const call = (id: string) => ({
  role: 'assistant' as const,
  content: `I read for ${id}.`,
  toolCall: { name: 'read_file', parameters: { path: id }, id },
});
const saw = (toolCallId?: string) => ({
  role: 'tool_observation' as const,
  content: 'text',
  ...(toolCallId && { toolCallId }),
});

test.each([
  ['unknown_tool_call_id', [call('a'), saw('b')], 1],
  ['call_without_observation', [call('a')], 0],
  ['observation_without_call', [saw()], 0],
  ['duplicate_observation', [call('a'), saw('a'), saw('a')], 2],
] as const)('(rule: pairing-warnings) %s is named with its turn', (code, turns, index) => {
  const { warnings } = situationOf({ conversation_history: [...turns] });
  expect(warnings).toMatchObject([{ code }]);
  expect(warnings[0]?.message).toContain(`conversation_history[${index}]`);
});

test('(rule: pairing-warnings) a history that pairs has none; of many the newest twenty are named', () => {
  expect(situationOf({ conversation_history: [call('a'), saw('a'), call('b'), saw()] }).warnings).toEqual([]);
  const { warnings } = situationOf({ conversation_history: Array.from({ length: 500 }, () => saw()) });
  expect(warnings).toHaveLength(20);
  expect(warnings.at(-1)?.message).toContain('conversation_history[499]');
});

test('(rule: pairing) a second observation of a call never becomes that of another', () => {
  const { calls } = situationOf({
    conversation_history: [call('a'), { ...call('b'), content: '' }, saw('a'), saw('a'), saw('b')],
  });
  expect(calls.map(({ id, observation }) => [id, observation?.index])).toEqual([
    ['a', 2],
    ['b', 4],
  ]);
});

const reorder = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(reorder);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, each]) => [key, reorder(each)]),
  );
};

const writeFile = {
  name: 'write_file',
  description: 'Writes a file.',
  inputSchema: {
    type: 'object',
    properties: {
      content: { type: 'string', description: 'the text' },
      mode: { type: 'integer', minimum: 0, maximum: 511, default: { type: 'x', a: 1 } },
      append: { type: 'boolean' },
      path: { type: 'string' },
    },
    required: ['path', 'content'],
  },
};

test('(rule: tool-order) required parameters come first and in their order, the rest by name', () => {
  const situation = situationOf({ tools: [writeFile] });
  expect(situation.offered[0]?.parameters).toEqual(['path', 'content', 'append', 'mode']);
  expect(renderTools(situation)).toContain('- write_file(path, content, append?, mode?): Writes a file.\n');
});

test.each([
  'text',
  'xml',
  'native',
] as const)('(rule: tool-order) a client that reorders keys keeps the prompt byte for byte: %s', async (protocol) => {
  const parameters = { path: 'a', content: 'b', mode: 1, append: true, own: { z: 1, a: [{ y: 1, b: 2 }] } };
  const written = { ...call('a'), toolCall: { name: 'write_file', parameters, id: 'a' } };
  const request = stepRequest({
    protocol,
    tools: [writeFile],
    conversation_history: [{ role: 'user', content: 'Write.' }, written, saw('a')],
  });
  const reordered = stepRequest(reorder({ ...request, conversation_history: [] }) as typeof request);
  const turns = reorder(request.conversation_history) as typeof request.conversation_history;
  const first = await prepare(request);
  const second = await prepare({ ...reordered, conversation_history: turns });
  expect(second.prompt.system).toBe(first.prompt.system);
  expect(second.prompt.messages.map(textOf)).toEqual(first.prompt.messages.map(textOf));
  expect(JSON.stringify(second.situation.tools.map((tool) => tool.inputSchema))).toBe(
    JSON.stringify(first.situation.tools.map((tool) => tool.inputSchema)),
  );
});
