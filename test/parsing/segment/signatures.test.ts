import { describe, expect, test } from '@jest/globals';
import { toOfferedTool } from '../../../src/parsing/arguments/offered-tool.js';
import { readSignatures, readSignaturesPausing } from '../../../src/parsing/segment/signatures.js';

function signaturesOf(segment: string): string[] {
  return readSignatures(segment).map(({ name, parameters }) => `${name}(${parameters.join(', ')})`);
}

describe('reading tools from free text (rule: offered-tools)', () => {
  test.each([
    ['plain', 'read_file(path, start_line)', ['read_file(path, start_line)']],
    [
      'bullets with text',
      '- read_file(path): reads\n* search(query="…") - finds, like grep(x)',
      ['read_file(path)', 'search(query)'],
    ],
    [
      'inline code',
      'Use `read_file(path)` to read and `search(query, limit=10)` to find file(s).',
      ['read_file(path)', 'search(query, limit)'],
    ],
    [
      'one line',
      'Tools: read_file(path: string, opts: {a: number}), http.request(url), send-mail(to)',
      ['read_file(path, opts)', 'http.request(url)', 'send-mail(to)'],
    ],
    [
      'bold and numbered',
      '1. **read_file**(path): text\n2. **list_tools** - lists',
      ['read_file(path)', 'list_tools()'],
    ],
    [
      'headings with bullets',
      '### `read_file`\nReads.\n- `path` (string): where\n- start_line: from\n\n### list_tools\nLists.',
      ['read_file(path, start_line)', 'list_tools()'],
    ],
    [
      'signature with its bullets',
      'search_code(pattern, path)\n- pattern: regex\n- path: folder',
      ['search_code(pattern, path)'],
    ],
    ['names as bullets', '- read_file: reads a file\n- list_tools: lists', ['read_file()', 'list_tools()']],
    [
      'table',
      '| Tool | What |\n|---|---|\n| `read_file(path)` | reads |\n| `x.y(a, b)` | z |',
      ['read_file(path)', 'x.y(a, b)'],
    ],
    [
      'Python',
      'def read(path: str, *, n: int = 1, **more) -> str:\n    """Reads."""\nasync def ls(self): pass',
      ['read(path, n)', 'ls()'],
    ],
    [
      'TypeScript',
      'read_file(\n  path: string, // where\n  start?: number,\n): Promise<string>',
      ['read_file(path, start)'],
    ],
    ['types first', 'search(string query, int limit)', ['search(query, limit)']],
    ['example values', 'read_file(path="src/a, b.ts", n=3)', ['read_file(path, n)']],
    ['other scripts', '検索(クエリ)', ['検索(クエリ)']],
    ['the first mention counts', 'read(path, n)\nExample: read(path="a")', ['read(path, n)']],
  ])('tools are read from a segment in this form: %s', (_, segment, expected) => {
    expect(signaturesOf(segment)).toEqual(expected);
  });

  test.each([
    '',
    'You can read files (be careful) and answer.',
    '{"a": 1}',
    'Be brief.\n\n> quote',
  ])('the segment %j names no tool', (segment) => {
    expect(readSignatures(segment)).toEqual([]);
  });

  const schema = { type: 'object', properties: { path: { type: 'string' }, n: { type: 'integer' } } };
  test.each([
    ['MCP', [{ name: 'read', inputSchema: schema }]],
    ['OpenAI', [{ type: 'function', function: { name: 'read', parameters: schema } }]],
    ['Anthropic', { tools: [{ name: 'read', input_schema: schema }] }],
  ])('tools are read from JSON definitions in the shape of %s', (_, definitions) => {
    const expected = [{ name: 'read', parameters: ['path', 'n'], inputSchema: schema }];
    expect(readSignatures(JSON.stringify(definitions, null, 2))).toEqual(expected);
    expect(readSignatures(`Tools:\n\`\`\`json\n${JSON.stringify(definitions)}\n\`\`\``)).toEqual(expected);
  });

  test('JSON definitions may list parameters as a map or a list', () => {
    expect(
      signaturesOf('{"name": "a", "parameters": {"x": "text"}}\n{"name": "b", "args": ["y", {"name": "z"}]}'),
    ).toEqual(['a(x)', 'b(y, z)']);
  });

  test("a tool's parameters are the required ones in their order, then the others as they are declared (rule: tool-order)", () => {
    expect(toOfferedTool({ name: 'read', inputSchema: schema })).toEqual({
      name: 'read',
      parameters: ['path', 'n'],
      inputSchema: schema,
    });
    const properties = { start: {}, content: {}, path: {}, end: {} };
    const inputSchema = { properties, required: ['path', 'content', 'path', 'unknown', 3] };
    const parameters = ['path', 'content', 'start', 'end'];
    expect(toOfferedTool({ name: 'write', inputSchema })).toMatchObject({ parameters });
    expect(toOfferedTool({ name: 'ls', inputSchema: {} }).parameters).toEqual([]);
  });

  test('a line with 9,000 signatures is read completely (rule: loop-share)', () => {
    const names = Array.from({ length: 9_000 }, (_, at) => `tool_${at}`);
    const offered = names.map((name) => `${name}(path)`);
    expect(signaturesOf(offered.join(', '))).toEqual(offered);
    expect(signaturesOf(`Use ${offered.map((each) => `\`${each}\``).join(' or ')}.`)).toEqual(offered);
  });

  test.each([
    ['lines', (name: string) => `${name}()\n`],
    ['one line', (name: string) => `${name}(), `],
    ['definitions', (name: string) => `{"name": "${name}"}\n`],
  ])('only the first 10,000 tools of a text are offered: %s', (_, write) => {
    const names = Array.from({ length: 10_001 }, (_each, at) => `tool_${at}`);
    expect(signaturesOf(names.map(write).join(''))).toEqual(names.slice(0, -1).map((name) => `${name}()`));
  });

  test('a tool name of more than 1,000 characters is ignored', () => {
    expect(signaturesOf(`${'a'.repeat(1_000)}()`)).toHaveLength(1);
    expect(signaturesOf(`${'a'.repeat(1_001)}()\nf()`)).toEqual(['f()']);
  });
});

test.each([
  ['signatures', 'read_file(path)\n- search(query): finds\n'],
  ['definitions', '{"name": "read_file"}\n{"name": "search"}\n'],
])('readSignaturesPausing reads the same %s as readSignatures, and pauses after each line', async (_, lines) => {
  const segment = lines.repeat(20);
  let pauses = 0;
  const pause = () => {
    pauses += 1;
    return undefined;
  };
  expect(await readSignaturesPausing(segment, pause)).toEqual(readSignatures(segment));
  expect(pauses).toBeGreaterThanOrEqual(40);
});

test('readSignaturesPausing rejects with the error that its pause function throws', async () => {
  const pause = () => Promise.reject(new Error('left'));
  await expect(readSignaturesPausing('read_file(path)\n', pause)).rejects.toThrow('left');
});
