import { describe, expect, test } from '@jest/globals';
import { checkArguments } from '../../../src/parsing/arguments/check-arguments.js';
import { toOfferedTool } from '../../../src/parsing/arguments/offered-tool.js';
import { type ParsedCompletion, parseCompletion } from '../../../src/parsing/parse-completion.js';

function read(
  args: string,
  properties: Record<string, unknown>,
  more: Record<string, unknown> = {},
): ParsedCompletion {
  const tool = toOfferedTool({ name: 'f', inputSchema: { type: 'object', properties, ...more } });
  return parseCompletion(`Action: f(${args})`, [tool]);
}

describe('checking arguments against a declared type (rule: values)', () => {
  test.each([
    ['v="x"', /`v`: .*integer.*; write f\(v, w\)$/],
    ['w="x"', /required property `v`/],
    ['v=1, u=2', /`u`/],
  ])('a problem with the arguments %s names the parameter', (args, problem) => {
    const parsed = read(
      args,
      { v: { type: 'integer' }, w: {} },
      { required: ['v'], additionalProperties: false },
    );
    expect(parsed.problem).toMatch(problem);
  });
});

describe('hostile argument schemas', () => {
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
  ])('checking arguments neither throws nor hangs with a schema that has %s', (_, schema) => {
    const checked = checkArguments({ v: `${'a'.repeat(50)}!` }, schema, new WeakMap());
    expect(checked).toMatchObject({ ok: true });
  });

  test('checking arguments follows references within the schema', () => {
    const schema = { properties: { v: { $ref: '#/$defs/id' } }, $defs: { id: { type: 'integer' } } };
    expect(checkArguments({ v: 'x' }, schema, new WeakMap()).ok).toBe(false);
    expect(checkArguments({ v: '7' }, schema, new WeakMap())).toMatchObject({ ok: true, values: { v: 7 } });
  });
});

describe('a null for an optional parameter (rule: values)', () => {
  const optional = { path: { type: 'string' }, line: { type: 'integer' }, mode: { enum: ['r', 'w'] } };
  const required = { required: ['path'] };

  test('a null for an optional parameter that is not nullable is dropped', () => {
    const parsed = read('path="a", line=null, mode=None', optional, required);
    expect(parsed.action?.toolArgs).toEqual({ path: 'a' });
    expect(parsed.repairs).toContain('null_dropped');
  });

  test.each([
    ['is nullable', { line: { type: ['integer', 'null'] } }],
    ['has an alternative for null', { line: { anyOf: [{ type: 'integer' }, { type: 'null' }] } }],
    ['has no type', { line: {} }],
    ['is not declared', {}],
  ])('a null is kept as a value if its parameter %s', (_, properties) => {
    const parsed = read('line=null', properties);
    expect(parsed.action?.toolArgs).toEqual({ line: null });
    expect(parsed.repairs).toEqual([]);
  });

  test('a null makes the call malformed if its parameter is required', () => {
    expect(read('path=null', optional, required).outcome).toBe('malformed_action');
  });
});
