import { describe, expect, test } from '@jest/globals';
import { flatSchema } from '../../src/parsing/arguments/flat-schema.js';
import { toOfferedTool } from '../../src/parsing/arguments/offered-tool.js';
import { lineCallWords } from '../../src/parsing/formats/call-rows.js';
import { lineMarkWords } from '../../src/parsing/formats/marks.js';
import { blockWords } from '../../src/parsing/formats/read-block.js';
import { IncrementalParser } from '../../src/parsing/incremental-parser.js';
import { type ParsedCompletion, parseCompletion } from '../../src/parsing/parse-completion.js';
import { readSignatures } from '../../src/parsing/segment/signatures.js';
import { countLooks } from '../support/parsing/count-looks.js';

const names = (count: number, prefix = 'p'): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}`);

/** Reads a call of `f` with this argument schema. */
function readCall(inputSchema: Record<string, unknown>, args: string): ParsedCompletion {
  return parseCompletion(`Action: f(${args})`, [toOfferedTool({ name: 'f', inputSchema })]);
}

// Quadratic work on any of these takes between many seconds and minutes, which exceeds the suite's time
// limit.
describe('time for a large segment, schema or reply is linear (rule: linear-work)', () => {
  test('80,000 bullets under a heading are read as its parameters in linear time', () => {
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
  ])('a segment of 1 MiB of %s is read as having no tool in linear time', (_, unit) => {
    expect(readSignatures(unit.repeat(2 ** 20 / unit.length)).filter(({ name }) => name !== 'a')).toEqual([]);
  });

  test('100,000 nested definitions define no tool and take linear time', () => {
    expect(readSignatures('['.repeat(100_000) + ']'.repeat(100_000))).toEqual([]);
    expect(readSignatures('{"tools":['.repeat(100_000))).toEqual([]);
  });

  test('a call with 40,000 required properties is read in linear time', () => {
    const all = names(40_000);
    const schema = { properties: Object.fromEntries(all.map((name) => [name, {}])), required: all };
    const args = all.map((name) => `"${name}": 1`).join(', ');
    expect(Object.keys(readCall(schema, args).action?.toolArgs ?? {})).toHaveLength(40_000);
    expect(Object.keys(readCall(schema, `{${args}}`).action?.toolArgs ?? {})).toHaveLength(40_000);
  });

  test('schema references to long pointers, in chains and in fans are expanded within a bound', () => {
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

  test.each([
    ['text', { description: 'x'.repeat(2 ** 20) }],
    ['list', { required: names(100_000) }],
  ])('a schema that refers 1,500 times to one long %s is not expanded', (_, long) => {
    const $ref = '#/$defs/long';
    const properties = Object.fromEntries(names(1_000).map((name) => [name, { $ref }]));
    const inputSchema = { properties, anyOf: names(500).map(() => ({ $ref })), $defs: { long } };
    expect(flatSchema(inputSchema)).toBe(inputSchema);
  });

  test('a schema of 1,000 properties is read once, however many calls are checked against it', () => {
    let reads = 0;
    const declared = Object.fromEntries(names(1000).map((name) => [name, { type: 'string' }]));
    const properties = new Proxy(declared, {
      get(target, name) {
        reads += 1;
        return Reflect.get(target, name);
      },
    });
    const tools = [toOfferedTool({ name: 'f', inputSchema: { properties } })];
    const check = () =>
      expect(parseCompletion('Action: f(p7="x")', tools).action?.toolArgs).toEqual({ p7: 'x' });
    check();
    const readsOfOne = reads;
    for (let each = 0; each < 1_000; each += 1) check();
    expect(readsOfOne).toBeGreaterThanOrEqual(1_000);
    expect(reads).toBe(readsOfOne);
  });

  test('among 50,000 tools, a tool name of several words is found by lookup', () => {
    const tools = names(50_000, 'look up ').map((name) => ({ name, parameters: [] }));
    const text = `${'Action: look there\n'.repeat(20_000)}Action: look up 49999()`;
    expect(parseCompletion(text, tools).action?.toolName).toBe('look up 49999');
  });
});

describe('work on one long line is linear (rule: linear-work)', () => {
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
    ['reasoning in brackets that is never closed', 'a ', '[THINK]'],
    ['reasoning of several families', '', '[THINK][/THINK]◁think▷◁/think▷<think:a></think:a>'],
    ['Harmony reasoning', '', '<|channel|>analysis<|message|>a<|end|>'],
    ['labels and reasoning', '', 'Action: <think></think>'],
    ['actions that are none, and reasoning', '', 'Action: none <think></think>'],
    ['labels in bold, and reasoning', '', '**Thought: x<think>y</think>'],
    ['blanks after a star', '**Thought: x *', ' '],
    ['blanks after emphasis', '**Thought: x **', ' '],
  ])('work on a long line of %s is linear, whether the line is read whole or streamed', (_, prefix, unit) => {
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
  ])('an action whose arguments take over a million steps to check is malformed: %s', (_, schema, args) => {
    expect(readCall(schema, args)).toMatchObject({
      outcome: 'malformed_action',
      action: null,
      problem: expect.stringMatching(
        /^f: the arguments are too large to be checked \(more than 1000000 steps\)/,
      ),
    });
  });

  test('20,000 values are checked against a schema of 2,000 properties if each value needs only a small part of the schema', () => {
    const properties = {
      a: { type: 'array', items: { type: 'integer' } },
      ...Object.fromEntries(names(2000).map((name) => [name, { type: 'string' }])),
    };
    expect(readCall({ properties }, numbers(20_000)).outcome).toBe('action');
    expect(readCall({ properties }, 'a=[1, "x"]')).toMatchObject({ outcome: 'malformed_action' });
    expect(readCall(allOf, numbers(100)).outcome).toBe('action');
  });

  test('a coerced parameter is reported once, however many of its values were coerced', () => {
    const schema = { properties: { a: { type: 'array', items: { type: 'string' } } } };
    expect(readCall(schema, numbers(3))).toMatchObject({
      action: { toolArgs: { a: ['0', '1', '2'] } },
      repairs: ['coerced:a'],
    });
  });

  test("regular expressions in a caller's schema never run over the model's text", () => {
    const schema = {
      properties: { a: { type: 'string', pattern: '^(a+)+$', format: 'regex' } },
      patternProperties: { '^(a+)+$': false },
    };
    expect(readCall(schema, `a="${'a'.repeat(100_000)}!"`).outcome).toBe('action');
  });

  /** Reads a reply in two lengths: the four times longer one must not need more than about four times the work. */
  function expectLinear(write: (length: number) => string, outcomes: RegExp): void {
    const tools = [toOfferedTool({ name: 'f', inputSchema: { properties: { a: { type: 'string' } } } })];
    const looksAt = (length: number): number =>
      countLooks(() => expect(parseCompletion(write(length), tools).outcome).toMatch(outcomes));
    expect(looksAt(2 ** 17)).toBeLessThan(5 * looksAt(2 ** 15));
  }

  test.each([
    ['section marks', '<tool_call>'],
    ['marks of lists', '[TOOL_CALLS]\n'],
    ['openers of arguments', '<function=f><parameter=a>'],
    ['arguments on lines that are never closed', '\n<parameter=a>x'],
    ['closing tags', '</parameter> x'],
    ['keys', '<tool_call>f<arg_key>a</arg_key><arg_value>'],
    ['nested elements', ']<]minimax[>[<b>'],
    ['open strings of Gemma', '<|tool_call>call:f{a:<|"|>'],
    ['fences that mean a call', '```tool_code\n'],
    ['names before JSON', 'f\n{"a": 1}\n'],
    ['whole calls', '<invoke name="f"></invoke>'],
    ['calls in a message to the user', 'to=user<|message|><atem:invoke name="f"></atem:invoke> x'],
    ['headers after reasoning', '<think></think><|START_RESPONSE|>'],
    ['halves of marks', '[TOOL_CALLSf'],
    ['calls that are printed', 'print(f('],
  ])('work on a reply of %s in native formats is linear', (_, unit) => {
    const grow = (length: number): string => unit.repeat(length / unit.length);
    for (const write of [
      (length: number) => `<function=f>${grow(length)}`,
      grow,
      (length: number) => `x <function=f>${grow(length)}</parameter></function>`,
    ])
      expectLinear(write, /^(?:answer|action|malformed_action|empty)$/);
  });

  test.each([
    'f[x]; ',
    'f(a="x")\n',
    '{"a": "x"}\n',
  ])('work on further calls %j after an action is linear', (unit) => {
    expectLinear(
      (length) => `Action: f\nAction Input: {"a": "x"}\n${unit.repeat(length / unit.length)}`,
      /^action$/,
    );
  });

  test.each([
    ...new Set([...blockWords, ...lineMarkWords, ...lineCallWords]),
  ])('work on a reply of the opening mark %s before a name is linear', (mark) => {
    const unit = `${mark}f\n`;
    expectLinear(
      (length) => unit.repeat(length / unit.length),
      /^(?:answer|action|malformed_action|unknown_tool)$/,
    );
  });
});
