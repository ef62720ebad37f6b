import { expect, test } from '@jest/globals';
import {
  IncrementalParser,
  type OfferedTool,
  parseCompletion,
  readSignatures,
  toOfferedTool,
} from '../../src/parsing/index.js';

const definition = { name: 'read', inputSchema: { properties: { path: { type: 'string' } } } };
const text = 'Thought: I look.\nAction: read("a")';

test.each<[string, readonly OfferedTool[]]>([
  ['MCP definitions', [toOfferedTool(definition)]],
  ['free text', readSignatures('- read(path): reads a file')],
])('the parsing entry reads a call against tools from %s, at once and streamed', (_, tools) => {
  const parser = new IncrementalParser(tools);
  const deltas = parser.push(text);
  expect(deltas).toEqual([{ type: 'thought', delta: 'I look.' }]);
  expect(parser.end().completion).toEqual(parseCompletion(text, tools));
  expect(parseCompletion(text, tools).action).toEqual({
    toolName: 'read',
    toolArgs: { path: 'a' },
    raw: 'read("a")',
  });
});
