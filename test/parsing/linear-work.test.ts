import { describe, expect, test } from '@jest/globals';
import { toOfferedTool } from '../../src/parsing/arguments/offered-tool.js';
import { IncrementalParser } from '../../src/parsing/incremental-parser.js';
import { type ParsedCompletion, parseCompletion } from '../../src/parsing/parse-completion.js';
import { readSignatures } from '../../src/parsing/segment/signatures.js';
import { countLooks } from '../support/parsing/count-looks.js';

const names = (count: number, prefix = 'p'): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}`);

/** Reads a call of `f`, whose arguments have this schema. */
function readCall(inputSchema: Record<string, unknown>, args: string): ParsedCompletion {
  return parseCompletion(`Action: f(${args})`, [toOfferedTool({ name: 'f', inputSchema })]);
}

// Quadratic work on any of these takes from many seconds to minutes: the suite's time limit would end it.
describe('a large segment, schema or reply is read in time linear in it (rule: linear-work)', () => {
  test('80,000 bullets under a heading are its parameters', () => {
    const [tool] = readSignatures(
      `# tool\n${names(80_000)
        .map((name) => `- ${name}: text`)
        .join('\n')}`,
    );
    expect(tool?.parameters).toHaveLength(80_000);
  });

  test.each([
    ['short lines', '1\n'],
    ['blank lines', '\n'],
    ['lines of blanks', ' \n'],
    ['opening brackets', '[\n'],
    ['opening quotes', '{"\n'],
    ['empty objects', '{}\n'],
    ['opening parentheses', 'a(\n'],
    ['comments in a list', 'a(//\n//\n'],
    ['lists that close too late', `${'a(\n'.repeat(600)})`],
    ['colons', 'Note: so\n'],
    ['backticks', 'a `b` c\n'],
  ])('a segment of a mebibyte of %s holds no tool', (_, unit) => {
    expect(readSignatures(unit.repeat(2 ** 20 / unit.length)).filter(({ name }) => name !== 'a')).toEqual([]);
  });

  test('definitions nested without end define nothing', () => {
    expect(readSignatures('['.repeat(100_000) + ']'.repeat(100_000))).toEqual([]);
    expect(readSignatures('{"tools":['.repeat(100_000))).toEqual([]);
  });

  test('40,000 properties, all required and all given', () => {
    const all = names(40_000);
    const schema = { properties: Object.fromEntries(all.map((name) => [name, {}])), required: all };
    const args = all.map((name) => `"${name}": 1`).join(', ');
    expect(Object.keys(readCall(schema, args).action?.toolArgs ?? {})).toHaveLength(40_000);
    expect(Object.keys(readCall(schema, `{${args}}`).action?.toolArgs ?? {})).toHaveLength(40_000);
  });

  test('references to long pointers, in chains and in fans are followed within bounds', () => {
    const pointer = `#/${'a/'.repeat(2 ** 19)}`;
    const long = Object.fromEntries(names(990).map((name) => [name, { $ref: pointer }]));
    expect(readCall({ properties: long }, 'p0=1').action?.toolArgs).toEqual({ p0: 1 });
    const wide = Object.fromEntries(names(200_000, 'x-').map((name) => [name, 1]));
    const refs = Object.fromEntries(names(1500).map((name) => [name, { $ref: '#/$defs/wide' }]));
    expect(readCall({ properties: refs, $defs: { wide } }, 'p0=1').action?.toolArgs).toEqual({ p0: 1 });
    const fan = Object.fromEntries(
      names(100, '').map((at) => [
        at,
        {
          properties: { x: { $ref: `#/$defs/${Number(at) + 1}` }, y: { $ref: `#/$defs/${Number(at) + 1}` } },
        },
      ]),
    );
    expect(readCall({ properties: { p: { $ref: '#/$defs/0' } }, $defs: fan }, 'p={}').outcome).toBe('action');
  });

  test('60,000 calls against one schema of 1,000 properties', () => {
    const properties = Object.fromEntries(names(1000).map((name) => [name, { type: 'string' }]));
    const tools = [toOfferedTool({ name: 'f', inputSchema: { properties } })];
    for (let each = 0; each < 60_000; each += 1) {
      if (!parseCompletion('Action: {"name": "f", "arguments": {}}', tools).action)
        throw new Error('not read');
    }
  });

  test('tool names of several words are looked up, not tried one by one', () => {
    const tools = names(50_000, 'look up ').map((name) => ({ name, parameters: [] }));
    const text = `${'Action: look there\n'.repeat(20_000)}Action: look up 49999()`;
    expect(parseCompletion(text, tools).action?.toolName).toBe('look up 49999');
  });
});

