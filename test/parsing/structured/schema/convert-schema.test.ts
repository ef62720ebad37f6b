import { validate } from '@cfworker/json-schema';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { checkAnthropicSchema, checkOpenAiSchema } from '../../../../src/offline/wire/check-schema.js';
import type { JsonValue } from '../../../../src/parsing/index.js';
import { convertSchema } from '../../../../src/parsing/structured/schema/convert-schema.js';
import {
  anthropicSchema,
  llamaSchema,
  openaiSchema,
  strictSchema,
} from '../../../../src/service/providers/models/schema-dialects.js';
import { argumentsOf, type Dialect } from '../../../support/schema-values.js';

const dialects = {
  openai: openaiSchema,
  strict: strictSchema,
  anthropic: anthropicSchema,
  llama: llamaSchema,
};
const names: readonly Dialect[] = ['openai', 'strict', 'anthropic', 'llama'];
/** Returns a dialect with limits that no generated schema exceeds; other tests cover the limits. */
const roomy = (name: Dialect) => ({
  ...dialects[name],
  limits: { ...dialects[name].limits, depth: 50 },
});

test.each(
  names,
)('every value that a tool accepts can be written in the dialect of %s and is restored exactly (rule: reversible-schema)', (name) => {
  fc.assert(
    fc.property(argumentsOf(name), ({ schema, value, image }) => {
      const converted = convertSchema(schema, roomy(name), 3);
      expect(converted).not.toBeNull();
      expect(validate(image, { ...converted?.schema }, '2020-12').valid).toBe(true);
      expect(converted?.restore(JSON.parse(JSON.stringify(image)))).toEqual(value);
    }),
    { numRuns: 400 },
  );
});

const vendorChecks = {
  openai: (schema: unknown) => checkOpenAiSchema(schema, 'reply'),
  strict: (schema: unknown) => checkOpenAiSchema(schema, 'reply'),
  anthropic: checkAnthropicSchema,
};

test.each([
  'openai',
  'strict',
  'anthropic',
] as const)('a schema converted to the dialect of %s is in the vendor’s subset', (name) => {
  fc.assert(
    fc.property(argumentsOf(name), ({ schema }) => {
      const converted = convertSchema(
        schema,
        { ...dialects[name], limits: { ...dialects[name].limits, depth: 10 } },
        1,
      );
      const said = vendorChecks[name](converted?.schema) ?? '';
      expect(said.replace(/.*too many (optional|unions).*/, '')).toBe(''); // The reply schema enforces this limit over all tools.
    }),
    { numRuns: 400 },
  );
});

test('converting the same schema twice gives the same text', () => {
  const schema = {
    type: 'object',
    properties: { b: { type: 'string' }, a: { type: 'integer' } },
    required: ['b'],
  };
  const texts = [schema, structuredClone(schema)].map((each) =>
    JSON.stringify(convertSchema(each, openaiSchema, 3)?.schema),
  );
  expect(texts[0]).toBe(texts[1]);
});

const object = (properties: Record<string, unknown>, required: string[] = Object.keys(properties)) => ({
  type: 'object',
  properties,
  required,
});

const read = (schema: Record<string, unknown>, image: JsonValue) =>
  convertSchema(schema, strictSchema, 3)?.restore(image);

test('an omitted optional argument is written as null, and an intended null is restored', () => {
  const schema = object({ path: { type: 'string' }, end: { type: ['integer', 'null'] } }, []);
  expect(read(schema, { path: null, end: null })).toEqual({});
  expect(read(schema, { path: 'a', end: { value: null } })).toEqual({ path: 'a', end: null });
  expect(read(schema, { path: 'a', end: { value: 3 } })).toEqual({ path: 'a', end: 3 });
});

