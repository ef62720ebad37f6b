import { describe, expect, test } from '@jest/globals';
import type { StepRequestInput } from '../../../src/contract/step-request.js';
import { callsOf } from '../../../src/conversation/units.js';
import { renderTools } from '../../../src/service/step/prompt/instructions.js';
import { buildTail } from '../../../src/service/step/prompt/tail.js';
import { readSituation } from '../../../src/service/step/read-situation.js';
import { createTokenCounter } from '../../../src/tokens/token-counter.js';
import { prepare, profile, textOf } from '../../support/prepare.js';
import { stepRequest } from '../../support/step-request.js';
import { turnsDuring } from '../../support/turns-during.js';

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
] as const)('the pairing problem %s is reported with the index of its turn (rule: pairing-warnings)', async (code, turns, index) => {
  const { warnings } = await situationOf({ conversation_history: [...turns] });
  expect(warnings).toMatchObject([{ code }]);
  expect(warnings[0]?.message).toContain(`conversation_history[${index}]`);
});

test('a history with correctly paired calls and observations has no warnings; of many pairing problems, the newest twenty are reported (rule: pairing-warnings)', async () => {
  expect(
    (await situationOf({ conversation_history: [call('a'), saw('a'), call('b'), saw()] })).warnings,
  ).toEqual([]);
  const { warnings } = await situationOf({ conversation_history: Array.from({ length: 500 }, () => saw()) });
  expect(warnings).toHaveLength(20);
  expect(warnings.at(-1)?.message).toContain('conversation_history[499]');
});

test('a second observation of a call is never assigned to another call (rule: pairing)', async () => {
  const { units } = await situationOf({
    conversation_history: [call('a'), { ...call('b'), content: '' }, saw('a'), saw('a'), saw('b')],
  });
  expect(callsOf(units).map(({ id, observation }) => [id, observation?.index])).toEqual([
    ['a', 2],
    ['b', 4],
  ]);
});