describe('work on one long line is linear in it (rule: linear-work)', () => {
  const offered = [{ name: 'f', parameters: ['a'] }];
  const stream = (text: string, length: number): void => {
    const parser = new IncrementalParser(offered);
    for (let at = 0; at < text.length; at += length) parser.push(text.slice(at, at + length));
    parser.end();
  };

  test.each([
    ['chat tokens', '', '<s></s>'],
    ['tags', '', '<b></b>'],
    ['call tags', '', '<tool_call>'],
    ['call tags that hold a value', '', '<tool_call>{}'],
    ['angles', 'Thought: ', '<'],
    ['brackets', 'Final Answer: so ', '['],
    ['reasoning', '', '<think></think>'],
    ['values and reasoning', '', '[]<think></think>'],
    ['labels and reasoning', '', 'Action: <think></think>'],
    ['actions that are none, and reasoning', '', 'Action: none <think></think>'],
    ['labels in bold, and reasoning', '', '**Thought: x<think>y</think>'],
    ['blanks after a star', '**Thought: x *', ' '],
    ['blanks after emphasis', '**Thought: x **', ' '],
  ])('of %s, whole, streamed in one push and in pushes of 64', (_, prefix, unit) => {
    const grow = (length: number): string => `${prefix}${unit.repeat(length / unit.length)}\nFinal Answer: x`;
    const [short, long] = [grow(2 ** 15), grow(2 ** 17)];
    for (const work of [
      (text: string) => void parseCompletion(text, offered),
      (text: string) => stream(text, text.length),
      (text: string) => stream(text, 64),
    ]) {
      expect(countLooks(() => work(long))).toBeLessThan(5 * countLooks(() => work(short)));
    }
  });
});

describe('checking arguments takes at most a million steps (rule: linear-work)', () => {
  const allOf = {
    properties: { a: { type: 'array', items: { allOf: names(1900).map(() => ({ type: 'number' })) } } },
  };
  const numbers = (count: number): string => `a=[${names(count, '').join(', ')}]`;

  test.each([
    ['values × alternatives', allOf, numbers(20_000)],
    ['values × choices', { properties: { a: { items: { enum: names(5000) } } } }, numbers(20_000)],
    [
      'objects × properties',
      { properties: { a: { items: { required: names(5000) } } } },
      `a=[${'{}, '.repeat(1000)}]`,
    ],
    ['an encoded array', allOf, `a="[${names(20_000, '').join(', ')}]"`],
  ])('beyond that the action is malformed and says so: %s', (_, schema, args) => {
    expect(readCall(schema, args)).toMatchObject({
      outcome: 'malformed_action',
      action: null,
      problem: expect.stringMatching(
        /^f: the arguments are too large to be checked \(more than 1000000 steps\)/,
      ),
    });
  });

  test('many values against a large schema are fine where each meets little of it', () => {
    const properties = {
      a: { type: 'array', items: { type: 'integer' } },
      ...Object.fromEntries(names(2000).map((name) => [name, { type: 'string' }])),
    };
    expect(readCall({ properties }, numbers(20_000)).outcome).toBe('action');
    expect(readCall({ properties }, 'a=[1, "x"]')).toMatchObject({ outcome: 'malformed_action' });
    expect(readCall(allOf, numbers(100)).outcome).toBe('action');
  });

  test('what is coerced is told once for each parameter', () => {
    const schema = { properties: { a: { type: 'array', items: { type: 'string' } } } };
    expect(readCall(schema, numbers(3))).toMatchObject({
      action: { toolArgs: { a: ['0', '1', '2'] } },
      repairs: ['coerced:a'],
    });
  });

  test("a caller's regular expressions are never run over the model's text", () => {
    const schema = {
      properties: { a: { type: 'string', pattern: '^(a+)+$', format: 'regex' } },
      patternProperties: { '^(a+)+$': false },
    };
    expect(readCall(schema, `a="${'a'.repeat(100_000)}!"`).outcome).toBe('action');
  });
});
