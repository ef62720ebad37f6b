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
/** Room for what fast-check makes; the limits have tests of their own. */
const roomy = (name: Dialect) => ({
  ...dialects[name],
  limits: { ...dialects[name].limits, depth: 50 },
});

test.each(
  names,
)('%s: whatever a tool takes can be said and comes back exactly (rule: reversible-schema)', (name) => {
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
] as const)('%s: what is made of a schema is in the vendor’s subset', (name) => {
  fc.assert(
    fc.property(argumentsOf(name), ({ schema }) => {
      const converted = convertSchema(
        schema,
        { ...dialects[name], limits: { ...dialects[name].limits, depth: 10 } },
        1,
      );
      const said = vendorChecks[name](converted?.schema) ?? '';
      expect(said.replace(/.*too many (optional|unions).*/, '')).toBe(''); // a total over all tools, held by the reply's schema
    }),
    { numRuns: 400 },
  );
});

test('the same schema gives the same text', () => {
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

test('an optional argument is null where nothing was meant, and a null that was meant is kept', () => {
  const schema = object({ path: { type: 'string' }, end: { type: ['integer', 'null'] } }, []);
  expect(read(schema, { path: null, end: null })).toEqual({});
  expect(read(schema, { path: 'a', end: { value: null } })).toEqual({ path: 'a', end: null });
  expect(read(schema, { path: 'a', end: { value: 3 } })).toEqual({ path: 'a', end: 3 });
});

test('a map is a list of entries, and a value that may be anything is the text of its JSON', () => {
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

test('alternatives whose work would hold the event loop are not worked out', () => {
  const names = (count: number) => Array.from({ length: count }, (_, index) => `p${index}`);
  const shared = Object.fromEntries(names(1_000).map((name) => [name, {}]));
  const sharing = { properties: shared, anyOf: names(1_000).map((title) => ({ title })) };
  const alike = { anyOf: names(3_000).map((name) => object({ [name]: { type: ['string', 'null'] } }, [])) };
  for (const schema of [sharing, alike])
    expect(convertSchema(object({ e: schema }), openaiSchema, 3)).toBeNull();
  const few = { anyOf: names(100).map((name) => object({ [name]: { type: 'string' } })) };
  expect(convertSchema(object({ e: few }), openaiSchema, 3)?.free).toEqual([]);
});

test('alternatives that only say what is required are left to the check', () => {
  const schema = {
    ...object({ a: { type: 'string' }, b: { type: 'string' } }, []),
    anyOf: [{ required: ['a'] }, { required: ['b'] }],
  };
  expect(read(schema, { a: 'x', b: null })).toEqual({ a: 'x' });
});

test('references are written out, and one that runs in a circle ends as anything', () => {
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

test('what lies deeper than a vendor takes is the text of its JSON', () => {
  const deep = (levels: number): Record<string, unknown> =>
    levels === 0 ? { type: 'string' } : object({ a: deep(levels - 1) });
  const converted = convertSchema(deep(14), strictSchema, 3);
  expect(checkOpenAiSchema({ ...converted?.schema }, 'reply')).toBeNull();
  expect(converted?.size.depth).toBe(10);
  expect(converted?.free).toEqual(['a.a.a.a.a.a.a.a']);
});

test('parts of allOf are one object; parts that contradict each other are free', () => {
  const together = {
    type: 'object',
    allOf: [object({ a: { type: 'string' } }), object({ b: { type: 'integer' } })],
  };
  expect(read(together, { a: 'x', b: 1 })).toEqual({ a: 'x', b: 1 });
  const apart = object({ c: { allOf: [{ type: 'string' }, { type: 'integer' }] } });
  expect(convertSchema(apart, strictSchema, 3)?.free).toEqual(['c']);
});

test('a union of objects that begin alike is sorted so that they do not, or free', () => {
  const shape = (kind: string, more: string) =>
    object({ id: { type: 'string' }, kind: { const: kind }, [more]: { type: 'string' } });
  const told = convertSchema(
    object({ shape: { anyOf: [shape('circle', 'radius'), shape('square', 'side')] } }),
    openaiSchema,
    1,
  );
  expect(checkOpenAiSchema(told?.schema, 'reply')).toBeNull();
  const alike = convertSchema(
    object({ shape: { anyOf: [object({ id: { type: 'string' } }), object({ id: { type: 'integer' } })] } }),
    openaiSchema,
    1,
  );
  expect(alike?.free).toEqual(['shape']);
});

describe('what is made of a schema is in the vendor’s subset (rule: reversible-schema)', () => {
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
  ])('%s', (_, schema) => {
    for (const required of [[], ['e']]) {
      const converted = convertSchema(object({ e: schema }, required), openaiSchema, 1);
      expect(checkOpenAiSchema(converted?.schema, 'reply')).toBeNull();
    }
  });

  test('a list of values that is too long is left to the check; its type is held', () => {
    const schemaOf = (values: readonly string[]) =>
      convertSchema(object({ e: { enum: values } }), openaiSchema, 1)?.schema['properties'];
    expect(schemaOf(long(300))).toEqual({ e: { type: 'string' } });
    expect(schemaOf(long(240))).toEqual({ e: { type: 'string', enum: long(240) } });
  });

  test('bounds of the type stay', () => {
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

  test('a value of a union in a union comes back exactly', () => {
    const entries = { type: 'object', additionalProperties: { type: 'integer' } };
    const schema = object({ e: { anyOf: [{ anyOf: [entries, { type: 'string' }] }, { type: 'null' }] } });
    expect(read(schema, { e: [{ key: 'a', value: 1 }] })).toEqual({ e: { a: 1 } });
    expect(read(schema, { e: 'a' })).toEqual({ e: 'a' });
    expect(read(schema, { e: null })).toEqual({ e: null });
  });
});

describe('a call that the tool takes can always be written, or what is free is named (rule: reversible-schema)', () => {
  const known = { k: { type: 'string' } };
  // Parsed: an object literal with `then` looks like a promise.
  const thenRequired = (name: string) => JSON.parse(`{ "then": { "required": ["${name}"] } }`);

  test.each<[string, Record<string, unknown>]>([
    ['required', { ...object(known), required: ['k', 'x'] }],
    ['required, and nothing is declared', { type: 'object', required: ['x'] }],
    [
      'spoken of by a condition',
      { ...object(known), if: { properties: { k: { const: 'a' } } }, ...thenRequired('x') },
    ],
    [
      'described by a condition',
      { ...object(known), if: { required: ['k'] }, else: { properties: { x: {} } } },
    ],
    ['one of those required', { ...object(known, []), anyOf: [{ required: ['k'] }, { required: ['x'] }] }],
    ['what another needs', { ...object(known), dependentRequired: { k: ['x'] } }],
    ['described where another is', { ...object(known), dependentSchemas: { k: object({ x: {} }) } }],
  ])('a property that is not declared and %s may be anything', (_, schema) => {
    const converted = convertSchema(schema, strictSchema, 3);
    expect(converted?.free).toEqual(['x']);
    const declared = 'properties' in schema && { k: 'a' };
    const image = { ...declared, x: '[1]' };
    expect(validate(image, { ...converted?.schema }, '2020-12').valid).toBe(true);
    expect(converted?.restore(image)).toEqual({ ...declared, x: [1] });
  });

  test('an object that takes no other property is not given one', () => {
    const schema = {
      ...object(known, []),
      additionalProperties: false,
      anyOf: [{ required: ['x'] }, { required: ['k'] }],
    };
    expect(convertSchema(schema, strictSchema, 3)?.free).toEqual([]);
  });

  test('alternatives count beside others that only say what is required', () => {
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

  test('one of two lists at once is anything', () => {
    const lists = {
      anyOf: [{ type: 'string' }, { type: 'integer' }],
      oneOf: [{ minimum: 1 }, { minLength: 1 }],
    };
    expect(convertSchema(object({ e: lists }), strictSchema, 3)?.free).toEqual(['e']);
  });

  test('an object that must hold more than is declared is free', () => {
    expect(convertSchema({ type: 'object', minProperties: 1 }, strictSchema, 3)).toBeNull();
    const schema = object({ e: { ...object(known), minProperties: 2 } });
    expect(convertSchema(schema, strictSchema, 3)?.free).toEqual(['e']);
  });
});

/** An object that holds it under this name would pass for a promise. */
const then = (said: unknown) => Object.fromEntries([['then', said]]);

describe('what a condition says of the inside of a property (rule: reversible-schema)', () => {
  const cfg = object({ a: { type: 'string' } }, []);
  test.each<[string, Record<string, unknown>]>([
    ['then', { if: { required: ['k'] }, ...then({ properties: { cfg: { required: ['z'] } } }) }],
    ['else', { if: { required: ['k'] }, else: { properties: { cfg: { properties: { z: {} } } } } }],
    ['dependentSchemas', { dependentSchemas: { k: { properties: { cfg: { required: ['z'] } } } } }],
    ['not', { not: { properties: { cfg: { properties: { z: false } } } } }],
    ['a condition of a condition', then({ allOf: [{ properties: { cfg: { required: ['z'] } } }] })],
    ['what names there may be', then({ properties: { cfg: { propertyNames: { enum: ['z'] } } } })],
  ])('can be said: %s', (_, conditions) => {
    const schema = { ...object({ k: { type: 'string' }, cfg }, ['cfg']), ...conditions };
    const converted = convertSchema(schema, strictSchema, 3);
    expect(converted?.free).toEqual(['cfg.z']);
    expect(converted?.restore({ k: null, cfg: { a: null, z: '1' } })).toEqual({ cfg: { z: 1 } });
  });

  test.each<[string, Record<string, unknown>]>([
    ['other properties', { additionalProperties: { type: 'integer' } }],
    ['more properties than have a name', { minProperties: 2 }],
  ])('leaves it free where it has no name: %s', (_, said) => {
    const schema = { ...object({ cfg }), ...then({ properties: { cfg: said } }) };
    expect(convertSchema(schema, strictSchema, 3)?.free).toEqual(['cfg']);
  });

  test('an item may hold what the list must contain', () => {
    const schema = object({ list: { type: 'array', items: cfg, contains: { required: ['z'] } } });
    expect(convertSchema(schema, strictSchema, 3)?.free).toEqual(['list[].z']);
  });

  test('keywords that are not written out leave the tool free, a property of that name does not', () => {
    const dependent = { ...object({ a: {} }), dependencies: { a: ['b'] } };
    expect(convertSchema(dependent, strictSchema, 3)).toBeNull();
    expect(convertSchema(object({ dependencies: { type: 'string' } }), strictSchema, 3)?.free).toEqual([]);
  });

  test('names of which only the form is known leave a tool free that declares none', () => {
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
])('bounds that nothing keeps within are not passed on, and the place is named: %s', (_, schema) => {
  for (const dialect of [openaiSchema, anthropicSchema]) {
    const converted = convertSchema(object({ e: schema }), dialect, 1);
    expect(converted?.free).toEqual(['e']);
    expect(JSON.stringify(converted?.schema)).not.toMatch(/"m(?:ax|in)|"enum"|exclusive/);
  }
});

test('a schema of which the work would hold the event loop is left free (rule: loop-share)', () => {
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

test('alternatives too many to be compared are free; too many values are not', () => {
  const objects = Array.from({ length: 129 }, (_, index) => object({ [`p${index}`]: { type: 'string' } }));
  expect(convertSchema(object({ e: { anyOf: objects } }), openaiSchema, 3)?.free).toEqual(['e']);
  const values = Array.from({ length: 300 }, (_, index) => ({ const: index }));
  expect(convertSchema(object({ e: { anyOf: values } }), openaiSchema, 3)?.free).toEqual([]);
});
