import { expect, test } from '@jest/globals';
import { toOfferedTool } from '../../src/parsing/arguments/offered-tool.js';
import { readNativeCall } from '../../src/parsing/native-call.js';
import type { ParseOptions } from '../../src/parsing/parse-completion.js';

const tools = [
  toOfferedTool({
    name: 'list_files',
    inputSchema: {
      type: 'object',
      properties: { path: { type: 'string' }, depth: { type: 'integer' } },
      required: ['path'],
    },
  }),
  toOfferedTool({ name: 'delete_file', inputSchema: { type: 'object', properties: {} } }),
];
const read = (name: string, written: string, finishReason?: ParseOptions['finishReason']) =>
  readNativeCall({ name, arguments: written }, tools, finishReason ? { finishReason } : {});

test.each([
  '{"path":"."}, "name": "delete_file", "x": {}',
  '{"path":"."}, "tool_calls": [{"name": "delete_file"}]',
  '{"path":"."}}\nAction: delete_file()',
  '{"path":"."} {"path":".."}',
  '{"path":"."}}',
])('text after the arguments makes a native call malformed, and never becomes another call: %s (rule: json-call)', (written) => {
  expect(read('list_files', written)).toEqual({
    outcome: 'malformed_action',
    dialect: 'json',
    problem: 'list_files: text follows the arguments',
  });
});

test.each([
  ['list_files', '{"path": ".", "name": "delete_file"}', { path: '.', name: 'delete_file' }],
  [
    'list_files',
    '{"path": ".", "tool": "delete_file", "args": {}}',
    { path: '.', tool: 'delete_file', args: {} },
  ],
  ['delete_file', '{"action": {"tool": "list_files"}}', { action: { tool: 'list_files' } }],
])('a native call takes its name only from the name field: %s(%s) (rule: json-call)', (name, written, toolArgs) => {
  expect(read(name, written)).toMatchObject({ outcome: 'action', toolName: name, toolArgs });
});

test.each([
  [' \n{"path": "a"} \n', { path: 'a' }, []],
  ['"{\\"path\\": \\"a\\"}"', { path: 'a' }, []],
  ["{'path': 'a', }", { path: 'a' }, []],
  ['["a"]', { path: 'a' }, []],
  ['{"path": 1.10}', { path: '1.10' }, ['coerced:path']],
  ['{"path": "a", "depth": "2"}', { path: 'a', depth: 2 }, ['coerced:depth']],
  ['{"path": "b", "path": "a"}', { path: 'a' }, ['duplicate_key']],
])('the arguments of a native call are read like those of a JSON call in text: %s (rule: json-call)', (written, toolArgs, repairs) => {
  expect(read('list_files', written)).toMatchObject({ outcome: 'action', toolArgs, repairs });
});

test.each([
  '',
  ' ',
  '{}',
  'null',
])('a native call whose argument text is %j runs without arguments (rule: json-call)', (written) => {
  expect(read('delete_file', written)).toMatchObject({ outcome: 'action', toolArgs: {} });
});

test.each([
  ['list_files', '{"path": 1, "depth": "x"}', undefined, 'malformed_action'],
  ['list_files', '{"other": 1}', undefined, 'malformed_action'],
  ['list_files', '{"path": "a', undefined, 'malformed_action'],
  ['list_files', '{"path": "a', 'length', 'truncated'],
  ['list_files', '{"path":', 'length', 'truncated'],
  ['list_files', '{"path": "a"} {', 'length', 'malformed_action'],
  ['list_files', 'Action: list_files(path=".")', undefined, 'malformed_action'],
  ['remove', '{"path": "a"}', undefined, 'unknown_tool'],
  ['remove', '{"path": "a', undefined, 'unknown_tool'],
  ['remove', '{"path": "a', 'length', 'truncated'],
  ['remove', '{"path": "a"}', 'length', 'unknown_tool'],
  ['delete_file', '', 'length', 'truncated'],
  ['list_files', '', 'length', 'truncated'],
  ['remove', ' ', 'length', 'truncated'],
  ['none', '{}', undefined, 'unknown_tool'],
] as const)('the native call %s(%s) with finish reason %s has the outcome %s (rule: json-call)', (name, written, finishReason, outcome) => {
  expect(read(name, written, finishReason)).toMatchObject({ outcome });
});

test('a complete native call runs even if the output limit ended the reply', () => {
  expect(read('list_files', '{"path": "a"}', 'length')).toMatchObject({ outcome: 'action' });
});

test('a native call of the reserved answer tool becomes the answer, or the outcome `empty` if its text is blank (rule: answer-call)', () => {
  expect(read('final_answer', '{"answer": " 42 "}')).toMatchObject({ outcome: 'answer', answer: '42' });
  expect(read('final_answer', '{"answer": " "}')).toEqual({ outcome: 'empty' });
});
