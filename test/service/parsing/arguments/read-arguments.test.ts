import { describe, expect, test } from '@jest/globals';
import { toOfferedTool } from '../../../../src/service/parsing/arguments/offered-tool.js';
import { parseCompletion } from '../../../../src/service/parsing/parse-completion.js';
import { MAXIMUM_DEPTH } from '../../../../src/service/parsing/text/literals.js';
import { argumentsOf, read } from '../../../support/parsing/tools.js';

/** Reads calls of a tool `f` with these properties. */
function offer(properties: Record<string, unknown>): (call: string) => unknown {
  const tool = toOfferedTool({ name: 'f', inputSchema: { type: 'object', properties } });
  return (call) => parseCompletion(`Action: ${call}`, [tool]).action?.toolArgs;
}

describe('arguments (rule: arguments)', () => {
  test.each([
    ['keywords', 'read_file(path="a", start_line=1)'],
    ['colons', 'read_file(path: "a", start_line: 1)'],
    ['quoted keys', 'read_file("path"="a", \'start_line\': 1)'],
    ['positional', 'read_file("a", 1)'],
    ['mixed', 'read_file("a", start_line=1)'],
    ['trailing comma', 'read_file(path="a", start_line=1,)'],
    ['JSON object', 'read_file({"path": "a", "start_line": 1})'],
    ['Python dict', "read_file({'path': 'a', 'start_line': 1,})"],
    ['JS object', 'read_file({ path: `a`, start_line: 1 })'],
    ['several lines', 'read_file(\n  path="a", # the file\n  start_line=1, // from\n)'],
    ['a space before the parenthesis', 'read_file (path="a", start_line=1)'],
  ])('%s', (_, call) => {
    expect(read(`Action: ${call}`)).toMatchObject({
      confidence: 'exact',
      action: { toolArgs: { path: 'a', start_line: 1 }, raw: call },
    });
  });

  test.each([
    'list_tools()',
    'list_tools( )',
    'list_tools({})',
    'read_file()',
  ])('%s means no arguments', (call) => {
    expect(argumentsOf(`Action: ${call}`)).toEqual({});
  });

  test('a keyword the signature does not know is kept', () => {
    expect(argumentsOf('Action: read_file(path="a", line=10)')).toEqual({ path: 'a', line: 10 });
  });

  test.each([
    ['search("a", "b")', 'argument 2 has no name: `search` takes query'],
    ['list_tools("a")', 'argument 1 has no name: `list_tools` takes no parameters'],
    ['read_file(path="a", 3)', 'argument 2 has no name but follows a named one'],
    ['read_file("a", path="b")', 'argument `path` is given twice'],
  ])('arguments are never dropped: %s', (call, problem) => {
    expect(read(`Action: ${call}`)).toMatchObject({ outcome: 'malformed_action', problem });
  });

  test('an object with a parameter among its keys is the argument object', () => {
    const typed = offer({ meta: { type: 'object' }, title: { type: 'string' } });
    expect(typed('f({"title": "t"})')).toEqual({ title: 't' });
    expect(typed('f({"title": "t", "k": 1})')).toEqual({ title: 't', k: 1 });
    expect(typed('f({})')).toEqual({});
    expect(parseCompletion('Action: f({"k": 1})', [{ name: 'f', parameters: [] }]).action?.toolArgs).toEqual({
      k: 1,
    });
  });

  test.each([
    ['an object', { type: 'object' }],
    ['one of several', { type: ['string', 'object'] }],
    ['an alternative', { anyOf: [{ type: 'null' }, { type: 'object' }] }],
    ['undeclared', { description: 'grades by subject' }],
  ])('else it is the value of a first parameter whose type is %s', (_, schema) => {
    expect(offer({ gradeDict: schema })("f({'math': 90, 'art': 85})")).toEqual({
      gradeDict: { math: 90, art: 85 },
    });
  });

  test.each([
    ['a string', { type: 'string' }],
    ['an alternative that is none', { anyOf: [{ type: 'string' }, { enum: ['a'] }] }],
    ['a choice', { enum: ['a', 'b'] }],
  ])('else the call is malformed, as where the type is %s', (_, schema) => {
    const [tool] = [toOfferedTool({ name: 'f', inputSchema: { properties: { path: schema } } })];
    expect(parseCompletion('Action: f({"pth": "a"})', [tool])).toMatchObject({
      outcome: 'malformed_action',
      problem: expect.stringMatching(/`pth` are no parameters of `f`/),
    });
  });

  test('in the other dialects the arguments are named as such, whatever their keys', () => {
    const tool = toOfferedTool({ name: 'f', inputSchema: { properties: { meta: { type: 'object' } } } });
    expect(parseCompletion('Action: {"name": "f", "arguments": {"k": 1}}', [tool]).action?.toolArgs).toEqual({
      k: 1,
    });
  });

  test('`__proto__` and `constructor` are arguments like any other and pollute nothing', () => {
    const args = argumentsOf('Action: read_file(__proto__={"x": 1}, constructor={"__proto__": {"y": 2}})');
    expect(JSON.stringify(args)).toBe('{"__proto__":{"x":1},"constructor":{"__proto__":{"y":2}}}');
    expect(Object.getPrototypeOf(args)).toBe(Object.prototype);
    expect(Reflect.get({}, 'x')).toBeUndefined();
  });
});

