import { describe, expect, test } from '@jest/globals';
import { parseCompletion } from '../../src/parsing/parse-completion.js';
import { stream } from '../support/parsing/properties.js';
import { read } from '../support/parsing/tools.js';

describe('calls of tools that are not offered (rule: offered-tools)', () => {
  test.each([
    'Action: serch(query="x")',
    'Action: Search(query="x")',
    'Action: serch[x]',
    'Action: serch\nAction Input: {}',
  ])('a call of a tool that is not offered is reported with the offered tools: %j', (text) => {
    const parsed = read(text);
    expect(parsed).toMatchObject({ outcome: 'unknown_tool', action: null, thought: null, answer: text });
    expect(parsed.problem).toMatch(/^tool `[Ss]e?a?rch` is not offered; offered: read_file, read, /);
  });

  test.each([
    'read "a"',
    "read 'a' to see it",
    '`read` "a"',
    '**read** "a"',
    'read path="a"',
    'read: a.md',
    'read: path="a"',
    'read = "a"',
    'read -> a.md',
    'read_file a.md',
    'await read("a")',
    'const text = await read("a");',
    'text = read["a"]',
    '"read"',
    "'read': 'a'",
  ])('`Action: %s` starts with a tool name but is malformed, and the model is advised', (content) => {
    const { joined, completion } = stream(`Thought: x\nAction: ${content}\n`, [3]);
    expect(completion).toMatchObject({
      outcome: 'malformed_action',
      problem: expect.stringMatching(/^read(_file)?[ :].*write read(_file)?\(path/),
    });
    expect(joined.answer).toBe('');
    expect(read(`Action: ${content}`, { finishReason: 'length' }).outcome).toMatch(
      /truncated|malformed_action/,
    );
  });

  test('without a tool list any well-formed call is proposed', () => {
    const parsed = parseCompletion('Action: anything.at-all(a=1)', []);
    expect(parsed.action).toMatchObject({ toolName: 'anything.at-all', toolArgs: { a: 1 } });
    expect(parseCompletion('Action: anything(1)', [])).toMatchObject({
      outcome: 'malformed_action',
      problem: 'argument 1 has no name',
    });
  });
});

describe('white space and punctuation of other scripts (rules: markers, arguments, repairs)', () => {
  test.each([
    ['a no-break space', '\u00a0'],
    ['a narrow no-break space', '\u202f'],
    ['an ideographic space', '\u3000'],
    ['a byte order mark', '\ufeff'],
  ])('%s separates the parts of a call like an ASCII space', (_, blank) => {
    const call = `read_file(path="a"${blank},${blank}start_line${blank}=${blank}3,${blank}end_line=b${blank})`;
    const { completion, joined } = stream(`${blank}Action${blank}:${blank}${call}`, [1, 2, 9, 12, 30]);
    expect(completion.action?.toolArgs).toEqual({ path: 'a', start_line: 3, end_line: 'b' });
    expect(joined).toMatchObject({ draft: '', thought: '', answer: '' });
  });

  test.each([
    'read(path="a")',
    '{"name": "read", "arguments": {"path": "a"}}',
    '```json\n{"name": "read", "arguments": {"path": "a"}}\n```',
  ])('the text of a call after a byte order mark is never streamed as an answer: %j', (call) => {
    const text = `\ufeff${call}`;
    const { completion, joined } = stream(
      text,
      Array.from(text, () => 1),
    );
    expect(completion.action?.toolArgs).toEqual({ path: 'a' });
    expect(joined).toMatchObject({ draft: '', answer: '' });
  });

  test.each([
    'read(path：“a”)',
    'read(path：a)',
    'read(path＝3)',
    'read_file(path=a，start_line=3)',
    'read_file(a；start_line：3)',
  ])('a separator of full width never becomes part of an unquoted value: %s', (call) => {
    expect(read(`Action: ${call}`)).toMatchObject({ outcome: 'malformed_action', action: null });
  });

  test.each([
    ['read(path=你好，世界)', '你好，世界'],
    ['read(path=你好：世界)', '你好：世界'],
    ['read(path="path：a，path=b")', 'path：a，path=b'],
  ])('punctuation of full width stays in a value without a parameter name beside it: %s', (call, path) => {
    expect(read(`Action: ${call}`).action?.toolArgs).toEqual({ path });
  });
});

describe('JSON calls (rule: json-call)', () => {
  test.each([
    ['{"path": "a"}', /names no tool/],
    ['{"name": "read", "path": "a"}', /under "arguments"/],
  ])('a JSON call whose arguments cannot be assigned is malformed: %s', (blob, problem) => {
    expect(read(`Action: ${blob}`)).toMatchObject({
      outcome: 'malformed_action',
      problem: expect.stringMatching(problem),
    });
  });
});

describe('reasoning from the provider (rule: thinking)', () => {
  test('reasoning from a separate field is passed on, and no call in it runs', () => {
    const parsed = read('Final Answer: 4', { reasoning: 'Action: read(path="a")' });
    expect(parsed).toMatchObject({ reasoning: 'Action: read(path="a")', thought: null, answer: '4' });
  });
});

describe('answers without a label (rule: thought-and-answer)', () => {
  test('an answer without a label is reported as a repair, unless labels were not taught (rule: repairs)', () => {
    expect(read('It is 4.')).toMatchObject({ confidence: 'repaired', repairs: ['unlabelled_answer'] });
    expect(read('Final Answer: It is 4.')).toMatchObject({ confidence: 'exact', repairs: [] });
    expect(read('It is 4.', { labelsExpected: false })).toMatchObject({ confidence: 'exact', repairs: [] });
  });
});