test('a map is converted to a list of entries, and a value of any type to JSON text', () => {
  const schema = object({
    labels: { type: 'object', additionalProperties: { type: 'integer' } },
    filter: {},
  });
  const converted = convertSchema(schema, strictSchema, 3);
  expect(converted?.free).toEqual(['filter']);
  const image = { labels: [{ key: '__proto__', value: 1 }], filter: '{"a": [1, null]}' };
  expect(JSON.stringify(converted?.restore(image))).toBe(
    '{"labels":{"__proto__":1},"filter":{"a":[1,null]}}',
  );
});

test.each([
  ['no object', { type: 'string' }],
  ['patterns for names', { type: 'object', patternProperties: { '^a': {} }, properties: { b: {} } }],
  ['one of several objects', { type: 'object', oneOf: [object({ a: {} }), object({ b: {} })] }],
])('a schema is not converted if it is %s', (_, schema) => {
  expect(convertSchema(schema, strictSchema, 3)).toBeNull();
});

test('a schema with alternatives that would take too long to convert is not converted', () => {
  const names = (count: number) => Array.from({ length: count }, (_, index) => `p${index}`);
  const shared = Object.fromEntries(names(1_000).map((name) => [name, {}]));
  const sharing = { properties: shared, anyOf: names(1_000).map((title) => ({ title })) };
  const alike = { anyOf: names(3_000).map((name) => object({ [name]: { type: ['string', 'null'] } }, [])) };
  for (const schema of [sharing, alike])
    expect(convertSchema(object({ e: schema }), openaiSchema, 3)).toBeNull();
  const few = { anyOf: names(100).map((name) => object({ [name]: { type: 'string' } })) };
  expect(convertSchema(object({ e: few }), openaiSchema, 3)?.free).toEqual([]);
});

test('alternatives that only list required properties are left to the argument check', () => {
  const schema = {
    ...object({ a: { type: 'string' }, b: { type: 'string' } }, []),
    anyOf: [{ required: ['a'] }, { required: ['b'] }],
  };
  expect(read(schema, { a: 'x', b: null })).toEqual({ a: 'x' });
});

test('references are expanded, and a circular reference becomes a schema for any value', () => {
  const node = {
    type: 'object',
    properties: { name: { type: 'string' }, next: { $ref: '#/$defs/node' } },
    required: ['name', 'next'],
  };
  const schema = { ...object({ node: { $ref: '#/$defs/node' } }), $defs: { node } };
  const converted = convertSchema(schema, strictSchema, 3);
  expect(converted?.free).toEqual(['node.next']);
  expect(converted?.restore({ node: { name: 'a', next: '{"name":"b","next":{}}' } })).toEqual({
    node: { name: 'a', next: { name: 'b', next: {} } },
  });
});

test('values nested deeper than a vendor allows become JSON text', () => {
  const deep = (levels: number): Record<string, unknown> =>
    levels === 0 ? { type: 'string' } : object({ a: deep(levels - 1) });
  const converted = convertSchema(deep(14), strictSchema, 3);
  expect(checkOpenAiSchema({ ...converted?.schema }, 'reply')).toBeNull();
  expect(converted?.size.depth).toBe(10);
  expect(converted?.free).toEqual(['a.a.a.a.a.a.a.a']);
});

test('the parts of allOf are merged, and contradicting parts become a value without a schema', () => {
  const together = {
    type: 'object',
    allOf: [object({ a: { type: 'string' } }), object({ b: { type: 'integer' } })],
  };
  expect(read(together, { a: 'x', b: 1 })).toEqual({ a: 'x', b: 1 });
  const apart = object({ c: { allOf: [{ type: 'string' }, { type: 'integer' }] } });
  expect(convertSchema(apart, strictSchema, 3)?.free).toEqual(['c']);
});

test('if objects of a union begin with the same property, they are reordered, or the union gets no schema', () => {
  const shape = (kind: string, more: string) =>
    object({ id: { type: 'string' }, kind: { const: kind }, [more]: { type: 'string' } });
  const converted = convertSchema(
    object({ shape: { anyOf: [shape('circle', 'radius'), shape('square', 'side')] } }),
    openaiSchema,
    1,
  );
  expect(checkOpenAiSchema(converted?.schema, 'reply')).toBeNull();
  const alike = convertSchema(
    object({ shape: { anyOf: [object({ id: { type: 'string' } }), object({ id: { type: 'integer' } })] } }),
    openaiSchema,
    1,
  );
  expect(alike?.free).toEqual(['shape']);
});