describe('values (rule: values)', () => {
  test.each<[string, unknown]>([
    ['"a\\nb"', 'a\nb'],
    ["'it\\'s'", "it's"],
    ['"it\'s"', "it's"],
    ['"a\nb\r\n"', 'a\nb\r\n'],
    ["r'\\d+\\n'", '\\d+\\n'],
    ['"\\d+"', '\\d+'],
    ['"""a "quoted" b"""', 'a "quoted" b'],
    ["'''x\n'''", 'x\n'],
    ["'a' \"b\"\n  r'\\c'", 'ab\\c'],
    ['`a \x24{b} \\`c\\``', 'a \x24{b} `c`'],
    ['"\\u00e9\\x41\\U0001F680\\u{1F680}\\101"', 'éA🚀🚀A'],
    ['"\\ud83d\\ude80"', '🚀'],
    ['"a\\/b"', 'a/b'],
    ['"a\\\nb"', 'ab'],
    ["u'x'", 'x'],
    ['"00123"', '00123'],
    ['"true"', 'true'],
    ['-3', -3],
    ['+3', 3],
    ['1e3', 1000],
    ['2.5E-3', 0.0025],
    ['.5', 0.5],
    ['5.', 5],
    ['1_000', 1000],
    ['0x1F', 31],
    ['True', true],
    ['false', false],
    ['None', null],
    ['null', null],
    ['(1, "a")', [1, 'a']],
    ['(1,)', [1]],
    ['()', []],
    ['("a")', 'a'],
    ['[1, [2, {"k": (3,)}],]', [1, [2, { k: [3] }]]],
    ['{1: "a", k: None, "q" "r": 2}', { '1': 'a', k: null, qr: 2 }],
    ['9007199254740991', 9007199254740991],
  ])('%s', (literal, value) => {
    const parsed = read(`Action: read_file(path=${literal})`);
    expect(parsed.action?.toolArgs).toEqual({ path: value });
    expect(parsed.confidence).toBe('exact');
  });

  test.each([
    '12345678901234567890',
    '-9007199254740993',
    '1'.repeat(5000),
  ])('an integer beyond 2^53 keeps its digits as text, reported: %s', (digits) => {
    const parsed = read(`Action: read_file(path=${digits})`);
    expect(parsed.action?.toolArgs).toEqual({ path: digits });
    expect(parsed.repairs).toEqual(['big_integer_as_text']);
  });

  test.each(['NaN', 'Infinity', '-Infinity', '1e999', '[NaN]'])('%s is no JSON and no action', (word) => {
    expect(read(`Action: read_file(path=${word})`).outcome).toBe('malformed_action');
  });

  test('values nested too deep for the history they return to are malformed', () => {
    const nested = (depth: number): string =>
      `Action: read_file(path=${'['.repeat(depth)}${']'.repeat(depth)})`;
    expect(read(nested(MAXIMUM_DEPTH)).outcome).toBe('action');
    expect(read(nested(MAXIMUM_DEPTH + 2)).outcome).toBe('malformed_action');
    expect(read(nested(10_000)).outcome).toBe('malformed_action');
    expect(read(`Action: ${'{"a":'.repeat(10_000)}`).outcome).toBe('malformed_action');
  });
});

