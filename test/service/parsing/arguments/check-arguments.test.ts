import { describe, expect, test } from '@jest/globals';
import { checkArguments } from '../../../../src/service/parsing/arguments/check-arguments.js';
import { toOfferedTool } from '../../../../src/service/parsing/arguments/offered-tool.js';
import { type ParsedCompletion, parseCompletion } from '../../../../src/service/parsing/parse-completion.js';
import type { JsonValue } from '../../../../src/service/parsing/text/scanner.js';

function read(
  args: string,
  properties: Record<string, unknown>,
  more: Record<string, unknown> = {},
): ParsedCompletion {
  const tool = toOfferedTool({ name: 'f', inputSchema: { type: 'object', properties, ...more } });
  return parseCompletion(`Action: f(${args})`, [tool]);
}

describe('with a declared type, values are coerced only without loss (rule: values)', () => {
  test.each<[string, unknown, JsonValue]>([
    ['"42"', { type: 'integer' }, 42],
    ['"4.5"', { type: 'number' }, 4.5],
    ['"true"', { type: 'boolean' }, true],
    ['42', { type: 'string' }, '42'],
    ['1.10', { type: 'string' }, '1.10'],
    ['{"k": 1.0}', { properties: { k: { type: 'string' } } }, { k: '1.0' }],
    ['["1", 2]', { type: 'array', items: { type: 'integer' } }, [1, 2]],
    ['"[1, 2]"', { type: 'array' }, [1, 2]],
    ['"{\\"k\\": 1}"', { type: 'object' }, { k: 1 }],
    ['"42"', { anyOf: [{ type: 'integer' }, { type: 'null' }] }, 42],
    ['true', { type: 'string' }, 'true'],
  ])('%s for %j', (written, schema, value) => {
    const parsed = read(`v=${written}`, { v: schema });
    expect(parsed.action?.toolArgs).toEqual({ v: value });
    expect(parsed.repairs).toEqual([expect.stringMatching(/^coerced:/)]);
  });

  test.each<[string, unknown]>([
    ['"00123"', { type: 'integer' }],
    ['"1e3"', { type: 'integer' }],
    ['4.5', { type: 'integer' }],
    ['12345678901234567890', { type: 'integer' }],
    ['"yes"', { type: 'boolean' }],
    ['1', { type: 'boolean' }],
    ['None', { type: 'string' }],
    ['"a"', { type: 'array' }],
    ['"c"', { enum: ['a', 'b'] }],
    ['5', { type: 'integer', maximum: 4 }],
  ])('%s does not fit %j', (written, schema) => {
    expect(read(`v=${written}`, { v: schema })).toMatchObject({ outcome: 'malformed_action', action: null });
  });

  test.each<[string, unknown, JsonValue]>([
    ['1', { anyOf: [{ type: 'string' }, { enum: [1, 2, 3] }] }, 1],
    ['false', { anyOf: [{ type: 'string' }, { const: false }] }, false],
    ['1.5', { anyOf: [{ type: 'string' }, {}] }, 1.5],
    ['"[1]"', { anyOf: [{ type: 'array', items: { type: 'string' } }, { enum: ['[1]'] }] }, '[1]'],
    ['"7"', { oneOf: [{ type: 'integer' }, { const: '7' }] }, '7'],
    ['[1, "x"]', { type: 'array', items: { anyOf: [{ type: 'string' }, { const: 1 }] } }, [1, 'x']],
    ['{"k": 1}', { properties: { k: { anyOf: [{ type: 'string' }, { const: 1 }] } } }, { k: 1 }],
  ])('%s fits %j and is left as it is', (written, schema, value) => {
    const parsed = read(`v=${written}`, { v: schema });
    expect(parsed).toMatchObject({ confidence: 'exact', action: { toolArgs: { v: value } } });
  });

  test.each<[string, unknown, JsonValue]>([
    ['4', { anyOf: [{ type: 'string' }, { enum: [1, 2, 3] }] }, '4'],
    ['true', { anyOf: [{ type: 'string' }, { const: false }] }, 'true'],
    ['"[1]"', { anyOf: [{ type: 'array' }, { enum: ['[2]'] }] }, [1]],
  ])('%s fits no alternative of %j as it is', (written, schema, value) => {
    const parsed = read(`v=${written}`, { v: schema });
    expect(parsed).toMatchObject({ repairs: ['coerced:v'], action: { toolArgs: { v: value } } });
  });

  test('what fits is left as it is', () => {
    expect(read('v=3.0, w="x"', { v: { type: 'integer' }, w: { type: ['string', 'null'] } })).toMatchObject({
      confidence: 'exact',
      action: { toolArgs: { v: 3, w: 'x' } },
    });
  });

  test.each([
    ['v="x"', /`v`: .*integer.*; write f\(v, w\)$/],
    ['w="x"', /required property `v`/],
    ['v=1, u=2', /`u`/],
  ])('%s is told in words the model can use', (args, problem) => {
    const parsed = read(
      args,
      { v: { type: 'integer' }, w: {} },
      { required: ['v'], additionalProperties: false },
    );
    expect(parsed.problem).toMatch(problem);
  });
});

describe('a schema of a caller can do no harm', () => {
  const deep = (depth: number): Record<string, unknown> => {
    let schema: Record<string, unknown> = { type: 'string' };
    for (let level = 0; level < depth; level += 1) schema = { properties: { a: schema } };
    return schema;
  };
  const doubling = Object.fromEntries(
    Array.from({ length: 60 }, (_, at) => [
      `d${at}`,
      { allOf: [{ $ref: `#/$defs/d${at + 1}` }, { $ref: `#/$defs/d${at + 1}` }] },
    ]),
  );

  test.each<[string, Record<string, unknown>]>([
    ['a pattern that backtracks', { properties: { v: { pattern: '^(a+)+$' } } }],
    [
      'a property pattern',
      { patternProperties: { '^(v+)+$': { type: 'integer' } }, additionalProperties: false },
    ],
    ['an unknown format', { properties: { v: { format: 'nonsense' } } }],
    ['a remote reference', { properties: { v: { $ref: 'https://127.0.0.1:1/schema' } } }],
    ['a reference to itself', { $ref: '#' }],
    [
      'a reference in a circle',
      {
        properties: { v: { $ref: '#/$defs/a' } },
        $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } },
      },
    ],
    ['a reference to nothing', { properties: { v: { $ref: '#/$defs/none' } } }],
    ['references that double', { allOf: [{ $ref: '#/$defs/d0' }], $defs: doubling }],
    ['great depth', deep(20_000)],
    ['no schema at all', { type: 5, properties: 'x', required: 7, anyOf: {}, enum: 'y', items: [null] }],
    ['prototype names', { properties: { ['__proto__']: { type: 'integer' } } }],
  ])('%s', (_, schema) => {
    const checked = checkArguments({ v: `${'a'.repeat(50)}!` }, schema, new WeakMap());
    expect(checked).toMatchObject({ ok: true });
  });

  test('references within the schema are followed', () => {
    const schema = { properties: { v: { $ref: '#/$defs/id' } }, $defs: { id: { type: 'integer' } } };
    expect(checkArguments({ v: 'x' }, schema, new WeakMap()).ok).toBe(false);
    expect(checkArguments({ v: '7' }, schema, new WeakMap())).toMatchObject({ ok: true, values: { v: 7 } });
  });
});