describe('conversion to a vendor’s subset (rule: reversible-schema)', () => {
  const deep = (levels: number): Record<string, unknown> =>
    levels === 0
      ? { type: 'string' }
      : { type: ['object', 'null'], properties: { a: deep(levels - 1), b: { type: 'null' } } };
  const long = (count: number) => Array.from({ length: count }, (_, index) => 'v'.repeat(60) + index);
  const one = object({ x: { type: 'string' } });
  const other = object({ x: { type: 'string' }, y: { type: 'string' } });
  const kind = (value: string) => object({ kind: { const: value }, 1: { type: 'string' } });

  test.each<[string, Record<string, unknown>]>([
    ['nullable objects deep in one another', deep(9)],
    ['an enum of many long strings', { enum: long(300) }],
    ['an enum that says a value twice', { enum: ['a', 'b', 'a', 1, 1] }],
    ['no type at all', { type: [] }],
    ['a type twice', { type: ['string', 'string'] }],
    ['bounds of another type', { type: ['string', 'integer'], minimum: 1, minItems: 2 }],
    ['bounds that say nothing', { type: 'array', items: { type: 'integer', multipleOf: 0 }, minItems: 2.5 }],
    ['a bound beyond all numbers', { type: 'number', maximum: Number.POSITIVE_INFINITY }],
    ['a union in a union', { anyOf: [{ anyOf: [one, { type: 'string' }] }, other] }],
    [
      'two unions in a union',
      { anyOf: [{ oneOf: [one, { type: 'null' }] }, { anyOf: [other, { type: 'string' }] }] },
    ],
    ['objects of a union whose names are numbers', { anyOf: [kind('a'), kind('b')] }],
  ])('a converted schema is in the vendor’s subset if the original has %s', (_, schema) => {
    for (const required of [[], ['e']]) {
      const converted = convertSchema(object({ e: schema }, required), openaiSchema, 1);
      expect(checkOpenAiSchema(converted?.schema, 'reply')).toBeNull();
    }
  });

  test('an enum with more values than the vendor allows is replaced by its type', () => {
    const schemaOf = (values: readonly string[]) =>
      convertSchema(object({ e: { enum: values } }), openaiSchema, 1)?.schema['properties'];
    expect(schemaOf(long(300))).toEqual({ e: { type: 'string' } });
    expect(schemaOf(long(240))).toEqual({ e: { type: 'string', enum: long(240) } });
  });

  test('minimum and maxItems are kept when a union of types is split', () => {
    const schema = { type: ['integer', 'array'], items: { type: 'string' }, minimum: 1, maxItems: 3 };
    expect(convertSchema(object({ e: schema }), openaiSchema, 1)?.schema['properties']).toEqual({
      e: {
        anyOf: [
          { type: 'integer', minimum: 1 },
          { type: 'array', items: { type: 'string' }, maxItems: 3 },
        ],
      },
    });
  });

  test('a value of a nested union is restored exactly', () => {
    const entries = { type: 'object', additionalProperties: { type: 'integer' } };
    const schema = object({ e: { anyOf: [{ anyOf: [entries, { type: 'string' }] }, { type: 'null' }] } });
    expect(read(schema, { e: [{ key: 'a', value: 1 }] })).toEqual({ e: { a: 1 } });
    expect(read(schema, { e: 'a' })).toEqual({ e: 'a' });
    expect(read(schema, { e: null })).toEqual({ e: null });
  });
});

