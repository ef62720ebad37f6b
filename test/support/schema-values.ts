import fc from 'fast-check';
import type { JsonValue } from '../../src/parsing/index.js';

export type Dialect = 'openai' | 'strict' | 'anthropic' | 'llama';

type Schema = Record<string, unknown>;

/**
 * A schema, a value that satisfies it, and `image`: the same value as the schema's conversion to a dialect requires it.
 * The test computes `image` from the rule, without the code under test.
 */
interface Sample {
  readonly schema: Schema;
  readonly value: JsonValue;
  readonly image: JsonValue;
}

const same = (schema: Schema, value: JsonValue): Sample => ({ schema, value, image: value });

const text = fc.string({ unit: 'grapheme', maxLength: 12 });
const scalar: fc.Arbitrary<Sample> = fc.oneof(
  text.map((value) => same({ type: 'string', minLength: 0, format: 'x', default: 'y' }, value)),
  fc.integer().map((value) => same({ type: 'integer', description: 'whole' }, value)),
  fc.integer({ min: 1, max: 9 }).map((value) => same({ type: 'integer', minimum: 1, maximum: 9 }, value)),
  fc.boolean().map((value) => same({ type: 'boolean' }, value)),
  fc.constant(same({ type: 'null' }, null)),
  fc.constantFrom<JsonValue>('a', 2, null).map((value) => same({ enum: ['a', 'b', 2, null] }, value)),
  text.map((value) => same({ const: value }, value)),
  fc.constantFrom<JsonValue>('t', null).map((value) => same({ type: ['string', 'null'] }, value)),
);

const isStrict = (dialect: Dialect) => dialect === 'openai' || dialect === 'strict';
/** Property names, including some that `Object.prototype` also has. */
const propertyName = fc.oneof(
  fc.constantFrom('a', 'b', 'path', 'value', 'toString'),
  text.filter((name) => name !== '__proto__'),
);

/** Returns whether null satisfies the schema. Does not use the code under test. */
function mayBeNull(schema: Schema): boolean {
  const { type, enum: values, const: constant, anyOf } = schema;
  if (constant !== undefined) return constant === null;
  if (Array.isArray(values)) return values.includes(null);
  if (Array.isArray(anyOf)) return anyOf.some(mayBeNull);
  return Array.isArray(type) ? type.includes('null') : type === 'null';
}

function objectOf(dialect: Dialect, child: fc.Arbitrary<Sample>): fc.Arbitrary<Sample> {
  const property = fc.record({
    name: propertyName,
    sample: child,
    required: fc.boolean(),
    present: fc.boolean(),
  });
  return fc
    .uniqueArray(property, { selector: ({ name }) => name, minLength: 1, maxLength: 4 })
    .map((properties) => {
      const shown = properties.filter(({ required, present }) => required || present);
      const images = properties.flatMap(({ name, sample, required, present }): [string, JsonValue][] => {
        if (required) return [[name, sample.image]];
        if (!isStrict(dialect)) return present ? [[name, sample.image]] : [];
        if (!present) return [[name, null]];
        return [[name, mayBeNull(sample.schema) ? { value: sample.image } : sample.image]];
      });
      return {
        schema: {
          type: 'object',
          properties: Object.fromEntries(properties.map(({ name, sample }) => [name, sample.schema])),
          required: properties.filter(({ required }) => required).map(({ name }) => name),
        },
        value: Object.fromEntries(shown.map(({ name, sample }) => [name, sample.value])),
        image: Object.fromEntries(images),
      };
    });
}

const arrayOf = (child: fc.Arbitrary<Sample>): fc.Arbitrary<Sample> =>
  child.chain((one) =>
    fc.integer({ min: 0, max: 3 }).map((count) => ({
      schema: { type: 'array', items: one.schema, uniqueItems: false },
      value: Array.from({ length: count }, () => one.value),
      image: Array.from({ length: count }, () => one.image),
    })),
  );

const mapOf = (dialect: Dialect, child: fc.Arbitrary<Sample>): fc.Arbitrary<Sample> =>
  fc.record({ key: text.filter((key) => key !== '__proto__'), one: child }).map(({ key, one }) => ({
    schema: { type: 'object', additionalProperties: one.schema },
    value: { [key]: one.value },
    image: dialect === 'llama' ? { [key]: one.image } : [{ key, value: one.image }],
  }));

/**
 * Replaces integers that a double cannot represent exactly, because every protocol keeps those as text
 * (rule: values).
 */
const withoutUnsafe = (_: string, value: unknown): unknown =>
  Number.isInteger(value) && !Number.isSafeInteger(value) ? 0.5 : value;

const anythingOf = (dialect: Dialect): fc.Arbitrary<Sample> =>
  fc.jsonValue({ maxDepth: 2 }).map((made) => {
    const value: JsonValue = JSON.parse(JSON.stringify(made), withoutUnsafe);
    return { schema: {}, value, image: dialect === 'llama' ? value : JSON.stringify(value) };
  });

/** Unions whose alternatives have different types, so that a value satisfies only one of them. */
const unionOf = (child: fc.Arbitrary<Sample>): fc.Arbitrary<Sample> =>
  fc
    .record({ list: arrayOf(child), takesList: fc.boolean(), word: text })
    .map(({ list, takesList, word }) => ({
      schema: { anyOf: [{ type: 'string' }, list.schema] },
      value: takesList ? list.value : word,
      image: takesList ? list.image : word,
    }));

/** Object schemas for the arguments of a tool. */
export const argumentsOf = (dialect: Dialect): fc.Arbitrary<Sample> => objectOf(dialect, level(dialect, 2));

/** Schemas of any type, such as an answer may have. */
export const answersOf = (dialect: Dialect): fc.Arbitrary<Sample> =>
  fc.oneof({ weight: 3, arbitrary: argumentsOf(dialect) }, { weight: 2, arbitrary: level(dialect, 2) });

function level(dialect: Dialect, depth: number): fc.Arbitrary<Sample> {
  if (depth === 0) return fc.oneof(scalar, anythingOf(dialect));
  const child = level(dialect, depth - 1);
  return fc.oneof(
    scalar,
    objectOf(dialect, child),
    arrayOf(child),
    mapOf(dialect, child),
    unionOf(child),
    anythingOf(dialect),
  );
}
