import type { SchemaObject } from './image.js';

/** What a value is one of, and what holds for all of it. */
export interface Alternatives {
  readonly list: readonly unknown[];
  readonly shared: SchemaObject;
}

/**
 * Alternatives that only say which properties are required narrow, and are left to the check. A value that must be one of
 * two lists at once may be anything: their product is not worked out.
 */
export function alternativesOf(schema: SchemaObject): Alternatives | undefined {
  const [keyword, second] = ['anyOf', 'oneOf'].filter((each) => isChoice(schema[each]));
  if (keyword === undefined) return undefined;
  const { [keyword]: list, ...shared } = schema;
  return second === undefined ? { list: listOf(list), shared } : { list: [true], shared: {} };
}

const isChoice = (alternatives: unknown): boolean =>
  listOf(alternatives).some(
    (each) => !isObject(each) || Object.keys(each).some((keyword) => keyword !== 'required'),
  );

/**
 * What an object's schema declares and, unless it says that there is nothing else, what it requires or its conditions
 * speak of: that may be anything.
 */
export function propertiesOf(schema: SchemaObject): ReadonlyMap<string, unknown> {
  const { properties, additionalProperties: others } = schema;
  const declared = new Map<string, unknown>(Object.entries(isObject(properties) ? properties : {}));
  const spokenOf = others === false ? [] : namesSpokenOf(schema);
  const undeclared = spokenOf.filter((name) => !declared.has(name));
  return new Map([...declared, ...undeclared.map((name) => [name, {}] as const)]);
}

/** In their order, some more than once. */
function namesSpokenOf({ required, dependentRequired, dependentSchemas, ...schema }: SchemaObject): string[] {
  const lists = [required, ...valuesOf(dependentRequired)];
  const conditions = [
    ...['if', 'then', 'else'].map((keyword) => schema[keyword]),
    ...valuesOf(dependentSchemas),
    ...['allOf', 'anyOf', 'oneOf'].flatMap((keyword) => listOf(schema[keyword])),
  ].filter(isObject);
  return [
    ...lists.flatMap(listOf).filter((name) => typeof name === 'string'),
    ...conditions.flatMap((each) => [...namesIn(each['properties']), ...namesSpokenOf(each)]),
  ];
}

const namesIn = (value: unknown): readonly string[] => (isObject(value) ? Object.keys(value) : []);

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const valuesOf = (value: unknown): readonly unknown[] => (isObject(value) ? Object.values(value) : []);

/** The schema with what `allOf` adds; undefined where two of its parts say different things of one matter. */
export function mergeAll(schema: SchemaObject): SchemaObject | undefined {
  const { allOf, ...own } = schema;
  if (!Array.isArray(allOf)) return schema;
  let merged: Record<string, unknown> = own;
  for (const part of allOf) {
    if (part === true) continue;
    const further = isObject(part) ? mergeAll(part) : undefined;
    const both = further && mergeTwo(merged, further);
    if (!both) return undefined;
    merged = both;
  }
  return merged;
}

function mergeTwo(first: SchemaObject, second: SchemaObject): Record<string, unknown> | undefined {
  const merged: Record<string, unknown> = { ...first };
  for (const [keyword, value] of Object.entries(second)) {
    const known = merged[keyword];
    if (known === undefined || annotations.has(keyword)) merged[keyword] = known ?? value;
    else if (keyword === 'required' && Array.isArray(known) && Array.isArray(value))
      merged[keyword] = [...new Set([...known, ...value])];
    else if (keyword === 'properties' && isObject(known) && isObject(value)) {
      if (Object.keys(value).some((name) => Object.hasOwn(known, name))) return undefined;
      merged[keyword] = { ...known, ...value };
    } else if (JSON.stringify(known) !== JSON.stringify(value)) return undefined;
  }
  return merged;
}

/** Whether null may be a value: the types that the image will have, known before it is made. */
export function mayBeNull(schema: unknown): boolean {
  const merged = isObject(schema) ? mergeAll(schema) : undefined;
  if (!merged) return false;
  const { const: constant, enum: values, type } = merged;
  if (constant !== undefined) return constant === null;
  if (Array.isArray(values)) return values.includes(null);
  if (type === 'null' || (Array.isArray(type) && type.includes('null'))) return true;
  return alternativesOf(merged)?.list.some(mayBeNull) ?? false;
}

/** Whether it is a bound of the type's, and a number that the vendors take for it. */
export function isBound(bound: string, value: unknown, type: string): boolean {
  if (typeof value !== 'number' || !Number.isFinite(value)) return false;
  if (bound === 'minItems' || bound === 'maxItems')
    return type === 'array' && Number.isInteger(value) && value >= 0;
  if (type !== 'number' && type !== 'integer') return false;
  return bound !== 'multipleOf' || value > 0;
}

/** Keywords that say nothing about which values are taken. */
const annotations = new Set([
  'title',
  'description',
  'default',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly',
]);

export function hasKeyword(schema: unknown, keyword: string): boolean {
  if (typeof schema !== 'object' || schema === null) return false;
  return Object.hasOwn(schema, keyword) || Object.values(schema).some((each) => hasKeyword(each, keyword));
}

export function isObject(value: unknown): value is SchemaObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
