import { describe, expect, test } from '@jest/globals';
import { toOfferedTool } from '../../../src/parsing/arguments/offered-tool.js';
import { parseCompletion } from '../../../src/parsing/parse-completion.js';
import { MAX_DEPTH } from '../../../src/parsing/text/literals.js';
import { argumentsOf, read } from '../../support/parsing/tools.js';

describe('arguments of a call (rule: arguments)', () => {
  test.each([
    ['search("a", "b")', 'argument 2 has no name: `search` takes query'],
    ['list_tools("a")', 'argument 1 has no name: `list_tools` takes no parameters'],
    ['read_file(path="a", 3)', 'argument 2 has no name but follows a named one'],
    ['read_file("a", path="b")', 'argument `path` is given twice'],
  ])('an argument that cannot be assigned makes the call malformed: %s', (call, problem) => {
    expect(read(`Action: ${call}`)).toMatchObject({ outcome: 'malformed_action', problem });
  });

  test.each([
    'read_file(path)',
    'read_file(path?)',
    'read_file(path=path)',
    'read_file("a", start_line)',
  ])('a parameter name copied from the signature is reported as such: %s (rule: repairs)', (call) => {
    expect(read(`Action: ${call}`)).toMatchObject({
      outcome: 'malformed_action',
      problem: expect.stringMatching(/^read_file: `\w+\??` is the name of a parameter, not its value$/),
    });
  });

  test.each([
    'str',
    'string',
    'int?',
  ])('a type name copied from the signature is reported as such: %s (rule: repairs)', (type) => {
    expect(read(`Action: read_file(path: ${type})`)).toMatchObject({
      outcome: 'malformed_action',
      problem: `read_file: \`${type}\` is the name of a type, not a value`,
    });
    expect(argumentsOf(`Action: read_file(path: "${type}")`)).toEqual({ path: type });
    expect(argumentsOf('Action: read_file(path=str)')).toEqual({ path: 'str' });
  });

  test.each([
    ['a string', { type: 'string' }],
    ['an alternative that is none', { anyOf: [{ type: 'string' }, { enum: ['a'] }] }],
    ['a choice', { enum: ['a', 'b'] }],
  ])('an object without parameter names is malformed if the first parameter is %s', (_, schema) => {
    const [tool] = [toOfferedTool({ name: 'f', inputSchema: { properties: { path: schema } } })];
    expect(parseCompletion('Action: f({"pth": "a"})', [tool])).toMatchObject({
      outcome: 'malformed_action',
      problem: expect.stringMatching(/`pth` are no parameters of `f`/),
    });
  });

  test('`__proto__` and `constructor` are ordinary arguments and pollute no prototype', () => {
    const args = argumentsOf('Action: read_file(__proto__={"x": 1}, constructor={"__proto__": {"y": 2}})');
    expect(JSON.stringify(args)).toBe('{"__proto__":{"x":1},"constructor":{"__proto__":{"y":2}}}');
    expect(Object.getPrototypeOf(args)).toBe(Object.prototype);
    expect(Reflect.get({}, 'x')).toBeUndefined();
  });
});

describe('values of a call (rule: values)', () => {
  test.each([
    '12345678901234567890',
    '-9007199254740993',
    '1'.repeat(5000),
  ])('an integer beyond 2^53 keeps its digits as text and is reported: %s', (digits) => {
    const parsed = read(`Action: read_file(path=${digits})`);
    expect(parsed.action?.toolArgs).toEqual({ path: digits });
    expect(parsed.repairs).toEqual(['big_integer_as_text']);
  });

  test('a call with values nested too deeply for the history is malformed', () => {
    const nested = (depth: number): string =>
      `Action: read_file(path=${'['.repeat(depth)}${']'.repeat(depth)})`;
    expect(read(nested(MAX_DEPTH)).outcome).toBe('action');
    expect(read(nested(MAX_DEPTH + 2)).outcome).toBe('malformed_action');
    expect(read(nested(10_000)).outcome).toBe('malformed_action');
    expect(read(`Action: ${'{"a":'.repeat(10_000)}`).outcome).toBe('malformed_action');
  });
});

describe('a call has at most 50,000 values, so that its object can be sent back (rule: values)', () => {
  const anything = toOfferedTool({ name: 'f', inputSchema: {} });
  const parse = (args: string) => parseCompletion(`Action: f(${args})`, [anything]);

  test.each([
    ['arguments', (count: number) => Array.from({ length: count }, (_, at) => `a${at}=1`).join(', ')],
    ['items', (count: number) => `x=[${'1, '.repeat(count - 1)}]`],
    ['items of many lists', (count: number) => `x=[${'[1], '.repeat((count - 2) / 2)}[]]`],
  ])('a call with 50,000 values is read, and one with more is malformed: %s', (_, write) => {
    expect(parse(write(50_000)).outcome).toBe('action');
    expect(parse(write(50_002))).toMatchObject({
      outcome: 'malformed_action',
      problem: 'f: a call has more than 50000 values',
    });
  });
});