describe('properties that a schema requires or describes without declaring them (rule: reversible-schema)', () => {
  const known = { k: { type: 'string' } };
  // Parsed from JSON, since an object literal with `then` looks like a promise.
  const thenRequired = (name: string) => JSON.parse(`{ "then": { "required": ["${name}"] } }`);

  test.each<[string, Record<string, unknown>]>([
    ['required', { ...object(known), required: ['k', 'x'] }],
    ['required while no property is declared', { type: 'object', required: ['x'] }],
    [
      'required by a condition',
      { ...object(known), if: { properties: { k: { const: 'a' } } }, ...thenRequired('x') },
    ],
    [
      'described by a condition',
      { ...object(known), if: { required: ['k'] }, else: { properties: { x: {} } } },
    ],
    [
      'one of several alternatives that are required',
      { ...object(known, []), anyOf: [{ required: ['k'] }, { required: ['x'] }] },
    ],
    ['required by another property', { ...object(known), dependentRequired: { k: ['x'] } }],
    [
      'described for objects with another property',
      { ...object(known), dependentSchemas: { k: object({ x: {} }) } },
    ],
  ])('an undeclared property may have any value if it is %s', (_, schema) => {
    const converted = convertSchema(schema, strictSchema, 3);
    expect(converted?.free).toEqual(['x']);
    const declared = 'properties' in schema && { k: 'a' };
    const image = { ...declared, x: '[1]' };
    expect(validate(image, { ...converted?.schema }, '2020-12').valid).toBe(true);
    expect(converted?.restore(image)).toEqual({ ...declared, x: [1] });
  });

  test('a closed object is not given undeclared properties', () => {
    const schema = {
      ...object(known, []),
      additionalProperties: false,
      anyOf: [{ required: ['x'] }, { required: ['k'] }],
    };
    expect(convertSchema(schema, strictSchema, 3)?.free).toEqual([]);
  });

  test('a schema with both oneOf and anyOf is converted as a property, but not at the root', () => {
    const schema = {
      ...object(known, []),
      anyOf: [{ required: ['k'] }, { required: ['x'] }],
      oneOf: [object({ x: { type: 'string' } }), object({ y: { type: 'string' } })],
    };
    expect(convertSchema(schema, strictSchema, 3)).toBeNull();
    expect(
      convertSchema(object({ e: schema }), strictSchema, 3)?.restore({ e: { x: 'a', k: null } }),
    ).toEqual({ e: { x: 'a' } });
  });

  test('a value with both anyOf and oneOf may be anything', () => {
    const lists = {
      anyOf: [{ type: 'string' }, { type: 'integer' }],
      oneOf: [{ minimum: 1 }, { minLength: 1 }],
    };
    expect(convertSchema(object({ e: lists }), strictSchema, 3)?.free).toEqual(['e']);
  });

  test('an object that requires more properties than it declares is a value without a schema', () => {
    expect(convertSchema({ type: 'object', minProperties: 1 }, strictSchema, 3)).toBeNull();
    const schema = object({ e: { ...object(known), minProperties: 2 } });
    expect(convertSchema(schema, strictSchema, 3)?.free).toEqual(['e']);
  });
});

/** Builds an object with the key `then`, since a literal would look like a promise. */
const then = (said: unknown) => Object.fromEntries([['then', said]]);

