import { validate } from '@cfworker/json-schema';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { JsonValue } from '../../../../src/parsing/index.js';
import { convertSchema } from '../../../../src/parsing/structured/schema/convert-schema.js';
import {
  anthropicSchema,
  llamaSchema,
  openaiSchema,
  strictSchema,
} from '../../../../src/service/providers/models/schema-dialects.js';

/** The keywords that the test generates. */
interface Schema {
  readonly [keyword: string]: unknown;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly dependentRequired?: Readonly<Record<string, readonly string[]>>;
  readonly dependentSchemas?: Readonly<Record<string, Schema>>;
  readonly propertyNames?: { readonly enum?: readonly string[] };
  readonly items?: Schema;
  readonly prefixItems?: readonly Schema[];
  readonly contains?: Schema;
  readonly not?: Schema;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
}

const names = ['a', 'b', 'c', 'value'];
const name = fc.constantFrom(...names);
const someNames = fc.uniqueArray(name, { maxLength: 2 });
const plain: fc.Arbitrary<Schema> = fc.constantFrom<Schema>(
  { type: 'string' },
  { type: 'integer', minimum: 0, maximum: 2 },
  { type: ['integer', 'null'] },
  { enum: ['x', 1, null] },
  { const: 'x' },
  { type: 'boolean' },
  {},
);

const optional = (keyword: string, value: fc.Arbitrary<unknown>): fc.Arbitrary<Schema> =>
  fc.oneof(
    { weight: 3, arbitrary: fc.constant({}) },
    { weight: 1, arbitrary: value.map((each) => ({ [keyword]: each })) },
  );

const joined = (...parts: fc.Arbitrary<Schema>[]): fc.Arbitrary<Schema> =>
  fc.tuple(...parts).map((each) => Object.assign({}, ...each));

/** Generates schemas that restrict parts of a value without `type: object`. */
const condition = (depth: number): fc.Arbitrary<Schema> =>
  depth === 0
    ? fc.oneof(plain, fc.record({ required: someNames }))
    : joined(
        optional('properties', fc.dictionary(name, condition(depth - 1), { maxKeys: 2 })),
        optional('required', someNames),
        optional('minProperties', fc.nat(2)),
        optional('contains', condition(depth - 1)),
        optional('not', condition(depth - 1)),
        optional('additionalProperties', plain),
      );

const conditions = (depth: number): fc.Arbitrary<Schema> =>
  joined(
    optional('if', condition(depth)),
    optional('then', condition(depth)),
    optional('else', condition(depth)),
    optional('not', condition(depth)),
    optional('dependentRequired', fc.dictionary(name, someNames, { maxKeys: 1 })),
    optional('dependentSchemas', fc.dictionary(name, condition(depth), { maxKeys: 1 })),
    optional('allOf', fc.array(condition(depth), { maxLength: 2 })),
    optional('anyOf', fc.array(fc.record({ required: someNames }), { minLength: 1, maxLength: 2 })),
  );

const objectSchema = (depth: number): fc.Arbitrary<Schema> =>
  joined(
    fc.constant({ type: 'object' }),
    fc.dictionary(name, schema(depth - 1), { minKeys: 1, maxKeys: 3 }).map((properties) => ({ properties })),
    optional('required', someNames),
    optional('additionalProperties', fc.oneof(fc.boolean(), plain)),
    optional('unevaluatedProperties', fc.boolean()),
    optional('propertyNames', fc.constantFrom({ enum: names }, { type: 'string' })),
    conditions(depth),
  );

const schema = (depth: number): fc.Arbitrary<Schema> =>
  depth === 0
    ? plain
    : fc.oneof(
        plain,
        { weight: 3, arbitrary: objectSchema(depth) },
        joined(
          fc.constant({ type: 'array' }),
          optional('items', schema(depth - 1)),
          optional('prefixItems', fc.array(schema(0), { minLength: 1, maxLength: 2 })),
          optional('contains', condition(depth - 1)),
          optional('if', condition(depth)),
          optional('then', condition(depth)),
        ),
        schema(depth - 1).map((values) => ({ type: 'object', additionalProperties: values })),
        objectSchema(depth).map((one) => ({ anyOf: [{ type: 'string' }, one] })),
      );

const value = (depth: number): fc.Arbitrary<JsonValue> =>
  depth === 0
    ? fc.constantFrom<JsonValue>('x', 'y', 0, 1, null, true)
    : fc.oneof(
        value(0),
        { weight: 4, arbitrary: fc.dictionary(name, value(depth - 1), { maxKeys: 3 }) },
        fc.array(value(depth - 1), { maxLength: 2 }),
      );

/**
 * Returns the given schemas and all subschemas that may apply to the same value: those of `allOf`, `anyOf`,
 * `if`/`then`/`else`, `not` and `dependentSchemas`.
 */
function schemasOn(schemas: readonly unknown[]): Schema[] {
  return schemas
    .filter((each): each is Schema => typeof each === 'object' && each !== null)
    .flatMap((each) => {
      const { if: first, then, else: other, not, allOf = [], anyOf = [], dependentSchemas = {} } = each;
      const lists = [...allOf, ...anyOf, ...Object.values(dependentSchemas ?? {})];
      const excludes = typeof not === 'object' && not !== null && Object.keys(not).join() === 'required'; // `not: { required }` forbids properties.
      return [each, ...schemasOn([first, then, other, excludes ? true : not, ...lists])];
    });
}