describe('repairs are reported (rule: repairs)', () => {
  test.each<[string, unknown, string]>([
    ['read_file(path="a", start_line=3', { path: 'a', start_line: 3 }, 'missing_close'],
    ['read_file(path="a"\n\nI will wait (a bit).', { path: 'a' }, 'missing_close'],
    ['read_file(path="say "hi" to Bob")', { path: 'say "hi" to Bob' }, 'inner_quotes'],
    ['read_file(path="a "b" c", start_line=3)', { path: 'a "b" c', start_line: 3 }, 'inner_quotes'],
    ['read_file(path="f("x") + 1")', { path: 'f("x") + 1' }, 'inner_quotes'],
    ['write_file(path="a", content="""say\n"hi"""")', { path: 'a', content: 'say\n"hi"' }, 'inner_quotes'],
    ["read_file(path='''it is 'x'''')", { path: "it is 'x'" }, 'inner_quotes'],
    ['read_file(path="echo "a" + "b"")', { path: 'echo "a" + "b"' }, 'inner_quotes'],
    ['read_file(path=src/a b.ts, start_line=3)', { path: 'src/a b.ts', start_line: 3 }, 'bare_word'],
    ["read_file(path=what's new)", { path: "what's new" }, 'bare_word'],
    ['read_file(path=00123)', { path: '00123' }, 'bare_word'],
    ['read_file(path=https://x.test/a?b=c)', { path: 'https://x.test/a?b=c' }, 'bare_word'],
    ['read_file(path=3 * (2 + 1))', { path: '3 * (2 + 1)' }, 'bare_word'],
    ['read_file(path=“a”)', { path: 'a' }, 'smart_quotes'],
    ['read_file(path=[a, b])', { path: ['a', 'b'] }, 'bare_word'],
    ['read_file(path=undefined)', { path: null }, 'undefined_as_null'],
    ['read_file({"path": "a", "path": "b"})', { path: 'b' }, 'duplicate_key'],
  ])('%s', (call, args, repair) => {
    const parsed = read(`Action: ${call}`);
    expect(parsed.action?.toolArgs).toEqual(args);
    expect(parsed).toMatchObject({ confidence: 'repaired', repairs: [repair] });
  });

  test.each([
    ['an unterminated string', 'write_file(path="a", content="x)\nObservation: ok'],
    ['a string that swallows the next action', 'read_file(path="a)\nAction: read_file(path="b")'],
    ['inner quotes over lines', 'write_file(path="a", content="print("x")\nprint("y")\n")'],
    ['two lines that may close', 'read_file(path="say "a" b")\nor read_file(path="c")'],
    ['an ellipsis', 'write_file(path="a", content=...)'],
    ['a placeholder', 'read_file(path=<the file>)'],
    ['a call as value', 'write_file(path="a", content=open("b"))'],
    ['an expression', 'write_file(path="a", content="b" + c)'],
    ['a sum of strings', 'read_file(path="a" + "b")'],
    ['a choice of strings', 'read_file(path="a" if x else "b")'],
    ['three quotes closed by one', 'read_file(path="""a")'],
    ['an f-string', 'read_file(path=f"src/{name}")'],
    ['an argument after the missing comma', 'read_file(path="a"\nstart_line=3)'],
    ['a trailing comma without end', 'read_file(path="a",'],
    ['a set', 'read_file(path={1, 2})'],
  ])('what is unclear does not run: %s', (_, call) => {
    expect(read(`Action: ${call}`)).toMatchObject({
      outcome: 'malformed_action',
      action: null,
      problem: expect.any(String),
    });
  });
});

describe('a call has at most 50,000 values, as its object could not be sent back (rule: values)', () => {
  const anything = toOfferedTool({ name: 'f', inputSchema: {} });
  const parse = (args: string) => parseCompletion(`Action: f(${args})`, [anything]);

  test.each([
    ['arguments', (count: number) => Array.from({ length: count }, (_, at) => `a${at}=1`).join(', ')],
    ['items', (count: number) => `x=[${'1, '.repeat(count - 1)}]`],
    ['items of many lists', (count: number) => `x=[${'[1], '.repeat((count - 2) / 2)}[]]`],
  ])('%s', (_, write) => {
    expect(parse(write(50_000)).outcome).toBe('action');
    expect(parse(write(50_002))).toMatchObject({
      outcome: 'malformed_action',
      problem: 'f: a call has more than 50000 values',
    });
  });
});