describe('conditions on the value of a property (rule: reversible-schema)', () => {
  const cfg = object({ a: { type: 'string' } }, []);
  test.each<[string, Record<string, unknown>]>([
    ['then', { if: { required: ['k'] }, ...then({ properties: { cfg: { required: ['z'] } } }) }],
    ['else', { if: { required: ['k'] }, else: { properties: { cfg: { properties: { z: {} } } } } }],
    ['dependentSchemas', { dependentSchemas: { k: { properties: { cfg: { required: ['z'] } } } } }],
    ['not', { not: { properties: { cfg: { properties: { z: false } } } } }],
    ['a condition of a condition', then({ allOf: [{ properties: { cfg: { required: ['z'] } } }] })],
    ['what names there may be', then({ properties: { cfg: { propertyNames: { enum: ['z'] } } } })],
  ])("a condition on a property's value can be expressed: %s", (_, conditions) => {
    const schema = { ...object({ k: { type: 'string' }, cfg }, ['cfg']), ...conditions };
    const converted = convertSchema(schema, strictSchema, 3);
    expect(converted?.free).toEqual(['cfg.z']);
    expect(converted?.restore({ k: null, cfg: { a: null, z: '1' } })).toEqual({ cfg: { z: 1 } });
  });

  test.each<[string, Record<string, unknown>]>([
    ['other properties', { additionalProperties: { type: 'integer' } }],
    ['more properties than have a name', { minProperties: 2 }],
  ])('a value with a condition on undeclared properties gets no schema: %s', (_, said) => {
    const schema = { ...object({ cfg }), ...then({ properties: { cfg: said } }) };
    expect(convertSchema(schema, strictSchema, 3)?.free).toEqual(['cfg']);
  });

  test('an item of a list may have the properties of its `contains` schema', () => {
    const schema = object({ list: { type: 'array', items: cfg, contains: { required: ['z'] } } });
    expect(convertSchema(schema, strictSchema, 3)?.free).toEqual(['list[].z']);
  });

  test('the keyword `dependencies` prevents conversion, but a property named `dependencies` does not', () => {
    const dependent = { ...object({ a: {} }), dependencies: { a: ['b'] } };
    expect(convertSchema(dependent, strictSchema, 3)).toBeNull();
    expect(convertSchema(object({ dependencies: { type: 'string' } }), strictSchema, 3)?.free).toEqual([]);
  });

  test('a tool with a pattern for property names but no declared properties gets no strict schema', () => {
    expect(convertSchema({ type: 'object', propertyNames: { pattern: '^x' } }, strictSchema, 3)).toBeNull();
  });
});

test.each<[string, Record<string, unknown>]>([
  ['numbers', { type: 'integer', minimum: 3, maximum: 1 }],
  ['numbers without their bound', { type: 'number', exclusiveMinimum: 1, maximum: 1 }],
  ['lists', { type: 'array', items: { type: 'string' }, minItems: 2, maxItems: 1 }],
  ['texts', { type: 'string', minLength: 2, maxLength: 1 }],
  ['objects', { ...object({ a: {} }), minProperties: 1, maxProperties: 0 }],
  ['no value at all', { enum: [] }],
])('contradictory bounds are dropped, and the value is listed as one without a schema: %s', (_, schema) => {
  for (const dialect of [openaiSchema, anthropicSchema]) {
    const converted = convertSchema(object({ e: schema }), dialect, 1);
    expect(converted?.free).toEqual(['e']);
    expect(JSON.stringify(converted?.schema)).not.toMatch(/"m(?:ax|in)|"enum"|exclusive/);
  }
});

test('a schema that would take too long to convert is not converted (rule: loop-share)', () => {
  const many = (count: number, each: unknown) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, each]));
  const inner = object({ a: { type: 'string' } });
  const repeated = {
    ...object(many(200, inner)),
    additionalProperties: false,
    ...then({ additionalProperties: { properties: many(200, {}) } }),
  };
  for (const schema of [object(many(3_000, { type: 'string' })), repeated])
    expect(convertSchema(schema, openaiSchema, 3)).toBeNull();
  expect(convertSchema(object(many(1_000, { type: 'string' })), openaiSchema, 3)?.free).toEqual([]);
});

test('too many alternatives to compare become a value without a schema; too many values do not', () => {
  const objects = Array.from({ length: 129 }, (_, index) => object({ [`p${index}`]: { type: 'string' } }));
  expect(convertSchema(object({ e: { anyOf: objects } }), openaiSchema, 3)?.free).toEqual(['e']);
  const values = Array.from({ length: 300 }, (_, index) => ({ const: index }));
  expect(convertSchema(object({ e: { anyOf: values } }), openaiSchema, 3)?.free).toEqual([]);
});
