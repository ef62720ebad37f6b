import { expect, test } from '@jest/globals';
import type { OfferedTool } from '../../../../src/parsing/index.js';
import { ObjectReplyReader } from '../../../../src/parsing/structured/reading/object-reply-reader.js';
import {
  buildReplySchema,
  type RestoreArguments,
} from '../../../../src/parsing/structured/schema/reply-schema.js';
import { openaiSchema } from '../../../../src/service/providers/models/schema-dialects.js';

const text = { type: 'string' };
const tools: OfferedTool[] = [
  { name: 'rm', parameters: ['path'], inputSchema: { type: 'object', properties: { path: text } } },
  { name: 'ls', parameters: ['path'], inputSchema: { type: 'object', properties: { path: text } } },
  {
    name: 'tag',
    parameters: ['version', 'all'],
    inputSchema: { type: 'object', properties: { version: text, all: { type: 'array', items: text } } },
  },
];
/** Tools with values of any type, which OpenAI's strict subset of JSON Schema can only express as JSON text. */
const freeTools: OfferedTool[] = [
  {
    name: 'save',
    parameters: ['content', 'map'],
    inputSchema: {
      type: 'object',
      properties: { content: {}, map: { type: 'object', additionalProperties: text } },
      required: ['content'],
    },
  },
  { name: 'any', parameters: [], inputSchema: { type: 'object', patternProperties: { '^a': {} } } },
];

function read(reply: string, offered = tools, restoreArguments: RestoreArguments = (_, value) => value) {
  const reader = new ObjectReplyReader({ tools: offered, phase: undefined, restoreArguments });
  reader.push(reply);
  return reader.end();
}

const readAction = (action: string) => read(`{"thought": "t", "action": ${action}}`);

/** Reads a reply of a model whose output is constrained to OpenAI's subset of JSON Schema. */
async function readConstrained(action: object) {
  const reply = await buildReplySchema(freeTools, openaiSchema, () => undefined);
  return read(JSON.stringify({ thought: 't', action }), freeTools, reply?.restoreArguments);
}

test.each([
  ['"version": 1.10', { version: '1.10' }],
  ['"version": 1e3', { version: '1e3' }],
  ['"all": [1.50, 2]', { all: ['1.50', '2'] }],
])('a number for a text parameter keeps its spelling: %s (rule: values)', (args, toolArgs) => {
  expect(readAction(`{"tool": "tag", "args": {${args}}}`).completion.action?.toolArgs).toEqual(toolArgs);
});

test.each([
  '{"tool": "rm", "name": "ls", "args": {"path": "/"}}',
  '{"name": "ls", "tool": "rm", "arguments": {"path": "/"}}',
  '{"tool": "rm", "args": {"path": "/x"}, "arguments": {"path": "/y"}}',
  '{"tool": "rm", "parameters": {"path": "/x"}, "args": {"path": "/y"}}',
])('an action with two names or two sets of arguments is malformed: %s', (action) => {
  expect(readAction(action).completion).toMatchObject({
    outcome: 'malformed_action',
    action: null,
    problem: expect.stringMatching(/names two tools|two sets of arguments/),
  });
});

test('a duplicate key in arguments that are written as text makes the action malformed', () => {
  const args = JSON.stringify('{"path": "a", "path": "b"}');
  expect(readAction(`{"tool": "rm", "args": ${args}}`).completion).toMatchObject({
    outcome: 'malformed_action',
    problem: 'the action holds a key twice: write each key once',
  });
});

test('repeating the same name or arguments is not a contradiction, and further keys are reported', () => {
  const action =
    '{"tool": "rm", "name": "rm", "args": {"path": "/"}, "arguments": {"path": "/"}, "ok": false}';
  expect(readAction(action)).toMatchObject({
    completion: { action: { toolName: 'rm', toolArgs: { path: '/' } }, discarded: [{ kind: 'text' }] },
    isWhole: false,
  });
});

test.each([
  ['"12345678901234567890"', '12345678901234567890'],
  ['"{\\"id\\": 1234567890123456789}"', { id: '1234567890123456789' }],
  ['"[null, 1.5, \\"a\\"]"', [null, 1.5, 'a']],
  ['"no JSON"', 'no JSON'],
])('a JSON value in an argument without a schema keeps large integers as text: %s (rule: reversible-schema)', async (written, content) => {
  const args = { content: JSON.parse(written), map: null };
  const { completion } = await readConstrained({ tool: 'save', args });
  expect(completion.action?.toolArgs).toEqual({ content });
});

test.each([
  [{ content: '{"a": 1, "a": 2}', map: null }, 'holds a key twice'],
  [
    {
      content: '1',
      map: [
        { key: 'k', value: 'v' },
        { key: 'k', value: 'w' },
      ],
    },
    'holds a key twice',
  ],
  [{ content: '{"a": 1e999}', map: null }, 'beyond the range'],
])('a duplicate key or an out-of-range number in an argument makes the action malformed: %j', async (args, problem) => {
  const { completion } = await readConstrained({ tool: 'save', args });
  expect(completion).toMatchObject({
    outcome: 'malformed_action',
    problem: expect.stringContaining(problem),
  });
});

test.each([
  '[]',
  '{a: 1}',
])('argument text that is not a JSON object is reported as not constrained by the schema: %s', async (args) => {
  expect((await readConstrained({ tool: 'any', args })).isWhole).toBe(false);
});

test('the argument text 1e400, a number out of range, makes the action malformed instead of giving empty arguments', async () => {
  const { completion } = await readConstrained({ tool: 'any', args: '1e400' });
  expect(completion.outcome).toBe('malformed_action');
});

test.each([
  `{"thought": "Keys are "thought" "action": {"tool": "rm", "args": {"path": "/"}} but I will not", "final_answer": "no"}`,
  `{"thought": "t", "action": {"tool": "rm", "args": {"path": "/"}} garbage, "final_answer": "no"}`,
  `{"thought": "t", "action": {"tool": "rm", "args": {"path": "/"}} // no, do not\n, "final_answer": "no"}`,
  `{"thought": "t", "action": {"tool": "rm", "args": {"path": "/"}}, but I will not}`,
  `{"thought": "t", "action": {"tool": "rm", "args": {"path": "/"}} "but not now", "final_answer": "no"}`,
])('an action does not run if stray text is in its object: %s (rule: object-reply)', (reply) => {
  expect(read(reply).completion).toMatchObject({
    outcome: 'malformed_action',
    action: null,
    problem: expect.stringMatching(/^text stands between/),
  });
});

test('keys and values without quotes are read as fields', () => {
  const reply = '{"thought": "t", action: {tool: "rm", args: {path: "/"}}, done: true}';
  expect(read(reply).completion).toMatchObject({ thought: 't', action: { toolName: 'rm' } });
});