test('only the first of several tools with the same name is offered, and a warning names it (rule: native-calling)', async () => {
  const tools = ['first', 'second'].map((description) => ({ ...writeFile, description }));
  const situation = await situationOf({
    tools: [...tools, { ...writeFile, name: 'other' }],
    protocol: 'native',
  });
  const named = situation.tools.map(({ name, description }) => [name, description]);
  expect(named).toEqual([
    ['write_file', 'first'],
    ['other', 'Writes a file.'],
  ]);
  expect(situation.offered.map(({ name }) => name)).toEqual(['write_file', 'other']);
  expect(situation.warnings).toEqual([
    { code: 'tool_name_repeated', message: expect.stringMatching(/more than once: write_file$/) },
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

test('in a tool’s signature, required parameters come first, then the others in their declared order (rule: tool-order)', async () => {
  const situation = await situationOf({ tools: [writeFile] });
  expect(situation.offered[0]?.parameters).toEqual(['path', 'content', 'mode', 'append']);
  expect(await renderTools(situation)).toContain(
    '- write_file(path, content, mode?, append?): Writes a file.\n',
  );
});

const byPath = {
  type: 'object',
  properties: { path: { type: 'string', description: 'the file' }, line: { type: 'integer' } },
  required: ['path'],
};
const byUrl = {
  type: 'object',
  properties: { url: { type: 'string', format: 'uri' } },
  required: ['url'],
};
const $defs = { byPath, byUrl };

test.each([
  ['a reference', { $ref: '#/$defs/byPath', $defs }, 'path, line?'],
  ['allOf', { allOf: [byPath, { $ref: '#/$defs/byUrl' }], $defs }, 'path, url, line?'],
  [
    'anyOf beside its own',
    { ...byPath, anyOf: [byUrl, { properties: { id: {} } }] },
    'path, line?, url?, id?',
  ],
  ['oneOf', { oneOf: [byPath, byUrl] }, 'path?, line?, url?'],
  [
    'oneOf whose schemas all require the path',
    { oneOf: [byPath, { ...byUrl, required: ['url', 'path'] }] },
    'path, line?, url?',
  ],
])('a tool is described with the parameters that its schema has by %s (rule: tool-order)', async (_, inputSchema, signature) => {
  const situation = await situationOf({ tools: [{ name: 'read', inputSchema }] });
  expect(await renderTools(situation)).toContain(`- read(${signature})\n`);
  const names = signature.replaceAll('?', '').split(', ');
  expect(situation.offered[0]?.parameters).toEqual(names);
});

test('the prompt contains the schema to which a parameter refers, and other parameters as they are declared (rule: tool-order)', async () => {
  const properties = {
    at: { $ref: '#/$defs/byPath' },
    many: { type: 'array', items: { $ref: '#/$defs/tree' } },
    day: { type: 'string', format: 'date' },
  };
  const tree = { type: 'object', properties: { name: { type: 'string' }, below: { $ref: '#/$defs/tree' } } };
  const inputSchema = { type: 'object', properties, $defs: { byPath, tree } };
  const described = await renderTools(await situationOf({ tools: [{ name: 'read', inputSchema }] }));
  expect(described).toContain('at: object; {"properties":{"path":{"type":"string","description":"the file"}');
  expect(described).toContain('"properties":{"name":{"type":"string"}');
  expect(described).toContain('day: string; {"format":"date"}');
  expect(described).not.toContain('$ref');
});

test.each([
  'text',
  'xml',
  'native',
] as const)('if a client reorders the keys of past arguments, the prompt stays the same byte for byte (rule: tool-order): %s', async (protocol) => {
  const parameters = { path: 'a', content: 'b', mode: 1, append: true, own: { z: 1, a: [{ y: 1, b: 2 }] } };
  const written = { ...call('a'), toolCall: { name: 'write_file', parameters, id: 'a' } };
  const request = stepRequest({
    protocol,
    tools: [writeFile],
    conversation_history: [{ role: 'user', content: 'Write.' }, written, saw('a')],
  });
  const turns = reorder(request.conversation_history) as typeof request.conversation_history;
  const first = await prepare(request);
  const second = await prepare({ ...request, conversation_history: turns });
  expect(second.prompt.system).toBe(first.prompt.system);
  expect(second.prompt.messages.map(textOf)).toEqual(first.prompt.messages.map(textOf));
  expect(JSON.stringify(second.situation.tools.map((tool) => tool.inputSchema))).toBe(
    JSON.stringify(first.situation.tools.map((tool) => tool.inputSchema)),
  );
});

describe('reading a large request', () => {
  const properties = Object.fromEntries(
    Array.from({ length: 100 }, (_, at) => [`p${99 - at}`, { type: 'string' }]),
  );
  const inputSchema = { type: 'object', properties };
  const tools = Array.from({ length: 1_000 }, (_, at) => ({ name: `t${at}`, inputSchema }));
  const observed = { role: 'tool_observation' as const, content: '' };
  const results = Array.from({ length: 3_000 }, () => ({
    ...observed,
    toolResult: { success: true, result: properties },
  }));

  test.each<[string, Partial<StepRequestInput>]>([
    ['1,000 tools', { tools }],
    ['3,000 results', { conversation_history: results }],
  ])('reading %s yields to the event loop (rule: loop-share)', async (_, fields) => {
    expect(await turnsDuring(() => situationOf(fields))).toBeGreaterThan(1);
  });

  test('other requests can run while the descriptions of 1,000 tools are written (rule: loop-share)', async () => {
    const situation = await situationOf({ tools });
    expect(await turnsDuring(() => renderTools(situation))).toBeGreaterThan(1);
  });

  test('reading and describing tools reject once the step is aborted (rule: one-deadline)', async () => {
    const gone = new Error('gone');
    const signal = AbortSignal.abort(gone);
    const request = stepRequest({ tools: [writeFile] });
    await expect(readSituation(request, profile, signal)).rejects.toBe(gone);
    await expect(renderTools(await situationOf({ tools: [writeFile] }), signal)).rejects.toBe(gone);
  });
});

test('a task is rendered on one line even if it contains line breaks (rule: tail)', async () => {
  const tasks = [{ id: 1, content: 'x\n '.repeat(300_000), status: 'todo' as const }];
  const counter = createTokenCounter('o200k_base');
  const { text } = await buildTail(await situationOf({ tasks }), undefined, { tokens: 500, counter });
  expect(text.split('\n')).toContainEqual(expect.stringMatching(/^\[ \] 1\. (?:x )+x?$/));
});

test('a result is rendered with keys sorted by name, in whatever order they arrived (rules: observation-text, stable-prompt)', async () => {
  const promptOf = async (result: object) => {
    const observed = { role: 'tool_observation' as const, content: '', toolCallId: 'a' };
    const turns = [call('a'), { ...observed, toolResult: { success: true, result } }];
    const { prompt } = await prepare(stepRequest({ conversation_history: turns }));
    return prompt.messages.map(textOf).join('');
  };
  const first = await promptOf({ b: [{ d: 1, c: 2 }], a: {} });
  expect(first).toContain('{"a":{},"b":[{"c":2,"d":1}]}');
  expect(await promptOf({ a: {}, b: [{ c: 2, d: 1 }] })).toBe(first);
});

describe('an observation with a text and a result (rule: observation-text)', () => {
  const warned = async (content: string, result: unknown) => {
    const observed = { ...saw('a'), content, toolResult: { success: true, result } };
    const history = [{ role: 'user' as const, content: 'Read.' }, call('a'), observed];
    const situation = await situationOf({ conversation_history: history });
    return situation.warnings.map(({ code }) => code);
  };

  test('an observation whose result differs from its text gets a warning', async () => {
    expect(await warned('done', { lines: 3 })).toEqual(['tool_result_not_shown']);
  });

  test.each([
    ['the result is the text', 'done', 'done'],
    ['the result as JSON is the text', '{"lines":3}', { lines: 3 }],
    ['the text is empty', '', { lines: 3 }],
    ['there is no result', 'done', null],
  ])('an observation gets no warning about its result if %s', async (_, content, result) => {
    expect(await warned(content, result)).toEqual([]);
  });
});