/**
 * Whether all property names in a value occur in its schemas. An open object allows others, but the model is not told
 * of them.
 */
function isMentioned(declared: readonly unknown[], given: JsonValue): boolean {
  const schemas = schemasOn(declared);
  const isTyped = schemas.some(({ type, enum: values }) => type !== undefined || values !== undefined);
  const isObject = typeof given === 'object' && given !== null && !Array.isArray(given);
  if (!isTyped && !isObject && schemas.some(({ properties }) => properties)) return false; // The schema expects an object.
  if (Array.isArray(given)) {
    const items = schemas.flatMap(({ items: each, contains, prefixItems = [] }) => [
      each,
      contains,
      ...prefixItems,
    ]);
    return given.every((each) => isMentioned(items, each));
  }
  if (typeof given !== 'object' || given === null || schemas.every((each) => Object.keys(each).length === 0))
    return true;
  const isMap = schemas.some(({ additionalProperties: others }) => typeof others === 'object');
  const isAnything = schemas.every(({ type, properties }) => type === undefined && properties === undefined);
  return Object.entries(given).every(([key, each]) => {
    const parts = schemas.flatMap(({ properties = {}, additionalProperties: others }) => {
      const part = properties[key] ?? others;
      return part === undefined ? [] : [part];
    });
    const lists = schemas.flatMap(
      ({ required = [], dependentRequired = {}, propertyNames: { enum: list = [] } = {} }) => [
        ...required,
        ...Object.values(dependentRequired).flat(),
        ...list,
      ],
    );
    const isNamed =
      schemas.some(({ properties = {} }) => Object.hasOwn(properties, key)) || lists.includes(key);
    return isAnything || ((isMap || isNamed) && isMentioned(parts, each));
  });
}

/**
 * Returns the forms that a value may take in a converted schema. For each property of an object, only the first
 * matching form is used.
 */
function imagesOf(image: Schema, given: JsonValue): JsonValue[] {
  const { anyOf, type, description, properties, required = [], items, additionalProperties: others } = image;
  if (anyOf) return anyOf.flatMap((each) => imagesOf(each, given));
  if (type === 'string' && description) return [JSON.stringify(given)];
  const record = typeof given === 'object' && given !== null && !Array.isArray(given) ? given : undefined;
  if (type === 'array' && items && Array.isArray(given)) {
    const each = given.map((item) => imagesOf(items, item).find((one) => isOf(items, one)));
    return [each.filter((one) => one !== undefined)];
  }
  const { key: isMap, value: mapped } = items?.properties ?? {};
  if (type === 'array' && isMap && mapped && record)
    return [Object.entries(record).map(([key, one]) => ({ key, value: imagesOf(mapped, one)[0] ?? null }))];
  if (type !== 'object' || !properties) {
    if (type !== 'object' || !record || typeof others !== 'object')
      return [given].filter((each) => isOf(image, each));
    return [
      Object.fromEntries(Object.entries(record).map(([key, one]) => [key, imagesOf(others, one)[0] ?? null])),
    ];
  }
  const { value: meant } = properties;
  const wrapped = meant ? imagesOf(meant, given).map((one) => ({ value: one })) : [];
  if (!record || Object.keys(record).some((key) => !Object.hasOwn(properties, key))) return wrapped;
  const written = Object.entries(properties).flatMap(([key, part]): [string, JsonValue][] => {
    const one = record[key];
    if (one === undefined) return required.includes(key) ? [[key, null]] : [];
    return [[key, imagesOf(part, one).find((each) => isOf(part, each)) ?? null]];
  });
  return [Object.fromEntries(written), ...wrapped];
}

const isOf = (schema: Schema, given: JsonValue) => validate(given, Object(schema), '2020-12').valid;

test.each([
  ['openai', openaiSchema],
  ['strict', strictSchema],
  ['anthropic', anthropicSchema],
  ['llama', llamaSchema],
] as const)('a value under any conditions can be written in the dialect of %s and is restored exactly, or the schema is not converted (rule: reversible-schema)', (_, dialect) => {
  let schemas = 0;
  fc.assert(
    fc.property(
      objectSchema(2),
      fc.array(fc.dictionary(name, value(2), { maxKeys: 4 }), { minLength: 20, maxLength: 20 }),
      (tool, calls) => {
        const converted = convertSchema(tool, dialect, 3);
        if (!converted) return;
        for (const call of calls) {
          if (!isOf(tool, call) || !isMentioned([tool], call)) continue;
          const image = imagesOf(converted.schema, call).find(
            (each) => isOf(converted.schema, each) && equals(converted.restore(each), call),
          );
          expect({ tool, call, isSayable: image !== undefined }).toEqual({ tool, call, isSayable: true });
          schemas += 1;
        }
      },
    ),
    { numRuns: 1_000 },
  );
  expect(schemas).toBeGreaterThan(200);
});

const equals = (one: JsonValue, other: JsonValue) => {
  try {
    expect(one).toEqual(other);
    return true;
  } catch {
    return false;
  }
};
